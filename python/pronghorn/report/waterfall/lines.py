"""A waterfall in words: a line a request, beside its bar."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.model.trial import Resource
from pronghorn.report.units import Unit
from pronghorn.report.waterfall.phases import Request

NONE = "–"
_LONGEST = 60


class Line(NamedTuple):
    """One request's line; `bad` where it failed or was answered by an error."""

    text: str
    bad: bool


def heading(rows: Sequence[Request], unit: Unit) -> str:
    """What stands above the lines' columns."""
    return _line(("over", "priority", "kB", unit.symbol, "request"), _widths(rows, unit))


def lines(rows: Sequence[Request], unit: Unit) -> list[Line]:
    """Protocol, priority, kilobytes, the time of the last byte in `unit`, path and what is unusual."""
    widths = _widths(rows, unit)
    return [Line(_line(_fields(each.resource, unit), widths), is_bad(each.resource)) for each in rows]


def is_bad(resource: Resource) -> bool:
    """Whether a request failed, or was answered by an error."""
    return resource.error is not None or (resource.status or 0) >= 400


def priority(resource: Resource) -> str:
    """The browser's own name for it, else RFC 9218's urgency, with `i` where it is incremental."""
    named = (resource.model_extra or {}).get("priority")
    if named:
        return str(named)
    if resource.urgency is None:
        return NONE
    return f"u{resource.urgency}{'i' if resource.incremental else ''}"


def _fields(resource: Resource, unit: Unit) -> tuple[str, str, str, str, str]:
    ended = resource.last_byte_s
    return (
        "cache" if resource.from_cache else resource.protocol or NONE,
        priority(resource),
        f"{resource.bytes / 1000:.1f}",
        unit.show(ended),
        f"{shortened(resource.path)}{_unusual(resource)}",
    )


def _unusual(resource: Resource) -> str:
    odd = []
    if resource.status != 200:
        odd.append(str(resource.status or "no answer"))
    if resource.error is not None:
        odd.append(resource.error)
    return f"  {', '.join(odd)}" if odd else ""


def shortened(path: str) -> str:
    """A path of bearable length, its end kept: names differ there."""
    one_line = " ".join(path.split())
    if len(one_line) <= _LONGEST:
        return one_line
    return f"{one_line[: _LONGEST // 3]}…{one_line[-(_LONGEST - _LONGEST // 3 - 1) :]}"


def _widths(rows: Sequence[Request], unit: Unit) -> list[int]:
    table = [_fields(each.resource, unit) for each in rows]
    table.append(("over", "priority", "kB", unit.symbol, ""))
    return [max(len(fields[column]) for fields in table) for column in range(4)]


def _line(fields: Sequence[str], widths: Sequence[int]) -> str:
    over, urgency, size, ended, path = fields
    return (
        f"{over:{widths[0]}} {urgency:{widths[1]}} {size:>{widths[2]}} {ended:>{widths[3]}} {path}".rstrip()
    )
