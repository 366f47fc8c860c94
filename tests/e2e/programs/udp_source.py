"""Sends numbered datagrams of 200 bytes, so many as a file allows by now. Its port stays open, so that no
answer is refused. Arguments: the address, the port, how many, the file."""

import signal
import socket
import sys
import time
from pathlib import Path

address, port, count, gate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
source.bind(("", 40_000))
source.connect((address, port))
print("ready", flush=True)
allowed = 0
for number in range(count):
    while number >= allowed:
        time.sleep(0.001)
        # Empty while it is being written.
        allowed = int(gate.read_text() or 0)
    source.send(number.to_bytes(8, "big") + bytes(192))
signal.pause()
