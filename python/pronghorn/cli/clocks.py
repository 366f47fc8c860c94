"""The option --clock of several commands."""

from collections.abc import Sequence

from pronghorn.errors import InputError, unknown
from pronghorn.model.experiment_values import Clock

HELP = "real (default), or virtual: in guests whose clock skips idle time."

HELP_OF_RUNS = f"{HELP.removesuffix('.')}; both measures each cell both ways."

ONE: tuple[Clock, ...] = ("real", "virtual")
"""The clocks of commands that measure one way."""


def parsed(text: str | None, allowed: Sequence[Clock] = ONE) -> Clock | None:
    """What was asked for; None where nothing was. InputError where it isn't `allowed`."""
    for clock in allowed:
        if text == clock:
            return clock
    if text is not None:
        raise InputError(f"--clock: {unknown('clock', text, allowed)}")
    return None
