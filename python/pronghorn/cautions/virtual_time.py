"""What a run in virtual time leaves out."""

from collections.abc import Iterator, Mapping
from typing import Any

from pronghorn.costs import cell_cost
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment

LABEL = "virtual time: computing takes no time"
"""The label of a run in virtual time."""

LABEL_OF_BOTH = "each cell in real and in virtual time, where computing takes no time"
"""The label of a run that measures each cell both ways."""


def cautions(experiment: Experiment, manifest: Mapping[str, Any]) -> Iterator[Caution]:
    """The warnings of a run in virtual time: a general one, and one that names paths on which the CPU would
    set the pace. Where each cell is measured in real time as well, one that names other kernels there."""
    if not experiment.virtual:
        yield from _other_kernels(manifest)
        return
    yield Caution(
        "virtual-time",
        "This run was made in virtual time, where computing takes no time. CPU cost, which is highest for "
        "HTTP/3, does not show in its load times. The report lists each arm's CPU seconds in the guest: "
        "they overstate arms that make more system calls.",
        "Measure each cell both ways: --clock both",
    )
    fast = list(dict.fromkeys(cell.path for cell in experiment.cells() if cell_cost.alone(experiment, cell)))
    if fast:
        yield Caution(
            "virtual-time-on-fast-paths",
            f"On {', '.join(fast)} the CPU limits loads in real time. In virtual time it doesn't, so load "
            "times there are lower bounds and ratios may differ.",
            f"Measure these paths both ways: --clock both --set paths={','.join(fast)}",
        )


def _other_kernels(manifest: Mapping[str, Any]) -> Iterator[Caution]:
    """Of a run that measures both ways: its two kernels."""
    own = str((manifest.get("host") or {}).get("kernel") or "")
    guests = manifest.get("guest") or {}
    others = {
        str(noted.get("release"))
        for noted in guests.values()
        if isinstance(noted, Mapping) and _series(str(noted.get("release"))) != _series(own)
    }
    if others:
        yield Caution(
            "clocks-differ-in-kernel",
            f"Real time ran on Linux {own}, virtual time on Linux {', '.join(sorted(others))}. What these "
            "versions and this machine's settings change in TCP is part of what this machine adds.",
            'Build a guest of this machine\'s version and name it: kernels = ["VERSION"]',
        )


def _series(release: str) -> str:
    """`6.18` of `6.18.3-amd64`."""
    return ".".join(release.split("-")[0].split(".")[:2])
