"""Tests that fail while the host's CPU is taken from them are run once more when it is left alone.

A hypervisor that takes a CPU away stops threads wherever they are, and a test of when packets came can't tell
that from a fault. Whether it did is told by the kernel (`steal` in /proc/stat), not by the test. A failure
while little was taken stands; each that doesn't is told at the end with its reason, for a pause may also have
brought a fault to light.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import get_reraise_exceptions, runtestprotocol

from pronghorn.execute import quiet_host

SHARE = 0.02
"""Of the CPU time since the test began, or the first of its module, whose fixtures may have measured: what
may be stolen without its being disturbed."""

LEAST_TICKS = 10.0
"""What is stolen in short tests without their being disturbed, however large a share it is: 0.1 s."""

MOST_S = 300.0
"""So long is waited for the host to be left alone: bursts last minutes."""

_AGAIN = "run again"
"""The property of a test's report that tells why it was run again."""

Reading = tuple[float, float]
"""The CPU time that was stolen, and all of it, in ticks."""


async def _calm() -> None:
    host = quiet_host.Calm(most_s=MOST_S)
    host.disturbed()
    await host.wait()


class Disturbed:
    """The plugin, for tests in `folders`. `stolen` reads the host's CPU time; `wait` returns when it is left
    alone."""

    def __init__(
        self,
        *folders: Path,
        stolen: Callable[[], Reading] = quiet_host.stolen,
        wait: Callable[[], None] = lambda: asyncio.run(_calm()),
    ) -> None:
        self._folders = folders
        self._stolen = stolen
        self._wait = wait
        self._module: tuple[Path, Reading] | None = None

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """As pytest's own, but reports the last run. Left to pytest elsewhere, and where the first failures
        end the session, before whose end its fixtures have theirs."""
        if item.config.getoption("maxfail") or not any(map(item.path.is_relative_to, self._folders)):
            return None
        before = self._stolen()
        if self._module is None or self._module[0] != item.path:
            self._module = item.path, before
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        try:
            failed = [report for report in reports if report.failed]
            share = self._share(before, self._module[1]) if failed else 0.0
            if share >= SHARE:
                # What fixtures of other scopes found was found on the same host.
                if ended := _ended(item):
                    reports.append(ended)
                else:
                    reason = f"{share:.0%} of the CPU was stolen: {_reason(failed[0])}"
                    item.user_properties.append((_AGAIN, reason))
                    self._wait()
                    item._report_sections.clear()
                    self._module = item.path, self._stolen()
                    reports = runtestprotocol(item, log=False, nextitem=nextitem)
        finally:
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Each test that was run again, and why."""
        stats: dict[str, list[Any]] = terminalreporter.stats
        told = {
            (report.nodeid, value)
            for reports in stats.values()
            for report in reports
            for name, value in getattr(report, "user_properties", ())
            if name == _AGAIN
        }
        for test, reason in sorted(told):
            terminalreporter.write_line(f"RUN AGAIN: {test}, {reason}", yellow=True)

    def _share(self, *since: Reading) -> float:
        """The largest share that was stolen since one of these; 0 where it was next to nothing."""
        stolen, whole = self._stolen()
        shares = [
            (stolen - before) / max(whole - all_before, 1.0)
            for before, all_before in since
            if stolen - before >= LEAST_TICKS
        ]
        return max(shares, default=0.0)


def _ended(item: pytest.Item) -> pytest.TestReport | None:
    """Ends the fixtures of every scope; a report where one of them fails."""
    call = pytest.CallInfo.from_call(
        lambda: item.session._setupstate.teardown_exact(None),
        when="teardown",
        reraise=get_reraise_exceptions(item.config),
    )
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return report if report.failed else None


def _reason(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(report.longrepr) if crash is None else crash.message
    return " ".join(text.split())[:300]
