"""Known traps, each with a rule of its own: what is measured or read back tells whether an arm fell into it.

A rule says what it saw, in numbers, and what that may do to the result; it keeps silent where something else
explains what it sees as well."""

from collections.abc import Callable, Iterator, Sequence

from pronghorn.fairness.group import Group
from pronghorn.fairness.rules import (
    amplification,
    default_control,
    idle,
    slow_start,
    stream_buffer,
    tcp_buffers,
    udp_buffers,
    windows,
)
from pronghorn.model.caution import Caution

Rule = Callable[[Sequence[Group]], Iterator[Caution]]

RULES: tuple[Rule, ...] = (
    stream_buffer.cautions,
    default_control.cautions,
    windows.cautions,
    tcp_buffers.cautions,
    udp_buffers.cautions,
    slow_start.cautions,
    amplification.cautions,
    idle.cautions,
)
"""The gravest first."""


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """What all rules say of a run's arms, each in each cell."""
    for rule in RULES:
        yield from rule(groups)
