"""What a rule answers: that a trap fits, or that this is not known."""

from collections.abc import Callable
from typing import NamedTuple

from pronghorn.traps.catalogue import Trap
from pronghorn.traps.facts import Facts


class Finding(NamedTuple):
    """A trap fits: what was seen of it, and how many seconds of a load it may cost (None: that is not
    known)."""

    trap: Trap
    seen: str
    gain_s: float | None = None


class Unknown(NamedTuple):
    """Whether a trap fits can't be told: why, as a clause."""

    trap: Trap
    why: str


Rule = Callable[[Facts], Finding | Unknown | None]
"""None: the trap doesn't fit."""
