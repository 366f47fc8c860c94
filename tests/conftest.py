"""What every Python test may rely on: tests that need a host's capability say so, and are accounted for.

`@pytest.mark.needs("namespaces")` marks such a test. Where the host lacks it, the test is not run: the
closing summary counts it and names the mend; with CI=true it fails instead, for CI must have it.

What each test took is left in the file PRONGHORN_DURATIONS, where that is set (`scripts/check`).

An end-to-end test that fails while the host's CPU is taken from it is run again (`disturbed.py`).

What a test asks of engines and what they answer is held against the engine's protocol (`overheard.py`).

Programs that the tests start heed Ctrl-C, also where the tests run in a background that ignores it.
"""

import os
import shutil
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from pronghorn import doctor
from pronghorn.clients.chromium import Chromium
from pronghorn.errors import HostError
from pronghorn.guest import kernels
from pronghorn.origins import programs

from . import disturbed, overheard, peers

pytest_plugins = ["pytester"]

# What a process ignores, all that it starts ignores as well (POSIX, execve).
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _server(name: str, version: str | None = None) -> str | None:
    try:
        programs.find(name, version)
    except HostError as error:
        return error.hint
    return None


def _lacks_chromium() -> str | None:
    try:
        Chromium().require()
    except HostError as error:
        return error.hint or error.message
    return None


def _lacks_autoquic() -> str | None:
    return _lacks_peer(peers.autoquic)


def _lacks_curl_with_http3() -> str | None:
    return _lacks_peer(lambda: peers.find("curl"))


def _lacks_guest() -> str | None:
    return None if kernels.built() else kernels.MEND


def _can_compile_with_openssl() -> bool:
    return bool(shutil.which("cc")) and Path("/usr/include/openssl/ssl.h").exists()


def _lacks_peer(find: Callable[[], Path]) -> str | None:
    try:
        find()
    except peers.Missing as missing:
        return str(missing)
    return None


CAPABILITIES: dict[str, Callable[[], str | None]] = {
    "autoquic": _lacks_autoquic,
    "caddy": lambda: _server("caddy"),
    "chromium": _lacks_chromium,
    "curl": lambda: None if shutil.which("curl") else "apt-get install curl",
    "curl-http3": _lacks_curl_with_http3,
    "engine": doctor.lacks_engine,
    "guest": _lacks_guest,
    "h2load": lambda: None if shutil.which("h2load") else "as root: apt-get install nghttp2-client",
    "haproxy": lambda: _server("haproxy"),
    "iperf3": lambda: None if shutil.which("iperf3") else "apt-get install iperf3",
    "libssl-dev": lambda: None if _can_compile_with_openssl() else "as root: apt-get install gcc libssl-dev",
    "namespaces": doctor.lacks_namespaces,
    "nft": lambda: None if shutil.which("nft") else "as root: apt-get install nftables",
    "nginx": lambda: _server("nginx"),
    "pasta": lambda: None if shutil.which("pasta") else "as root: apt-get install passt",
    **{
        f"{name}@{version}": partial(_server, name, version)
        for name, wanted in programs.WANTED.items()
        for version in wanted.known
    },
    "tshark": lambda: None if shutil.which("tshark") else "as root: apt-get install tshark",
    "root": lambda: None if os.geteuid() == 0 else "run the tests as root",
}
"""Each capability, with a probe that returns None where the host has it, else the mend."""

_LACKS = "lacks"
"""The property of a test's report that tells for want of which capability it was not run, and the mend."""


@cache
def mend(capability: str) -> str | None:
    """What would give this host the capability; None where it has it."""
    return CAPABILITIES[capability]()


def pytest_configure(config: pytest.Config) -> None:
    """Has disturbed tests run again."""
    here = Path(__file__).parent
    config.pluginmanager.register(disturbed.Disturbed(here / "e2e", here / "verify"), "disturbed")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves tests/verify out unless it is named: its tests are long."""
    if collection_path != Path(__file__).parent / "verify":
        return None
    named = [
        Path(config.invocation_params.dir, argument.split("::")[0]).resolve() for argument in config.args
    ]
    return None if any(path.is_relative_to(collection_path) for path in named) else True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for capability in marker.args:
            if capability not in CAPABILITIES:
                pytest.fail(
                    f"needs {capability!r}, which is none of {', '.join(CAPABILITIES)}", pytrace=False
                )
            remedy = mend(capability)
            if remedy is None:
                continue
            if os.environ.get("CI") == "true":
                pytest.fail(
                    f"this host lacks {capability}, which CI must have; mend: {remedy}", pytrace=False
                )
            item.user_properties.append((_LACKS, f"{capability}; mend: {remedy}"))
            pytest.skip(f"this host lacks {capability}; mend: {remedy}")


@pytest.fixture(autouse=True)
def _engines_protocol(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Holds what a test's own process and engines say to each other against the protocol's schema."""
    heard = overheard.listen(monkeypatch)
    yield
    assert list(overheard.new_faults(heard)) == []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    file = os.environ.get("PRONGHORN_DURATIONS")
    if file and not hasattr(terminalreporter.config, "workerinput"):  # pytest-xdist's workers report as well
        _leave_durations(Path(file), terminalreporter)
    not_run = Counter(
        value
        for report in terminalreporter.stats.get("skipped", [])
        for name, value in report.user_properties
        if name == _LACKS
    )
    for lack, tests in not_run.items():
        terminalreporter.write_line(f"NOT RUN: {tests} test(s), for this host lacks {lack}", yellow=True)


def _leave_durations(file: Path, terminalreporter: pytest.TerminalReporter) -> None:
    """Adds a line a test: its seconds, with those of setting up and tearing down, and its name."""
    took: dict[str, float] = defaultdict(float)
    stats: dict[str, list[Any]] = terminalreporter.stats
    for report in (report for reports in stats.values() for report in reports):
        if isinstance(report, pytest.TestReport):
            took[report.nodeid] += report.duration
    with file.open("a", encoding="utf-8") as lines:
        lines.writelines(f"{seconds:.3f} {ascii(test)[1:-1]}\n" for test, seconds in took.items())
