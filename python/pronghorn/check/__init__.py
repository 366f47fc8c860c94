"""`pronghorn check`: what a visitor's browser finds at a host.

`probes` do the I/O and return `facts.py`; `rules` are pure functions from facts to findings, each with what
it does to a visitor and its fix. `show.py` prints both. The probes use aioquic and not the engine: they hold
back a Finished, choose the size of datagrams and take any certificate, which no client that measures may do.
(`pronghorn.checks` is something else: a run's `--check`.)
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pronghorn.check import rules
from pronghorn.check.facts import Facts
from pronghorn.check.finding import Finding, Unknown
from pronghorn.check.probes.look import look
from pronghorn.check.target import Settings, Target

__all__ = ["Report", "Settings", "Target", "check", "examine"]


@dataclass(frozen=True)
class Report:
    """What was seen, and what follows."""

    facts: Facts
    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]


async def examine(target: Target, settings: Settings, tell: Callable[[str], None] = lambda _: None) -> Report:
    """Looks at a host and judges it. NothingMeasured if it answers nothing."""
    facts = await look(target, settings, tell)
    findings, unknown = rules.judge(facts)
    return Report(facts, tuple(findings), tuple(unknown))


def check(target: Target, settings: Settings, tell: Callable[[str], None] = lambda _: None) -> Report:
    """The same, for callers without an event loop."""
    return asyncio.run(examine(target, settings, tell))
