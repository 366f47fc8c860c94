"""Measures round trips to a UDP echo, one after the other, and writes each in nanoseconds. Arguments: the
address, the port, how many, the pause between them in seconds."""

import socket
import sys
import time

LIMIT_S = 30.0

address, port, count, pause_s = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
near.connect((address, port))
near.settimeout(LIMIT_S)
for number in range(count):
    time.sleep(pause_s)
    datagram = number.to_bytes(8, "big")
    sent = time.monotonic_ns()
    near.send(datagram)
    while near.recv(64) != datagram:
        pass
    print(time.monotonic_ns() - sent, flush=True)
