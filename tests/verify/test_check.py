"""`pronghorn check` finds each planted fault, and only that."""

import asyncio
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import HOST_NAME
from pronghorn.check import Report, Settings, Target, examine
from pronghorn.check.probes.budget import MOST_REQUESTS
from pronghorn.errors import NothingMeasured

from ..e2e.checked_hosts import (
    ADVERTISED,
    ALIAS,
    FORWARDS,
    PAGE,
    Host,
    checked,
    codes,
    nginx,
    running,
    silent_host,
    write,
)
from ..e2e.faulty_quic import Faults
from ..e2e.sound_hosts import NAMES, sound

PROGRAM = shlex.join([sys.executable, "-m", "pronghorn"])
OTHER_PORT = "add_header Alt-Svc 'h3=\":1\"; ma=86400' always;"
PER_PROTOCOL = 'map $server_protocol $offered { default "h3=\\":PORT\\"; ma=86400"; %s }'
OFFERED = "add_header Alt-Svc $offered always;"

WITHOUT_H2 = """
    server {
        listen 127.0.0.2:PORT ssl; listen 127.0.0.2:PORT quic reuseport; root ROOT; ADVERTISED
        ssl_certificate CHAIN; ssl_certificate_key KEY;
    }
"""

FAULTS: dict[str, Host] = {
    "certificate-expired": Host(certificate="expired"),
    "certificate-expires-soon": Host(certificate="soon"),
    "certificate-not-yet-valid": Host(certificate="early"),
    "certificate-name": Host(certificate="name"),
    "chain-incomplete": Host(certificate="incomplete"),
    "chain-untrusted": Host(certificate="untrusted"),
    "chain-too-long": Host(certificate="long"),
    "tcp-dead": Host(addresses=("127.0.0.2",), listen="listen 127.0.0.2:PORT quic reuseport;"),
    "tls-fails": Host(server="ssl_reject_handshake on;"),
    "tls-1.3-missing": Host(server="ssl_protocols TLSv1.2;", faults=Faults()),
    "tls-outdated": Host(server="ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3; ssl_ciphers ALL:@SECLEVEL=0;"),
    "h2-missing": Host(h2=False),
    "resumption-missing-tcp": Host(server="ssl_session_tickets off; ssl_session_cache off;", faults=Faults()),
    "h3-not-advertised": Host(advertised=""),
    "h3-not-offered": Host(quic=False, advertised=""),
    "alt-svc-port": Host(advertised=OTHER_PORT),
    "alt-svc-host": Host(advertised=ADVERTISED.replace(":PORT", "gone.pronghorn.test:PORT")),
    "udp-dead": Host(silent_udp=True),
    "alt-svc-short-lived": Host(advertised=ADVERTISED.replace("86400", "10")),
    "alt-svc-clear": Host(http=PER_PROTOCOL % "HTTP/3.0 clear;", advertised=OFFERED),
    "alt-svc-not-everywhere": Host(http=PER_PROTOCOL % 'HTTP/1.1 "";', advertised=OFFERED),
    "alt-svc-malformed": Host(advertised="add_header Alt-Svc 'h3=:PORT; ma=86400' always;"),
    "alt-svc-draft": Host(advertised=ADVERTISED.replace("h3=", "h3-29=")),
    "https-record-h3-dead": Host(record=f'1 {HOST_NAME}. alpn="h3,h2" port=1'),
    "https-record-without-h3": Host(record=f'1 {HOST_NAME}. alpn="h2"'),
    "https-record-hints": Host(record=f'1 {HOST_NAME}. alpn="h3,h2" port=PORT ipv4hint=127.0.0.9'),
    "h3-missing": Host(faults=Faults(alpn=("hq-interop",))),
    "quic-version": Host(faults=Faults(versions=(0x6B3343CF,))),
    "h3-handshake-fails": Host(faults=Faults(refuses=True)),
    "version-negotiation-missing": Host(faults=Faults(negotiates=False)),
    "retry-always": Host(server="quic_retry on;"),
    "datagrams-lost": Host(faults=Faults(most_datagram_bytes=1350)),
    "resumption-missing-quic": Host(faults=Faults(tickets=False)),
    "h3-few-streams": Host(server="http3_max_concurrent_streams 10;"),
    "h2-few-streams": Host(server="http2_max_concurrent_streams 10;"),
    "small-headers": Host(faults=Faults(settings={6: 2048})),
    "idle-short": Host(faults=Faults(idle_timeout_s=4.0)),
    "early-data-unsafe": Host(early="if ($request_method = POST) { return 200 done; }"),
    "early-data-unmarked": Host(forwards=FORWARDS.replace("Early-Data $ssl_early_data", 'Early-Data ""')),
    "body-differs": Host(faults=Faults(), quic_page="<title>An old page</title>"),
    "header-differs": Host(
        http='map $http3 $policy { default ""; "" "max-age=63072000"; }',
        server="add_header Strict-Transport-Security $policy always;",
    ),
    "status-differs": Host(location="if ($http3) { return 404; }"),
    "forwarded-missing": Host(
        forwards="proxy_set_header Host $host; proxy_set_header Early-Data $ssl_early_data;"
        ' proxy_set_header X-Forwarded-For ""; proxy_set_header X-Real-IP ""; proxy_set_header Forwarded "";'
    ),
    "forwarded-differs": Host(
        http='map $http3 $scheme_told { default ""; "" $scheme; }',
        forwards=FORWARDS.replace("Proto $scheme", "Proto $scheme_told"),
    ),
    "forwarded-scheme": Host(forwards=FORWARDS.replace("Proto $scheme", "Proto http")),
    "forwarded-host": Host(forwards=FORWARDS.replace("Host $host;", "Host backend:8080;")),
    "forwarded-forged": Host(
        forwards=FORWARDS.replace("X-Real-IP $remote_addr", "X-Real-IP $http_x_real_ip")
    ),
    "address-dead": Host(addresses=("127.0.0.1", "127.0.0.2")),
    "addresses-differ": Host(addresses=("127.0.0.1", "127.0.0.2"), http=WITHOUT_H2),
    "address-without-h3": Host(
        addresses=("127.0.0.1", "127.0.0.2"),
        listen="listen 127.0.0.2:PORT ssl;",
    ),
}
"""Each fault, by the code of the finding that names it."""

ANOTHER_PORT = """
    server { listen 127.0.0.1:OTHER quic reuseport; ssl_certificate CHAIN; ssl_certificate_key KEY; root
    ROOT; } """
SOUND: dict[str, Host] = {
    "a page that changes with every request": Host(location='return 200 "$request_id";'),
    "a policy with a nonce": Host(server='add_header Content-Security-Policy "nonce-$request_id";'),
    "a redirect": Host(server="rewrite ^/$ /index.html permanent;"),
    "a redirect in a circle": Host(server="rewrite ^/$ /one permanent; rewrite ^/one$ / permanent;"),
    "a redirect without encryption": Host(server="rewrite ^/$ http://$host/ permanent;"),
    "a missing page": Host(location="return 404;"),
    "a page of 5 MB": Host(page=PAGE * 7000),
    "no 0-RTT": Host(early_data="off"),
    "two addresses": Host(
        addresses=("127.0.0.1", "127.0.0.2"),
        listen="listen 127.0.0.2:PORT ssl; listen 127.0.0.2:PORT quic reuseport;",
    ),
    "h3 on another port": Host(
        http=ANOTHER_PORT, advertised=ADVERTISED.replace("PORT", "OTHER"), silent_udp=True
    ),
    "a record with hints": Host(record=f'1 {HOST_NAME}. alpn="h3,h2" port=PORT ipv4hint=127.0.0.1'),
    "an old certificate beside the chain": Host(certificate="extra"),
    "a client's certificate is demanded": Host(server="ssl_verify_client on; ssl_client_certificate CHAIN;"),
    "clear over all protocols": Host(advertised="add_header Alt-Svc clear always;"),
    "an alias to a record": Host(record=f"0 {ALIAS}.", alias='1 . alpn="h3,h2" port=PORT', advertised=""),
    "a record alone": Host(record=f'1 {HOST_NAME}. alpn="h3,h2" port=PORT', advertised=""),
}
"""What may look like a fault, and is none."""


@pytest.mark.needs("nginx")
@pytest.mark.parametrize("code", FAULTS)
def test_it_finds_the_fault_and_nothing_else(code: str, tmp_path: Path) -> None:
    report = asyncio.run(checked(FAULTS[code], tmp_path, code))
    assert codes(report) == {code}, report


@pytest.mark.needs("nginx", "caddy", "haproxy")
@pytest.mark.parametrize("name", NAMES)
def test_it_finds_nothing_on_a_sound_host(name: str, tmp_path: Path) -> None:
    async def scenario() -> Report:
        async with sound(name, tmp_path) as one:
            return await examine(one.target, one.settings)

    report = asyncio.run(scenario())
    assert report.findings == (), report


@pytest.mark.needs("nginx", "caddy", "haproxy")
@pytest.mark.parametrize("name", ("nginx", "caddy", "haproxy"))
def test_it_finds_nothing_bad_with_default_settings(name: str, tmp_path: Path) -> None:
    async def scenario() -> Report:
        async with sound(name, tmp_path, careful=False) as one:
            return await examine(one.target, one.settings)

    report = asyncio.run(scenario())
    assert {each.severity for each in report.findings} <= {"notice"}, report


@pytest.mark.needs("nginx")
@pytest.mark.parametrize("what", SOUND)
def test_it_finds_nothing_where_nothing_is_wrong(what: str, tmp_path: Path) -> None:
    report = asyncio.run(checked(SOUND[what], tmp_path))
    assert report.findings == (), report


@pytest.mark.needs("nginx", "namespaces")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("delay=40ms", []),
        ("delay=20ms loss=3%", []),
        ("mtu=1400B", ["datagrams-lost"]),
        ("wireguard", []),  # its ICMP messages tell senders
        ("udp=block", ["udp-dead"]),
    ],
)
def test_it_finds_what_a_network_does(path: str, expected: list[str], tmp_path: Path) -> None:
    found = behind(path, Host(bound="0.0.0.0"), tmp_path, expected)
    assert [each["code"] for each in found["findings"]] == expected, found


def behind(path: str, host: Host, folder: Path, expected: list[str]) -> dict[str, Any]:
    """The JSON of a check across an emulated path; again if it finds anything else than expected."""
    identity = write(host, folder, 443)
    url, authority = f"https://{HOST_NAME}/", identity.authority
    check = f"{PROGRAM} check {url} --address $PRONGHORN_SERVER --ca {authority} --json"
    for _ in range(3):
        argv = ["path", *path.split(), "--seed", "5", "--quiet", "--server", shlex.join(nginx(folder))]
        done = subprocess.run(
            [*shlex.split(PROGRAM), *argv, "--", "sh", "-c", check],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        if [each["code"] for each in found["findings"]] == expected:
            break
    return found


@pytest.mark.needs("nginx")
def test_lost_packets_are_no_finding(tmp_path: Path) -> None:
    report = asyncio.run(checked(Host(faults=Faults(first_packets_lost=2)), tmp_path))
    assert report.findings == (), report


@pytest.mark.needs("nginx")
def test_it_sends_at_most_a_few_dozen_requests(tmp_path: Path) -> None:
    """As the server counts them: four addresses, redirects, an echo, and protocols that differ."""
    addresses = tuple(f"127.0.0.{number}" for number in range(1, 5))
    more = " ".join(f"listen {each}:PORT ssl; listen {each}:PORT quic reuseport;" for each in addresses[1:])
    differing = "add_header X-Frame-Options $server_protocol always;"
    host = Host(
        addresses=addresses,
        listen=more,
        server=f"access_log {tmp_path}/requests.log; rewrite ^/$ /one redirect; rewrite ^/one$ /index.html "
        f"redirect; {differing}",
    )

    async def scenario() -> Report:
        async with running(host, tmp_path) as one:
            return await examine(one.target, one.settings)

    report = asyncio.run(scenario())
    logged = (tmp_path / "requests.log").read_text(encoding="utf-8").splitlines()
    assert report.facts.requests / 2 < len(logged) <= report.facts.requests <= MOST_REQUESTS, report


def test_a_host_that_answers_nothing_takes_at_most_ten_seconds() -> None:
    async def scenario() -> float:
        loop = asyncio.get_running_loop()
        with silent_host() as (port, resolver):
            settings = Settings(addresses=("127.0.0.1",), resolver=("127.0.0.1", resolver))
            began = loop.time()
            with pytest.raises(NothingMeasured, match="TCP silent, UDP silent"):
                await examine(Target(HOST_NAME, port, "/"), settings)
            return loop.time() - began

    assert asyncio.run(scenario()) < 10
