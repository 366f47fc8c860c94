"""Measures round trips to a host whose kernel answers (ICMP echo), from before a request is sent until the
kernel has its answer, and writes each in nanoseconds: no process's waiting for a CPU is part of it.
Arguments: the address, how many, the pause between them in seconds."""

import os
import socket
import struct
import sys
import time

LIMIT_S = 30.0
SO_TIMESTAMPNS = 35
ECHO_REQUEST, ECHO_REPLY = 8, 0

address, count, pause_s = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
near = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
near.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
near.settimeout(LIMIT_S)
near.connect((address, 0))


def checksum(packet: bytes) -> int:
    """RFC 1071."""
    total: int = sum(struct.unpack(f"!{len(packet) // 2}H", packet))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def answered_ns(rest: bytes) -> int:
    """When the kernel received the answer that ends with `rest`."""
    while True:
        packet, ancillary, _, _ = near.recvmsg(256, 256)
        icmp = packet[(packet[0] & 15) * 4 :]
        if icmp[0] == ECHO_REPLY and icmp[4:] == rest:
            stamp: tuple[int, int] = struct.unpack("@qq", ancillary[0][2])
            return stamp[0] * 10**9 + stamp[1]


for number in range(count):
    time.sleep(pause_s)
    rest = struct.pack("!HHQ", os.getpid() & 0xFFFF, number, number)
    whole = struct.pack("!BBH", ECHO_REQUEST, 0, 0) + rest
    request = whole[:2] + checksum(whole).to_bytes(2, "big") + whole[4:]
    sent_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
    near.send(request)
    print(answered_ns(rest) - sent_ns, flush=True)
