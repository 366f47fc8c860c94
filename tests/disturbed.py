"""Tests that fail while the host's CPU is taken from them are run again once it is left alone.

A hypervisor that takes a CPU away stops threads wherever they are, and a test of when packets came can't tell
that from a fault. Whether it did is told by the kernel (`steal` in /proc/stat), not by the test. A failure
while nothing was taken stands; each that doesn't is told at the end with its reason, for a pause may also
have brought a fault to light.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from pronghorn.execute import calm

SHARE = 0.01
"""Of the CPU time during a test: what may be stolen without its being disturbed. A pause of 100 ms is that
much of five seconds on two CPUs."""

RUNS = 3
"""How often a disturbed test is run at most."""

_AGAIN = "run again"
"""The property of a test's report that tells why it was run again."""


async def _calm() -> None:
    host = calm.Calm()
    host.disturbed()
    await host.wait()


class Disturbed:
    """The plugin. `stolen` tells the CPU time that was stolen and all of it, in ticks; `wait` returns when
    the host is left alone."""

    def __init__(
        self,
        stolen: Callable[[], tuple[float, float]] = calm.stolen,
        wait: Callable[[], None] = lambda: asyncio.run(_calm()),
    ) -> None:
        self._stolen = stolen
        self._wait = wait

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """As pytest's own, but reports only the last run."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for run in range(1, RUNS + 1):
            stolen, whole = self._stolen()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            stolen_after, whole_after = self._stolen()
            share = (stolen_after - stolen) / max(whole_after - whole, 1.0)
            failed = [report for report in reports if report.failed]
            if not failed or share < SHARE or run == RUNS:
                break
            item.user_properties.append((_AGAIN, f"{share:.0%} of the CPU was stolen: {_reason(failed[0])}"))
            # What fixtures of other scopes found was found on the same host.
            item.session._setupstate.teardown_exact(None)
            self._wait()
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Each test that was run again, and why."""
        stats: dict[str, list[Any]] = terminalreporter.stats
        for report in (one for reports in stats.values() for one in reports):
            if getattr(report, "when", None) != "call":
                continue
            for name, value in report.user_properties:
                if name == _AGAIN:
                    terminalreporter.write_line(f"RUN AGAIN: {report.nodeid}, {value}", yellow=True)


def _reason(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(report.longrepr) if crash is None else crash.message
    return " ".join(text.split())[:300]
