"""The clients of test_gateway_many_prefixes.py and their nginx, in a network namespace of their own.

Arguments: the clients' program, nginx's folder, its port, how many prefixes come once, how many come again
and again. Tells (stdout) the status page at the end, how many requests failed, and of both phases the
requests' times, in seconds."""

import json
import os
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

CLIENTS = 2
PARTS = 10
CALM_REQUESTS = 100_000
TIMED = 200_000
"""The last so many of the requests from new prefixes are the phase that is compared: all of them evict."""


def main() -> None:
    """Runs nginx and both phases."""
    program, folder, port = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    prefixes, known = map(int, sys.argv[4:6])
    for command in ("ip link set lo up", "ip -6 route add local 2001:db8::/32 dev lo"):
        subprocess.run(command.split(), check=True)
    with subprocess.Popen(json.loads(os.environ["PRONGHORN_NGINX_ARGV"]), cwd=folder) as nginx:
        try:
            time.sleep(1)
            once = phase(program, port, 0, prefixes, prefixes)
            calm = phase(program, port, prefixes, known, known + CALM_REQUESTS)
            told = {
                "status": status(int(port)),
                "failed": sum(time_s < 0 for time_s in (*once, *calm)),
                "evicting": summary(once[-TIMED:]),
                "calm": summary(calm[-CALM_REQUESTS:]),
            }
        finally:
            nginx.terminate()
    print(json.dumps(told))


def phase(program: str, port: str, base: int, modulus: int, requests: int) -> list[float]:
    """The times of requests from prefix `base` + n % `modulus`, in the order of n; -1 of one that failed."""
    merged = [-1.0] * requests
    with ExitStack() as stack:
        told = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(CLIENTS)]
        clients = [
            subprocess.Popen(
                [program, port, *map(str, (base, modulus, first, CLIENTS, requests))], stdout=told[first]
            )
            for first in range(CLIENTS)
        ]
        for first, client in enumerate(clients):
            client.wait()
            told[first].seek(0)
            merged[first::CLIENTS] = array("d", told[first].read())
    return merged


def status(port: int) -> Any:
    """The status page, asked from this machine's own address."""
    context = ssl._create_unverified_context()
    with context.wrap_socket(socket.create_connection(("::1", port))) as client:
        client.sendall(b"GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        page = b""
        while part := client.recv(65536):
            page += part
    return json.loads(page.partition(b"\r\n\r\n")[2])


def summary(times: Sequence[float]) -> dict[str, Any]:
    """Their median, high percentiles, and the slowest of each tenth of them."""
    ordered = sorted(times)
    size = len(times) // PARTS
    return {
        "requests": len(times),
        "median": statistics.median(ordered),
        "p99": ordered[int(0.99 * len(ordered))],
        "p999": ordered[int(0.999 * len(ordered))],
        "slowest": [max(times[part * size : (part + 1) * size]) for part in range(PARTS)],
    }


if __name__ == "__main__":
    main()
