"""A report, for people or for programs."""

import dataclasses
import datetime
import json
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from pronghorn.check import Report
from pronghorn.check.facts import Answer, Chain, Facts
from pronghorn.check.finding import SEVERITIES
from pronghorn.check.secrets import shown, without_secrets
from pronghorn.foreign import line
from pronghorn.terminal import Terminal

FORMAT = 1
"""The version of the JSON document."""

_COLOURS = {"error": "red", "warning": "yellow", "notice": "cyan"}
_INDENT = " " * 9


def as_json(report: Report) -> str:
    """One object: `findings`, `unknown`, and what was seen (`facts`). Bodies, queries and values of headers
    that may hold secrets are left out."""
    facts = dataclasses.asdict(report.facts, dict_factory=_plain)
    document = {
        "format": FORMAT,
        "url": report.facts.target.shown,
        "counts": {each: _count(report, each) for each in SEVERITIES},
        "findings": [dataclasses.asdict(each) for each in report.findings],
        "unknown": [dataclasses.asdict(each) for each in report.unknown],
        "facts": {
            name: value for name, value in facts.items() if name not in ("target", "unknown", "main", "hops")
        }
        | {"main": report.facts.main.address},
    }
    return json.dumps(document, indent=2, default=_told)


def print_lines(report: Report, out: Terminal) -> None:
    """The findings, the worst first; then what was seen; then what stays unknown."""
    for text in _lines(report):
        out.print(text, soft_wrap=True)


def _lines(report: Report) -> Iterator[Text]:
    facts = report.facts
    for each in facts.redirects:
        yield Text(f"{each} redirects")
    counts = [
        f"{_count(report, each)} {each}{'s' if _count(report, each) != 1 else ''}" for each in SEVERITIES
    ]
    yield Text(f"{facts.target.shown} at {facts.main.address}: {', '.join(counts)}")
    for finding in report.findings:
        yield Text("")
        yield Text(f"{finding.severity:9}", _COLOURS[finding.severity]) + Text(finding.seen, "")
        yield Text(f"{_INDENT}Effect: {finding.effect}")
        yield Text(f"{_INDENT}Fix: {finding.fix}")
        yield Text(f"{_INDENT}({finding.code})", "dim")
    yield Text("")
    yield from (Text(f"{'seen':9}{each}") for each in _seen(facts))
    yield from (Text(f"{'unknown':9}{each.point}: {each.why}") for each in report.unknown)


def _seen(facts: Facts) -> Iterator[str]:
    tcp, quic = facts.main.tcp, facts.main.quic
    if tcp.offered_h2 is not None:
        resumed = {True: ", resumes", False: ""}[any(tcp.resumption)]
        told = f"{tcp.offered_h2.version.replace('v', ' ')}, ALPN {tcp.offered_h2.alpn or 'none'}{resumed}"
        yield f"TCP: {told}{_chain(tcp.offered_h2.chain)}"
    else:
        yield f"TCP: {tcp.reached}"
    for protocol, answer in (
        ("h1", tcp.h1),
        ("h2", next(iter(tcp.h2), None)),
        ("h3", next(iter(quic.answers), None)),
    ):
        if answer is not None:
            yield f"{protocol}: {_answer(answer)}"
    if quic.reached == "ok":
        yield f"QUIC: {', '.join(_quic(facts))}"
    else:
        yield f"QUIC: {quic.reached}{f' ({quic.detail})' if quic.detail else ''}"
    if facts.names.records == () and not facts.target.is_address:
        yield f"HTTPS record of {facts.names.owner}: none"
    for record in facts.names.records or ():
        alpn = ",".join(map(line, record.alpn)) or "none"
        yield f"HTTPS record of {facts.names.owner}: {record.priority} {line(record.target)} alpn {alpn}"
    others = [each.address for each in facts.addresses if each.address != facts.main.address]
    if others:
        yield f"also asked: {', '.join(others)}"
    yield f"{facts.requests} requests"


def _quic(facts: Facts) -> Iterator[str]:
    quic = facts.main.quic
    if quic.versions:
        yield "versions " + " ".join(f"{each:#x}" for each in quic.versions)
    yield "0-RTT allowed" if quic.early_data else "no 0-RTT"
    if any(quic.resumption):
        yield "resumes"
    parameters = quic.parameters or {}
    yield f"{parameters.get('initial_max_streams_bidi', 0)} streams at first"
    if idle := parameters.get("max_idle_timeout"):
        yield f"idle time-out {idle / 1000:g} s"
    if table := (quic.settings or {}).get(1):
        yield f"QPACK table {table} bytes"
    if quic.handshake_bytes is not None:
        yield f"{quic.handshake_bytes} bytes of TLS"
    if survived := [str(each.payload_bytes) for each in facts.datagrams if each.survived]:
        yield f"datagrams of {', '.join(survived)} bytes pass"


def _answer(answer: Answer) -> str:
    offered = ", ".join(answer.all("alt-svc"))
    return f"status {answer.status}, {answer.size_bytes} bytes, Alt-Svc {line(offered, 80) or 'none'}"


def _chain(chain: Chain | None) -> str:
    if chain is None:
        return ""
    count = len(chain.certificates)
    expires = chain.certificates[0].not_after
    what = f"{count} certificate{'s' if count > 1 else ''}, {chain.size_bytes} bytes"
    return f", {what}, until {expires:%Y-%m-%d}"


def _count(report: Report, severity: str) -> int:
    return sum(each.severity == severity for each in report.findings)


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    told = {name: value for name, value in items if name != "body"}
    if "headers" in told:
        told["headers"] = [[name, shown(name, value)] for name, value in told["headers"]]
    if "path" in told:
        told["path"] = without_secrets(told["path"])
    return told


def _told(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime.datetime) else str(value)
