"""A test that fails is run again where the CPU was taken from it, and nowhere else."""

from collections.abc import Iterator

import pytest

from tests.disturbed import RUNS, Disturbed

TESTS = """
import pathlib

def fails(times):
    runs = pathlib.Path("runs")
    runs.write_text(runs.read_text() + "." if runs.exists() else ".")
    assert len(runs.read_text()) > times, "too early"

def test_it():
    fails({times})
"""


class Host:
    """One that has so much stolen of the first test's runs, of 100 ticks each."""

    def __init__(self, *stolen: float) -> None:
        self.waited = 0
        self._readings = self._read(stolen)

    def stolen(self) -> tuple[float, float]:
        """The next reading."""
        return next(self._readings)

    def wait(self) -> None:
        """Is left alone at once."""
        self.waited += 1

    @staticmethod
    def _read(stolen: tuple[float, ...]) -> Iterator[tuple[float, float]]:
        total = 0.0
        for run, share in enumerate(stolen):
            yield total, 100.0 * run
            total += share
            yield total, 100.0 * (run + 1)


def outcome(pytester: pytest.Pytester, times: int, host: Host) -> pytest.RunResult:
    """That of a test which fails so many times."""
    pytester.makepyfile(TESTS.format(times=times))
    return pytester.runpytest_inprocess("-p", "no:xdist", plugins=[Disturbed(host.stolen, host.wait)])


def test_a_failure_while_the_cpu_was_stolen_is_run_again_and_told(pytester: pytest.Pytester) -> None:
    host = Host(30.0, 0.0)

    result = outcome(pytester, 1, host)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["RUN AGAIN: *test_it, 30% of the CPU was stolen: *too early*"]
    )
    assert host.waited == 1


def test_a_failure_while_nothing_was_stolen_stands(pytester: pytest.Pytester) -> None:
    host = Host(0.5)

    outcome(pytester, 1, host).assert_outcomes(failed=1)

    assert host.waited == 0


def test_a_test_that_fails_each_time_has_failed(pytester: pytest.Pytester) -> None:
    host = Host(*[30.0] * RUNS)

    outcome(pytester, RUNS, host).assert_outcomes(failed=1)

    assert host.waited == RUNS - 1


def test_a_test_that_passes_is_run_once_whatever_was_stolen(pytester: pytest.Pytester) -> None:
    host = Host(30.0)

    outcome(pytester, 0, host).assert_outcomes(passed=1)

    assert host.waited == 0
