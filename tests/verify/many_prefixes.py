"""The clients of test_gateway_many_prefixes.py and their nginx, in a network namespace of their own.

Arguments: nginx's folder, its port, how many prefixes come once, how many come again and again. Tells
(stdout) the status page at the end, how many requests failed, and of both phases the requests' times, in
seconds."""

import json
import multiprocessing
import os
import socket
import ssl
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CLIENTS = 2
PARTS = 10
CALM_REQUESTS = 100_000
TIMED = 200_000
"""The last so many of the requests from new prefixes are the phase that is compared: all of them evict."""

LINGER_NOTHING = b"\1\0\0\0\0\0\0\0"
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def main() -> None:
    """Runs nginx and both phases."""
    folder, port, prefixes, known = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    for command in ("ip link set lo up", "ip -6 route add local 2001:db8::/32 dev lo"):
        subprocess.run(command.split(), check=True)
    with subprocess.Popen(json.loads(os.environ["PRONGHORN_NGINX_ARGV"]), cwd=folder) as nginx:
        try:
            time.sleep(1)
            once = phase(port, range(prefixes))
            again = [number % known for number in range(known + CALM_REQUESTS)]
            calm = phase(port, [prefixes + number for number in again])
            told = {
                "status": status(port),
                "failed": sum(time_s < 0 for time_s in (*once, *calm)),
                "evicting": summary(once[-TIMED:]),
                "calm": summary(calm[-CALM_REQUESTS:]),
            }
        finally:
            nginx.terminate()
    print(json.dumps(told))


def phase(port: int, numbers: Sequence[int]) -> list[float]:
    """The times of one request from each of these prefixes, in their order; -1 of one that failed."""
    with multiprocessing.Pool(CLIENTS) as clients:
        found = clients.starmap(ask_all, [(port, numbers[first::CLIENTS]) for first in range(CLIENTS)])
    merged = [-1.0] * len(numbers)
    for first, times in enumerate(found):
        merged[first::CLIENTS] = times
    return merged


def ask_all(port: int, numbers: Sequence[int]) -> list[float]:
    """One client process: a request from each prefix, on a connection of its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    times = []
    session: ssl.SSLSession | None = None
    for number in numbers:
        begun = time.perf_counter()
        try:
            session = ask(context, port, number, session)
            times.append(time.perf_counter() - begun)
        except OSError:
            times.append(-1.0)
    return times


def ask(
    context: ssl.SSLContext, port: int, number: int, session: ssl.SSLSession | None
) -> ssl.SSLSession | None:
    """One request from the numbered prefix of 56 bits; the session to resume next."""
    with socket.socket(socket.AF_INET6) as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOTHING)
        plain.bind((f"2001:db8:{number >> 8:x}:{(number & 255) << 8:x}::1", 0))
        plain.connect(("::1", port))
        with context.wrap_socket(plain, session=session) as client:
            client.sendall(REQUEST)
            answer = client.recv(4096)
            if b" 200 " not in answer[:20]:
                raise OSError(answer[:60])
            return client.session


def status(port: int) -> Any:
    """The status page, asked from this machine's own address."""
    context = ssl._create_unverified_context()
    with context.wrap_socket(socket.create_connection(("::1", port))) as client:
        client.sendall(REQUEST.replace(b"GET /", b"GET /status"))
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
