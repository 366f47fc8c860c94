"""Speed Index: how long, on average over what is visible, a page took to look as it does in the end.

WebPageTest's definition: the time integral of what is still missing, where a frame's completeness is how far
its colour histograms have come from the first frame's to the last one's."""

from collections.abc import Sequence

Histogram = Sequence[Sequence[int]]
"""Of each colour channel, how many pixels have each of its 256 values."""

_SLACK = 5
"""How far from its value a pixel still counts as of that value, for frames are compressed."""


def completeness(frames: Sequence[Histogram]) -> list[float]:
    """Of each frame, how much of the way from the first to the last it has come, 0 to 1."""
    if not frames:
        return []
    return [_share(frame, frames[0], frames[-1]) for frame in frames]


def speed_index_s(times_s: Sequence[float], shares: Sequence[float]) -> float:
    """The index of frames that appeared at `times_s`, ascending, since the navigation's start: nothing is
    complete before the first."""
    index = last_time = last_share = 0.0
    for time, share in zip(times_s, shares, strict=True):
        time = max(time, 0.0)
        index += (time - last_time) * (1 - last_share)
        last_time, last_share = time, share
    return index


def _share(frame: Histogram, first: Histogram, last: Histogram) -> float:
    wanted = came = 0.0
    for now, start, end in zip(frame, first, last, strict=True):
        available = [abs(a - b) for a, b in zip(now, start, strict=True)]
        for value, target in enumerate(abs(a - b) for a, b in zip(end, start, strict=True)):
            wanted += target
            for near in range(max(0, value - _SLACK), min(len(available), value + _SLACK + 1)):
                taken = min(target, available[near])
                available[near] -= taken
                target -= taken
                came += taken
    return came / wanted if wanted else 1.0
