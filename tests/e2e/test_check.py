"""`pronghorn check` at servers on loopback, as a person runs it. Every fault is planted in tests/verify."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pronghorn.certificates import HOST_NAME

from .checked_hosts import ADVERTISED, FORWARDS, Host, Running, running
from .faulty_quic import Faults
from .ports import free_port

pytestmark = pytest.mark.beside

TRIES = 3


class Done(NamedTuple):
    """What the program did."""

    status: int
    stdout: str
    stderr: str

    @property
    def codes(self) -> list[str]:
        """The kinds of the findings, of a JSON document or of a text."""
        if self.stdout.startswith("{"):
            return [each["code"] for each in json.loads(self.stdout)["findings"]]
        return re.findall(r"^ {9}\(([a-z0-9.-]+)\)$", self.stdout, re.MULTILINE)


async def program(one: Running, *more: str, echo: bool = True) -> Done:
    """`pronghorn check` of a host."""
    assert one.settings.resolver is not None
    address, port = one.settings.resolver
    argv = [f"https://{one.target.authority}/", "--ca", str(one.settings.authorities)]
    argv += ["--resolver", f"{address}:{port}", *(["--echo", "/echo"] if echo else []), *more]
    return await done(*argv)


async def done(*argv: str) -> Done:
    """The command, done."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pronghorn", "check", *argv),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    stdout, stderr = await process.communicate()
    assert process.returncode is not None
    return Done(process.returncode, stdout.decode(), stderr.decode())


def checked(
    host: Host, folder: Path, *more: str, echo: bool = True, expected: frozenset[str] = frozenset()
) -> Done:
    """A host, started and checked; again if anything else than expected is found, since a busy machine may
    answer too late, or not at all."""

    async def scenario() -> Done:
        async with running(host, folder) as one:
            for _ in range(TRIES - 1):
                result = await program(one, *more, echo=echo)
                if expected == set(result.codes) and result.status != 4:
                    return result
            return await program(one, *more, echo=echo)

    return asyncio.run(scenario())


@pytest.mark.needs("nginx")
def test_a_sound_host_passes(tmp_path: Path) -> None:
    host = Host(record=f'1 {HOST_NAME}. alpn="h3,h2" port=PORT')
    result = checked(host, tmp_path, "--fail-on", "notice")
    assert result.status == 0, result
    assert "0 errors, 0 warnings, 0 notices" in result.stdout
    assert "datagrams of 1280, 1400, 1452 bytes pass" in result.stdout


@pytest.mark.needs("nginx")
def test_faults_of_a_server_are_found_together(tmp_path: Path) -> None:
    host = Host(
        certificate="incomplete",
        h2=False,
        advertised=ADVERTISED.replace("PORT", "1"),
        forwards=FORWARDS.replace("Proto $scheme", "Proto http"),
        early="if ($request_method = POST) { return 200 done; }",
        server="quic_retry on; http3_max_concurrent_streams 10;",
    )
    expected = frozenset(
        (
            "chain-incomplete",
            "alt-svc-port",
            "h2-missing",
            "forwarded-scheme",
            "retry-always",
            "h3-few-streams",
        )
    )
    result = checked(host, tmp_path, "--json", expected=expected)
    assert result.status == 1, result
    assert set(result.codes) == expected
    unknown = {each["point"] for each in json.loads(result.stdout)["unknown"]}
    assert "0-RTT" in unknown  # Retry takes a round trip before it


@pytest.mark.needs("nginx")
@pytest.mark.parametrize(
    ("faults", "codes"),
    [
        (Faults(first_packets_lost=1), []),
        (
            Faults(negotiates=False, streams=5, idle_timeout_s=3, settings={6: 2048}, tickets=False),
            {
                "h3-few-streams",
                "small-headers",
                "idle-short",
                "version-negotiation-missing",
                "resumption-missing-quic",
            },
        ),
    ],
    ids=["a lost packet", "limits"],
)
def test_what_no_real_server_does_is_found_as_well(faults: Faults, codes: Any, tmp_path: Path) -> None:
    expected = frozenset(codes)
    result = checked(Host(faults=faults), tmp_path, "--json", echo=False, expected=expected)
    assert set(result.codes) == expected, result
    assert result.status == bool(codes)


@pytest.mark.needs("nginx")
def test_an_early_post_is_answered_before_the_handshake_is_over(tmp_path: Path) -> None:
    host = Host(early="if ($request_method = POST) { return 200 done; }")
    result = checked(host, tmp_path, "--json", expected=frozenset(["early-data-unsafe"]))
    assert result.codes == ["early-data-unsafe"]


def test_a_host_that_refuses_is_not_measured() -> None:
    result = asyncio.run(done(f"https://127.0.0.1:{free_port()}/"))
    assert result.status == 4
    assert "TCP refused, UDP refused" in result.stderr
    assert result.stdout == ""
