"""A million distinct prefixes through a zone of 32 MB of a real nginx: who wasn't seen for longest makes
room, and no request waits for that.

Clients are real TCP connections with TLS from addresses of their own: 2001:db8::/32, all of which is this
machine's in a namespace. TLS 1.2 with resumed sessions spares both ends the costly half of a handshake. Some
minutes."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pronghorn import certificates

from ..e2e.gateway import gateway, policy

pytestmark = pytest.mark.needs("namespaces", "nginx", "autoquic", "root", "libssl-dev")

CLIENTS = Path(__file__).parent / "many_prefixes.c"

PREFIXES = 1_000_000
KNOWN = 20_000
"""Prefixes that are asked again and again, so that nothing has to make room."""

MOST_TIMES_SLOWER = 3.0
"""By how much the slowest requests, in medians, may exceed what they are without eviction; a stall exceeds it
by orders of magnitude."""


def test_a_million_prefixes_pass_through_a_zone_of_32_mb_without_a_stall(tmp_path: Path) -> None:
    identity = certificates.make(tmp_path)
    with gateway(tmp_path / "gateway", identity, policy_text=policy(0.7), address="[::]", start=False) as one:
        one.write(one.text.replace("clients:8m", "clients:32m").replace("access.log lab;", "off;"))
        clients = tmp_path / "many_prefixes"
        build = ("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", clients, CLIENTS, "-lssl", "-lcrypto")
        subprocess.run([*map(str, build)], check=True)
        argv = ["unshare", "--net", sys.executable, "-m", "tests.verify.many_prefixes"]
        environment = {**os.environ, "PRONGHORN_NGINX_ARGV": json.dumps(one.argv())}
        told = subprocess.run(
            [*argv, *map(str, (clients, one.folder, one.port, PREFIXES, KNOWN))],
            cwd=Path(__file__).parents[2],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert told.returncode == 0, told.stderr[-2000:]
    found = json.loads(told.stdout)
    print(json.dumps(found))

    status = found["status"]
    assert status["capacity"] >= 100_000
    assert status["keys"] + status["parents"] <= status["capacity"]
    assert status["keys"] + status["parents"] >= 0.99 * status["capacity"]
    assert status["evicted"] >= PREFIXES - status["capacity"]
    assert (status["mended"], status["emptied"], status["refused"]) == (0, 0, 0)
    assert found["failed"] == 0
    for share in ("p99", "p999", "slowest"):
        evicting, calm = (times_the_median(found[phase], share) for phase in ("evicting", "calm"))
        assert evicting <= MOST_TIMES_SLOWER * calm, (share, found)


def times_the_median(phase: dict[str, Any], share: str) -> float:
    """A share of the requests' times, of which the slowest is the median of ten parts' slowest."""
    value = statistics.median(phase["slowest"]) if share == "slowest" else phase[share]
    return float(value) / float(phase["median"])
