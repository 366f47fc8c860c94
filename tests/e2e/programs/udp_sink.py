"""Writes the number in each datagram that arrives, one a line. Arguments: the port."""

import socket
import sys

sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
sink.bind(("0.0.0.0", int(sys.argv[1])))
print("ready", flush=True)
while True:
    print(int.from_bytes(sink.recv(2048)[:8], "big"), flush=True)
