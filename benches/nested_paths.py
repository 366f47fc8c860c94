#!/usr/bin/env python3
"""What ten paths of 10 ms each way take, one within the other: 200 ms, and what the host adds."""

import statistics
import subprocess
import sys

from rich.console import Console

DEPTH = 10
DELAY_MS = 10
PINGS = 50
PORT = "9000"
TARGET_MS = 205

ECHO = """
import socket, sys
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind(("0.0.0.0", int(sys.argv[1])))
while True:
    echo.sendto(*echo.recvfrom(64))
"""
PING = """
import os, socket, sys, time
near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
near.settimeout(10)
near.connect((os.environ["OUTERMOST"], int(sys.argv[1])))
for number in range(int(sys.argv[2])):
    sent = time.perf_counter()
    near.send(b"%d" % number)
    near.recv(64)
    print((time.perf_counter() - sent) * 1e3, flush=True)
"""


def round_trips_ms() -> list[float]:
    """From the innermost client to the outermost far host."""
    path = [sys.executable, "-m", "pronghorn", "path", f"delay={DELAY_MS}ms", "--quiet"]
    python = [sys.executable, "-S", "-c"]
    innermost = [*python, PING, PORT, str(PINGS)]
    within = [word for _ in range(DEPTH - 1) for word in (*path, "--")] + innermost
    argv = [
        *(*path, "--server", f"{sys.executable} -S -c '{ECHO}' {PORT}", "--"),
        *("sh", "-c", 'OUTERMOST=$PRONGHORN_SERVER exec "$@"', "sh", *within),
    ]
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
    return [float(line) for line in done.stdout.split()]


def main() -> None:
    trips = sorted(round_trips_ms())
    median = statistics.median(trips)
    target = f"≤ {TARGET_MS} ms" if median <= TARGET_MS else f"[bold red]≤ {TARGET_MS} ms: missed[/]"
    Console(width=120).print(
        f"{DEPTH} nested paths of {DELAY_MS} ms each way, {len(trips)} round trips: least {trips[0]:.2f} ms,"
        f" median {median:.2f} ms (target {target}), most {trips[-1]:.2f} ms"
    )


if __name__ == "__main__":
    main()
