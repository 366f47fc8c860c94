"""The option --clock of several commands."""

from pronghorn.errors import unknown
from pronghorn.model.experiment_values import CLOCKS, Clock

HELP = "real (the default), or virtual: in guests whose clock jumps over idle time."


def parsed(text: str | None) -> Clock | None:
    """What was asked for; None where nothing was. InputError where it is no clock."""
    for clock in CLOCKS:
        if text == clock:
            return clock
    if text is not None:
        raise unknown("clock", text, CLOCKS)
    return None
