"""Sends numbered datagrams of 200 bytes, few at a time. Its port stays open, so that no answer is refused.
Arguments: the address, the port, how many."""

import signal
import socket
import sys
import time

BURST = 25

source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
source.bind(("", 40_000))
source.connect((sys.argv[1], int(sys.argv[2])))
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    source.send(number.to_bytes(8, "big") + bytes(192))
    if number % BURST == BURST - 1:
        time.sleep(0.002)
print("sent", flush=True)
signal.pause()
