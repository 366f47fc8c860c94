"""Lanes in words: a line a stream, to its left which it is, to its right how much waited and how long."""

from collections.abc import Sequence

from pronghorn.report.timeline.lanes import Drop, Lane

NAME, FIGURES = 26, "{:>8} {:>9} {:>9}"
"""Characters of a stream's name, and the columns beside its bar."""

HEADING = FIGURES.format("kB", "others ms", "own ms")
HEADING_AT_A_TIME = FIGURES.format("usable", "others kB", "own kB")
"""The columns' heads: for the whole load, and for one time in it, in which all are kilobytes."""


def name(path: str) -> str:
    """A path of bearable length, its end kept: names differ there."""
    one_line = " ".join(path.split())
    return one_line if len(one_line) <= NAME else f"…{one_line[1 - NAME :]}"


def figures(lane: Lane) -> str:
    """All bytes in kilobytes, and the milliseconds in which any waited for others' and for their own."""
    return FIGURES.format(f"{lane.size / 1000:.1f}", _milliseconds(lane.others_s), _milliseconds(lane.own_s))


def dropped(drops: Sequence[Drop]) -> str:
    """How many packets were dropped, by their marks."""
    up = sum(drop.up for drop in drops)
    return f"{len(drops) - up} × to client, {up} + to server"


def _milliseconds(time_s: float) -> str:
    return f"{1000 * time_s:.1f}" if time_s else "0"
