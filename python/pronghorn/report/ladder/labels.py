"""What is written beside a ladder: what its packets say, each line near the packet it is about."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.report.ladder.rungs import Rung

LINE_PX = 13
_NEAR_PX = 8
"""Packets of one direction that lie so close to each other share a label."""

_PLAIN = frozenset(
    {
        "ACK",
        "ACK_FREQUENCY",
        "ChangeCipherSpec",
        "IMMEDIATE_ACK",
        "NEW_CONNECTION_ID",
        "PADDING",
        "PING",
        "RETIRE_CONNECTION_ID",
    }
)
"""Frames that keep a connection going and are no part of its handshake."""

_CAPITAL = 0.35
_CONTINUED, _UNBROKEN = ", continued", "\u00a0"


class Label(NamedTuple):
    """Lines of text about what lies at `at_px`, whose middle stands at `middle_px`; whether it was
    `dropped`."""

    at_px: float
    middle_px: float
    lines: tuple[str, ...]
    dropped: bool = False


def labels(
    rungs: Sequence[Rung], at_px: Callable[[Rung], float], room: int, top_px: float, bottom_px: float
) -> list[Label]:
    """The labels between two heights, from above, none upon another; `room` is characters of a line. Where
    there are too many they go on beneath."""
    groups = sorted(_groups(rungs, at_px), key=lambda group: (round(at_px(group[0]), 2), not group[0].up))
    found = [
        Label(at, at, tuple(_wrapped(_said(group), room)), dropped=group[0].arrived_s is None)
        for group, at in ((group, at_px(group[0])) for group in groups)
    ]
    return _spread(found, top_px, bottom_px)


def height_px(found: Sequence[Label]) -> float:
    """How much room labels take at least."""
    return sum(LINE_PX * len(label.lines) for label in found)


def _groups(rungs: Sequence[Rung], at_px: Callable[[Rung], float]) -> list[list[Rung]]:
    """Neighbours of one direction and one fate; those that say nothing of the handshake have no label."""
    told = [rung for rung in rungs if set(rung.says) - _PLAIN]
    found: list[list[Rung]] = []
    for rung in sorted(told, key=lambda rung: (rung.up, at_px(rung))):
        last = found[-1] if found else None
        if last is not None and _alike(last[-1], rung) and at_px(rung) - at_px(last[0]) <= _NEAR_PX:
            last.append(rung)
        else:
            found.append([rung])
    return found


def _alike(one: Rung, other: Rung) -> bool:
    return (one.up, one.arrived_s is None, one.again) == (other.up, other.arrived_s is None, other.again)


def _said(group: Sequence[Rung]) -> str:
    told = dict.fromkeys(said for rung in group for said in rung.says if said not in _PLAIN)
    says = [said for said in told if _begun(said) == said or _begun(said) not in told]
    first = group[0]
    parts = [f"{'→' if first.up else '←'}{_UNBROKEN}{', '.join(says)}"]
    if first.again:
        parts.append("again")
    if first.arrived_s is None:
        parts.append(f"dropped: {', '.join(dict.fromkeys(rung.fate or 'unknown' for rung in group))}")
    if len(group) > 1:
        parts.append(count(len(group), "packet"))
    return parts[0] + (f" ({'; '.join(parts[1:])})" if parts[1:] else "")


def _begun(said: str) -> str:
    """The message that one packet more goes on with."""
    return said.removesuffix(_CONTINUED)


def _wrapped(text: str, room: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and _wide(f"{lines[-1]} {word}") > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _wide(text: str) -> float:
    """A text's width in characters, of which capitals count for more."""
    return len(text) + _CAPITAL * sum(letter.isupper() or letter == "_" for letter in text)


def _spread(found: Sequence[Label], top_px: float, bottom_px: float) -> list[Label]:
    """Moved down where one stands upon the one before, then up as far as there is no room beneath."""
    heights = [height_px([label]) for label in found]
    tops: list[float] = []
    free = top_px
    for label, height in zip(found, heights, strict=True):
        tops.append(max(free, label.at_px - height / 2))
        free = tops[-1] + height
    least = max(bottom_px, top_px + sum(heights))
    for place in reversed(range(len(found))):
        tops[place] = min(tops[place], least - heights[place])
        least = tops[place]
    return [
        label._replace(middle_px=top + height / 2)
        for label, top, height in zip(found, tops, heights, strict=True)
    ]
