"""Sends over TCP as fast as it can, or takes what is sent. Arguments: `send`, the address, the port, seconds
to warm up, seconds to measure; or `take` and the port.

At its end the sender writes, of the time that it measured: seconds, bytes acknowledged, segments with data,
the mean retransmission time-out where it isn't backed off, and the mean smoothed round trip (in seconds)."""

import select
import socket
import struct
import sys
import time
from typing import NamedTuple

SAMPLING_S = 0.1
PIECE = bytes(1 << 16)


class Info(NamedTuple):
    """Some of a connection's state (linux/tcp.h, struct tcp_info)."""

    backoff: int
    rto_s: float
    rtt_s: float
    bytes_acked: int
    segments: int


def info(end: socket.socket) -> Info:
    raw = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    (rto_us,) = struct.unpack_from("=I", raw, 8)
    (rtt_us,) = struct.unpack_from("=I", raw, 68)
    (acked,) = struct.unpack_from("=Q", raw, 120)
    (segments,) = struct.unpack_from("=I", raw, 156)
    return Info(raw[4], rto_us / 1e6, rtt_us / 1e6, acked, segments)


def send(address: str, port: int, warmup_s: float, measured_s: float) -> None:
    with socket.create_connection((address, port)) as end:
        print("ready", flush=True)
        end.setblocking(False)
        push(end, warmup_s)
        began = time.monotonic()
        samples = [info(end)]
        while time.monotonic() < began + measured_s:
            push(end, SAMPLING_S)
            samples.append(info(end))
        seconds = time.monotonic() - began
        acked = samples[-1].bytes_acked - samples[0].bytes_acked
        segments = samples[-1].segments - samples[0].segments
        timeout = mean([sample.rto_s for sample in samples if sample.backoff == 0])
        print(seconds, acked, segments, timeout, mean([sample.rtt_s for sample in samples]))


def push(end: socket.socket, for_s: float) -> None:
    until = time.monotonic() + for_s
    while (left := until - time.monotonic()) > 0:
        _, writable, _ = select.select([], [end], [], left)
        if writable:
            end.send(PIECE)


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def take(port: int) -> None:
    with socket.create_server(("0.0.0.0", port)) as listener:
        print("ready", flush=True)
        end, _ = listener.accept()
        with end:
            while end.recv(1 << 18):
                pass


if sys.argv[1] == "send":
    send(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
else:
    take(int(sys.argv[2]))
