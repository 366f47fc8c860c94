#!/usr/bin/env python3
"""What nginx's module autoquic costs: CPU seconds a request of a worker with it on over one without it. The
rest is equal: one program, one configuration but for its lines, kept connections (the hardest case: a request
costs the server least there), a document of 1 kB, a log. The clients are of 24 prefixes, so that a worker
measures as many responses as it ever does: fifty a second, and five of a prefix. With fewer than half of
that the bench fails.

A pair's two servers are loaded at the same time and share one CPU, which the clients have not: whatever a
shared machine does to one it does to the other. (In turns, a second each, pairs scattered by 10 %.) Each pair
has servers of its own, since where a program lies in memory changes its speed for as long as it runs, and
pairs take turns in which of the two comes first. The CPUs are kept from halting.

It runs in a network namespace of its own, whose loopback has the clients' addresses."""

import argparse
import ipaddress
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from paired import of_median

from pronghorn import certificates
from pronghorn.engine import locate
from pronghorn.host import awake
from pronghorn.load.spec import Extent, LoadSpec, Protocol, Target, Tls
from pronghorn.origins import programs

ROOT = Path(__file__).parents[1]
PAIRS = 24
SECONDS_A_PAIR = 2.0
MOST = 1.02
INSIDE = "PRONGHORN_BENCH_INSIDE"
"""Set for this program within its namespace."""

CLIENTS = [str(ipaddress.IPv4Address("10.75.0.1") + (number << 8)) for number in range(24)]
"""Addresses of 24 prefixes of 24 bits. Who asks a loopback's address has it himself, as the kernel routes its
own packets."""

MOST_SAMPLES_A_SECOND = 50
"""As many as a worker takes (nginx/src/shares.c)."""

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
        listen {port} quic reuseport;
        listen {port} ssl;
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
PROTOCOLS: dict[str, Protocol] = {"1.1": "h1", "2": "h2", "3": "h3"}


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


@contextmanager
def parted(*servers: Server) -> Iterator[None]:
    """Gives the workers a CPU that nobody else here uses, where there is more than one."""
    cpus = os.sched_getaffinity(0)
    if len(cpus) > 1:
        mine = max(cpus)
        for one in servers:
            os.sched_setaffinity(one.worker, {mine})
        os.sched_setaffinity(0, cpus - {mine})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cpus)


def load(one: Server, client: str, http: str, seconds: float) -> "subprocess.Popen[str]":
    """Begins to load a server from a client's address, over one connection."""
    spec = LoadSpec(
        targets=(Target(url=f"https://{client}:{one.port}/index.html"),),
        protocol=PROTOCOLS[http],
        address=client,
        tls=Tls(insecure=True),
        streams=1 if http == "1.1" else 2,
        stop=Extent(duration_s=seconds),
    )
    process = subprocess.Popen(
        [str(locate()), "generate"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(spec.to_engine()))
    process.stdin.close()  # it begins where its specification ends
    return process


def succeeded(begun: "subprocess.Popen[str]") -> int:
    """How many of a client's requests were answered."""
    assert begun.stdout is not None
    told = json.loads(begun.stdout.read().splitlines()[-1])
    begun.wait()
    return int(told["report"]["requests"]["succeeded"])


def costs(servers: Sequence[Server], http: str, seconds: float) -> list[float]:
    """CPU seconds a request of servers that are loaded at the same time."""
    before = [one.cpu_s() for one in servers]
    begun = [[load(one, client, http, seconds) for one in servers] for client in CLIENTS]
    requests = [sum(map(succeeded, processes)) for processes in zip(*begun, strict=True)]
    after = [one.cpu_s() for one in servers]
    return [(end - begin) / count for begin, end, count in zip(before, after, requests, strict=True)]


class Pair(NamedTuple):
    """CPU seconds a request with the module over without, those without, and how many responses were
    measured."""

    ratio: float
    without_s: float
    samples: int


def pair(module: Path, http: str, seconds: float, *, module_first: bool) -> Pair:
    """One pair, with servers of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        server(Path(folder) / "with", module) as with_it,
        server(Path(folder) / "without", None) as without,
        parted(with_it, without),
    ):
        if module_first:
            with_s, without_s = costs((with_it, without), http, seconds)
        else:
            without_s, with_s = costs((without, with_it), http, seconds)
        return Pair(with_s / without_s, without_s, with_it.samples(http))


def main() -> int:
    """Exit status 1 where the module costs too much."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--pairs", type=int, default=PAIRS)
    asked.add_argument("--seconds", type=float, default=SECONDS_A_PAIR, help="of each pair")
    asked.add_argument("--http", action="append", choices=("1.1", "2", "3"))
    options = asked.parse_args()
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        rights = [] if os.geteuid() == 0 else ["--map-root-user"]
        os.execvp("unshare", ["unshare", "--net", *rights, sys.executable, *sys.argv])
    for words in (["link", "set", "lo", "up"], *(["address", "add", one, "dev", "lo"] for one in CLIENTS)):
        subprocess.run(["ip", *words], check=True)
    argv = [ROOT / "scripts/autoquic", f"nginx@{programs.find('nginx').version}"]
    found = subprocess.run(argv, check=True, capture_output=True, text=True)
    module = Path(found.stdout.strip())
    missed = False
    with awake.keeping(True):
        for http in options.http or PROTOCOLS:
            pairs = []
            for turn in range(options.pairs):
                pairs.append(pair(module, http, options.seconds, module_first=turn % 2 == 1))
                print(f"HTTP/{http}, pair {turn + 1}: {pairs[-1].ratio:.3f}", file=sys.stderr)
            ratio = of_median([one.ratio for one in pairs])
            without = of_median([one.without_s for one in pairs]).median
            measured = sum(one.samples for one in pairs)
            wanted = options.pairs * options.seconds * MOST_SAMPLES_A_SECOND
            missed |= ratio.median > MOST or measured < wanted / 2
            print(
                f"HTTP/{http}: CPU seconds a request with the module over without: {ratio}, "
                f"to be ≤ {MOST}; "
                f"without: {without * 1e6:.1f} µs; {options.pairs} pairs, {measured} responses measured, "
                f"load {os.getloadavg()[0]:.1f}"
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
