"""Numbered datagrams of 1000 bytes and the times by which they are judged, in nanoseconds of one clock.

Arguments: `take PORT FILE …`, which notes number, when it was sent and when it came, a line each; or `send
ADDRESS PORT COUNT GAP_NS …`. Each further port has a process of its own."""

import os
import socket
import sys
import time
from pathlib import Path

SEND_BUFFER, RECEIVE_BUFFER = 32, 33
"""SO_SNDBUFFORCE and SO_RCVBUFFORCE (asm-generic/socket.h), beyond the limits of ordinary users."""


def take(port: int, file: str) -> None:
    sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sink.setsockopt(socket.SOL_SOCKET, RECEIVE_BUFFER, 64 << 20)
    sink.bind(("0.0.0.0", port))
    with Path(file).open("w", buffering=1) as noted:
        while True:
            probe = sink.recv(2048)
            came = time.monotonic_ns()
            number, sent = (int.from_bytes(probe[at : at + 8], "big") for at in (0, 8))
            noted.write(f"{number} {sent} {came}\n")


def send(address: str, port: int, count: int, gap_ns: int) -> None:
    source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    source.setsockopt(socket.SOL_SOCKET, SEND_BUFFER, 256 << 20)
    source.connect((address, port))
    due = time.monotonic_ns()
    for number in range(count):
        due += gap_ns
        if (left := due - time.monotonic_ns()) > 0:
            time.sleep(left / 1e9)
        sent = time.monotonic_ns()
        source.send(number.to_bytes(8, "big") + sent.to_bytes(8, "big") + bytes(984))
    time.sleep(3)


what, words = sys.argv[1], sys.argv[2:]
address = words.pop(0) if what == "send" else ""
each = 3 if what == "send" else 2
while len(words) > each:
    if os.fork() == 0:
        break
    del words[:each]
if what == "take":
    take(int(words[0]), words[1])
else:
    send(address, int(words[0]), int(words[1]), int(words[2]))
