"""What was found, for people and for programs."""

import json
from typing import Any

from pronghorn.analysis.numbers import count, seconds
from pronghorn.traps.compared import median_s, rate, round_trip_s
from pronghorn.traps.facts import Facts, Protocol
from pronghorn.traps.finding import Finding
from pronghorn.traps.judged import Judged, advice
from pronghorn.traps.parts import PARTS, medians

_BOTH: tuple[Protocol, ...] = ("h2", "h3")


def as_text(facts: Facts, judged: Judged) -> str:
    """Lines for a terminal: where the time went, what fits, what isn't known, what to change first."""
    lines = [*_times(facts), ""]
    for one in judged.findings:
        lines += _finding(one)
    for one in judged.beside:
        lines += [f"{one.trap.name}: {one.trap.what}", f"  seen: {one.seen}", ""]
    for unknown in judged.unknown:
        lines.append(f"unknown: {unknown.trap.name}: {unknown.why}.")
    lines += [f"unknown: {one}" for one in facts.lacks]
    if facts.spoilt:
        lines.append(f"{count(facts.spoilt, 'visit')} spoilt by a busy machine: made again.")
    if judged.unknown or facts.lacks or facts.spoilt:
        lines.append("")
    return "\n".join([*lines, advice(judged)])


def as_json(facts: Facts, judged: Judged) -> str:
    """The same as one JSON object; times are seconds, null where they are not known."""
    told: dict[str, Any] = {
        "source": facts.source,
        "visits": {one: _protocol(facts, one) for one in _BOTH},
        "findings": [_as_table(one) for one in judged.findings],
        "beside": [_as_table(one) for one in judged.beside],
        "unknown": [{"trap": one.trap.name, "why": one.why} for one in judged.unknown],
        "judged": judged.judged,
        "not_judged": [{"trap": one.trap.name, "why": one.why} for one in judged.unjudged],
        "lacks": list(facts.lacks),
        "spoilt_visits": facts.spoilt,
        "advice": advice(judged),
    }
    return json.dumps(told, indent=2)


def _times(facts: Facts) -> list[str]:
    rows = [["", "load", *PARTS, "round trip", "visits"]]
    for protocol in _BOTH:
        visits = facts.tried(protocol)
        if visits:
            parts = medians(visits)
            cells = [seconds(parts.get(part)) for part in PARTS]
            ok = f"{len(facts.of(protocol))} of {len(visits)}"
            trip = seconds(round_trip_s(facts, protocol))
            rows.append([protocol, seconds(median_s(facts, protocol)), *cells, trip, ok])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return [facts.source, *table] if len(rows) > 1 else [facts.source]


def _finding(one: Finding) -> list[str]:
    gain = f"  may save: up to {seconds(one.gain_s)} of a load" if one.gain_s else ""
    mends: list[str] = []
    for mend in one.trap.mends:
        mends.append(f"  change: {mend.where}: {mend.setting}")
        mends += [f"    note: {mend.note}"] if mend.note else []
    said = [f"{one.trap.name}: {one.trap.what}", f"  seen: {one.seen}", gain, *mends]
    return [*filter(None, said), f"  could also be: {one.trap.otherwise}", ""]


def _protocol(facts: Facts, protocol: Protocol) -> dict[str, Any]:
    visits = facts.tried(protocol)
    return {
        "tried": len(visits),
        "used": len(facts.of(protocol)),
        "load_s": median_s(facts, protocol),
        "round_trip_s": round_trip_s(facts, protocol),
        "byte_per_s": rate(facts, protocol),
        "parts_s": medians(visits),
    }


def _as_table(one: Finding) -> dict[str, Any]:
    return {
        "trap": one.trap.name,
        "what": one.trap.what,
        "seen": one.seen,
        "gain_s": one.gain_s,
        "could_also_be": one.trap.otherwise,
        "changes": [mend._asdict() for mend in one.trap.mends],
    }
