"""The programs of others: servers, browsers, and what reads captures."""

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Iterator

from pronghorn.clients.chromium import program
from pronghorn.doctor.engine import lacks_engine
from pronghorn.doctor.finding import Finding
from pronghorn.environment import passed_on
from pronghorn.errors import HostError
from pronghorn.guest import kernels
from pronghorn.guest import program as guests
from pronghorn.origins import programs as servers

_SINCE_RFC_9114 = 103
"""Chromium's release of June 2022, the month in which HTTP/3 became RFC 9114; older ones may speak drafts."""

_PATIENCE_S = 20.0


def findings() -> Iterator[Finding]:
    """All of them; none is missing for the default experiment, which has its own origin and client."""
    for name in sorted(servers.WANTED):
        yield _server(name)
    yield _chromium()
    yield _playwright()
    yield _tshark()
    yield _guest()


def _server(name: str) -> Finding:
    subject = f"origin {name}"
    try:
        found = servers.find(name)
    except HostError as error:
        return Finding(subject, "note", error.message, error.hint)
    word = servers.WANTED[name].word
    return Finding(subject, "ok", f"{found.version} with HTTP/3 ({word}), {found.where}")


def _chromium() -> Finding:
    subject = "client chromium"
    try:
        where = program.locate()
        said = program.version(where)
    except HostError as error:
        return Finding(subject, "note", error.message, error.hint)
    number = next((word for word in said.split() if word[0].isdigit()), "")
    major = number.partition(".")[0]
    if not major.isdigit() or int(major) < _SINCE_RFC_9114:
        detail = f"{said}, {where}; its HTTP/3 may be a draft, as before {_SINCE_RFC_9114}"
        return Finding(subject, "note", detail, program.MEND)
    return Finding(subject, "ok", f"{said} with HTTP/3, {where}")


def _playwright() -> Finding:
    subject = "Playwright"
    try:
        version = importlib.metadata.version("playwright")
    except importlib.metadata.PackageNotFoundError:
        mend = f"{sys.executable} -m pip install playwright"
        return Finding(subject, "note", "not installed; the client chromium needs it", mend)
    return Finding(subject, "ok", version)


def _guest() -> Finding:
    subject = "virtual time"
    try:
        kernels.require_machine()
    except HostError as error:
        return Finding(subject, "note", error.message, error.hint)
    built = kernels.built()
    if not built:
        mend = f"{kernels.MEND} (once, a few minutes)"
        return Finding(subject, "note", "no kernel for guests is built", mend)
    if mend := lacks_engine():
        # It is a guest's first process.
        return Finding(subject, "note", "not tried, because the engine doesn't answer", mend)
    broken = [f"Linux {kernel.release} ({why})" for kernel in built if (why := guests.why_not(kernel))]
    if broken:
        return Finding(subject, "note", f"these kernels don't start: {'; '.join(broken)}", kernels.NEWER)
    seedless = [kernel.version for kernel in built if kernel.random is None]
    told = "guests with " + ", ".join(f"Linux {kernel.release}" for kernel in built)
    if seedless:
        told += f"; {', '.join(seedless)} without random numbers from the seed, because gcc was missing"
    return Finding(subject, "ok", told)


def _tshark() -> Finding:
    subject = "tshark"
    found = shutil.which("tshark")
    if found is None:
        detail = "not installed; captures don't need it, but reading one takes it or Wireshark"
        return Finding(subject, "note", detail, "as root: apt-get install tshark")
    try:
        done = subprocess.run(
            [found, "--version"], env=passed_on(), capture_output=True, text=True, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(subject, "note", f"{found} can't be run: {error}", "reinstall it")
    return Finding(subject, "ok", f"{done.stdout.partition(chr(10))[0].rstrip('.')}, {found}")
