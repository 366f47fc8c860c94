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
    told = _origin_tells(rows)
    return _line(_columns(unit, told=told), _widths(rows, unit, told=told))


def lines(rows: Sequence[Request], unit: Unit) -> list[Line]:
    """Protocol, priority, kilobytes, the time of the last byte in `unit`, how many milliseconds the origin
    had the request (where its log tells of any), path and what is unusual."""
    told = _origin_tells(rows)
    widths = _widths(rows, unit, told=told)
    return [Line(_line(_fields(each, unit, told=told), widths), is_bad(each.resource)) for each in rows]


def _origin_tells(rows: Sequence[Request]) -> bool:
    return any(each.served_s is not None for each in rows)


def _columns(unit: Unit, *, told: bool) -> tuple[str, ...]:
    return ("over", "priority", "kB", unit.symbol, *(("origin ms",) if told else ()), "request")


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


def _fields(row: Request, unit: Unit, *, told: bool) -> tuple[str, ...]:
    resource = row.resource
    return (
        "cache" if resource.from_cache else resource.protocol or NONE,
        priority(resource),
        f"{resource.bytes / 1000:.1f}",
        unit.show(resource.last_byte_s),
        *((_milliseconds(row.served_s),) if told else ()),
        f"{shortened(resource.path)}{_unusual(resource)}",
    )


def _milliseconds(time_s: float | None) -> str:
    if time_s is None:
        return NONE
    if time_s < 1e-5:
        return f"{1e3 * time_s:.3f}"
    return f"{1e3 * time_s:.3g}" if time_s < 0.1 else f"{1e3 * time_s:.0f}"


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


def _widths(rows: Sequence[Request], unit: Unit, *, told: bool) -> list[int]:
    table = [_columns(unit, told=told), *(_fields(each, unit, told=told) for each in rows)]
    return [max(len(fields[column]) for fields in table) for column in range(len(table[0]) - 1)]


def _line(fields: Sequence[str], widths: Sequence[int]) -> str:
    over, urgency, *figures, path = fields
    aligned = [f"{figure:>{width}}" for figure, width in zip(figures, widths[2:], strict=True)]
    return " ".join([f"{over:{widths[0]}}", f"{urgency:{widths[1]}}", *aligned, path]).rstrip()
