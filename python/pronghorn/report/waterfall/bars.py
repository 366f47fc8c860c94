"""A waterfall's bars as SVG: one path a phase, whatever the number of requests.

The drawing's units are a thousandth of the axis across and one request down, and the page stretches it to its
width; bars are strokes, so that the stretching does not change them."""

from collections.abc import Sequence

from pronghorn.foreign import escape
from pronghorn.report.waterfall.axis import Axis
from pronghorn.report.waterfall.phases import PHASES, Request, Span

WIDTH = 1000
ROW_PX = 14
"""A request's height, the line height of the text beside it."""

_SHORTEST = {"queued": 2}


def bars(requests: Sequence[Request], marks: Sequence[tuple[str, float]], scale: Axis, label: str) -> str:
    """The drawing; `marks` are lines from top to bottom, each a class in the stylesheet and a time, and
    `label` says what is shown to those who don't see it."""
    rows = len(requests)
    parts = [_path("grid", "".join(f"M{scale.place(tick, WIDTH)} -.5v{rows}" for tick in scale.ticks_s[1:]))]
    for phase in PHASES:
        drawn = "".join(
            _bar(span, row, scale)
            for row, request in enumerate(requests)
            for span in request.spans
            if span.phase == phase
        )
        parts.append(_path(phase, drawn))
    parts.append(
        _path("served", "".join(_served(request, row, scale) for row, request in enumerate(requests)))
    )
    broken = "".join(
        f"M{scale.place(request.broke_s, WIDTH)} {row - 0.5:g}v1"
        for row, request in enumerate(requests)
        if request.broke_s is not None
    )
    parts.append(_path("broke", broken))
    parts += [_path(name, f"M{scale.place(at, WIDTH)} -.5v{rows}") for name, at in marks]
    return (
        f'<svg role="img" aria-label="{escape(label)}" viewBox="0 -.5 {WIDTH} {rows}" '
        f'preserveAspectRatio="none" style="height:{ROW_PX * rows}px">{"".join(parts)}</svg>'
    )


def _bar(span: Span, row: int, scale: Axis) -> str:
    """A span's stroke in the middle of its row; what is too short to be seen is left out, but for a
    body, which shows that the request ended."""
    begin, end = scale.place(span.from_s, WIDTH), scale.place(span.to_s, WIDTH)
    if span.phase == "receiving":
        end = max(end, begin + 1)
    return f"M{begin} {row}h{end - begin}" if end - begin >= _SHORTEST.get(span.phase, 1) else ""


def _served(request: Request, row: int, scale: Axis) -> str:
    """The time that the origin had the request, ending with its answer's last byte at the latest; however
    short, it is shown."""
    if request.served_s is None or request.arrived_s is None:
        return ""
    ended_s = request.arrived_s + request.served_s
    if request.resource.last_byte_s is not None:
        ended_s = min(ended_s, request.resource.last_byte_s)
    begin, end = scale.place(request.arrived_s, WIDTH), scale.place(ended_s, WIDTH)
    return f"M{begin} {row}h{max(1, end - begin)}"


def _path(name: str, drawn: str) -> str:
    return f'<path class="{name}" d="{drawn}"/>' if drawn else ""
