#!/usr/bin/env python3
"""What nginx's module autoquic costs: CPU seconds a request of a worker with it on over one without it, in
pairs that take turns on loopback. The rest is equal: one program, one configuration but for its lines,
kept connections (the hardest case: a request costs the server least there), a document of 1 kB, a log.
Responses are measured as they are on a server of its clients; without a single sample the bench fails. The
CPUs are kept from halting, and nginx's workers have one that the client hasn't: what a request costs depends
on how many nginx finds at once."""

import argparse
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from paired import Interval, of_median

from pronghorn import certificates
from pronghorn.execute import awake
from pronghorn.origins import programs

ROOT = Path(__file__).parents[1]
PAIRS = 24
SECONDS_A_TURN = 1.0
MOST = 1.02

POLICY = """\
format = 1
margin = 0.03
[axes]
rtt_ms = [1, 300]
loss = [0, 0.15]
rate_mbit = [1, 1000]
[noise]
response = 0.35
between_clients = 0.05
surface = 0.05
"""
PRIOR = """\
[[prior]]
tcp = "cubic"
rate_mbit = {rate}
ratio = [[0.8, 0.8], [0.8, 0.8]]
sd = [[0.05, 0.05], [0.05, 0.05]]
"""
CONFIGURATION = """\
{module}
worker_processes 1;
daemon off;
pid nginx.pid;
user root;
error_log stderr error;
events {{ worker_connections 2048; }}
http {{
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    access_log access.log combined buffer=64k;
    keepalive_requests 100000000;
    keepalive_timeout 1h;
    {on}
    server {{
        listen 127.0.0.1:{port} quic reuseport;
        listen 127.0.0.1:{port} ssl;
        http2 on;
        ssl_certificate origin.pem;
        ssl_certificate_key origin.key;
        root root;
        location = /status {{ access_log off; {status} }}
    }}
}}
"""
ON = "autoquic_zone clients:8m; autoquic_policy policy.toml; autoquic_holdout 0; autoquic on;"
STATUS = "autoquic off; autoquic_status;"
TRANSPORTS = {"1.1": "tcp", "2": "tcp", "3": "quic"}


class Server(NamedTuple):
    """A running nginx: its port and its worker."""

    port: int
    worker: int

    def cpu_s(self) -> float:
        """CPU seconds of the worker until now, to a nanosecond."""
        return int(Path(f"/proc/{self.worker}/schedstat").read_text().split()[0]) / 1e9

    def samples(self, http: str) -> int:
        """Responses over the transport of this HTTP that were measured until now."""
        address = f"https://127.0.0.1:{self.port}/status"
        unproved = ssl._create_unverified_context()
        with urllib.request.urlopen(address, context=unproved) as answer:
            found = json.load(answer)["samples"][TRANSPORTS[http]]
        return int(found["acknowledged"])


@contextmanager
def server(folder: Path, module: Path | None) -> Iterator[Server]:
    """An nginx on loopback, with the module or without."""
    folder.mkdir()
    (folder / "root").mkdir()
    (folder / "root" / "index.html").write_bytes(b"x" * 1024)
    (folder / "identity").mkdir()
    identity = certificates.make(folder / "identity")
    (folder / "origin.pem").symlink_to(identity.chain)
    (folder / "origin.key").symlink_to(identity.key)
    (folder / "policy.toml").write_text(POLICY + "".join(PRIOR.format(rate=rate) for rate in (1, 1000)))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    loads = f"load_module {module};" if module else ""
    says = {"on": ON, "status": STATUS} if module else {"on": "", "status": ""}
    text = CONFIGURATION.format(module=loads, port=port, **says)
    (folder / "nginx.conf").write_text(text)
    argv = [*programs.find("nginx").argv, "-p", ".", "-c", "nginx.conf", "-e", "stderr"]
    with subprocess.Popen(argv, cwd=folder) as process:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while not (workers := children.read_text().split()):
                time.sleep(0.02)
            time.sleep(0.2)
            yield Server(port, int(workers[0]))
        finally:
            process.terminate()


def part(*servers: Server) -> None:
    """Gives the workers a CPU that nobody else here uses, where there is more than one."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) > 1:
        for one in servers:
            os.sched_setaffinity(one.worker, cpus[-1:])
        os.sched_setaffinity(0, cpus[:-1])


def load(one: Server, http: str, seconds: float) -> float:
    """CPU seconds of the server a request."""
    before = one.cpu_s()
    argv = [
        str(Path(sys.executable).parent / "pronghorn"),
        "load",
        f"https://127.0.0.1:{one.port}/index.html",
    ]
    options = ["--http", http, "--insecure", "--json", "-c", "8", "-m", "4", "-d", f"{seconds}s"]
    done = subprocess.run([*argv, *options], check=True, capture_output=True, text=True)
    requests = json.loads(done.stdout)["requests"]["succeeded"]
    return (one.cpu_s() - before) / requests


def compare(
    with_it: Server, without: Server, http: str, pairs: int, seconds: float
) -> tuple[Interval, float]:
    """The ratio of each pair's CPU seconds a request, and what one costs without the module."""
    ratios, costs = [], []
    for turn in range(pairs):
        order = (with_it, without) if turn % 2 else (without, with_it)
        cost = {one: load(one, http, seconds) for one in order}
        ratios.append(cost[with_it] / cost[without])
        costs.append(cost[without])
        print(f"HTTP/{http}, pair {turn + 1}: {ratios[-1]:.3f}", file=sys.stderr)
    return of_median(ratios), of_median(costs).median


def main() -> int:
    """Exit status 1 where the module costs too much."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--pairs", type=int, default=PAIRS)
    asked.add_argument("--seconds", type=float, default=SECONDS_A_TURN, help="of each turn")
    asked.add_argument("--http", action="append", choices=("1.1", "2", "3"))
    options = asked.parse_args()
    found = subprocess.run([ROOT / "scripts/autoquic"], check=True, capture_output=True, text=True)
    module = Path(found.stdout.strip())
    missed = False
    with (
        awake.keeping(True),
        tempfile.TemporaryDirectory() as folder,
        server(Path(folder) / "with", module) as with_it,
        server(Path(folder) / "without", None) as without,
    ):
        part(with_it, without)
        for http in options.http or ("2", "3"):
            before = with_it.samples(http)
            ratio, cost_s = compare(with_it, without, http, options.pairs, options.seconds)
            measured = with_it.samples(http) - before
            missed |= ratio.median > MOST or measured == 0
            print(
                f"HTTP/{http}: CPU seconds a request with the module over without: {ratio}, "
                f"to be ≤ {MOST}; "
                f"without: {cost_s * 1e6:.1f} µs; {options.pairs} pairs, {measured} responses measured, "
                f"load {os.getloadavg()[0]:.1f}"
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
