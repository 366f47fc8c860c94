"""What a run in virtual time leaves out."""

from collections.abc import Iterator

from pronghorn.costs import cell_cost
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment

LABEL = "virtual time: computing takes no time"
"""The label of a run in virtual time."""

LABEL_OF_BOTH = "each cell in real and in virtual time, where computing takes no time"
"""The label of a run that measures each cell both ways."""


def cautions(experiment: Experiment) -> Iterator[Caution]:
    """The warnings of a run in virtual time: a general one, and one that names paths on which the CPU would
    set the pace."""
    if not experiment.virtual:
        # What a cell takes in real time stands beside it.
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
