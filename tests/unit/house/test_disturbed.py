"""A test that fails is run once more where the CPU was taken from it, and nowhere else."""

import pytest

from tests.disturbed import Disturbed, Reading

TESTS = """
import pathlib
import pytest

def runs():
    file = pathlib.Path("runs")
    file.write_text(file.read_text() + "." if file.exists() else ".")
    return len(file.read_text())

@pytest.fixture(scope="module")
def measured():
    yield runs()
    assert {ends}, "it doesn't end"

def test_first(measured):
    assert {first}

def test_it(measured):
    assert measured > {times}, "too early"
"""
"""`times` is how often the module's fixture measures something wrong."""


class Host:
    """Of which so many ticks of 100 are stolen while a test runs."""

    def __init__(self, *stolen: float) -> None:
        self.waited = 0
        self._stolen = iter(stolen)
        self._now: Reading = (0.0, 0.0)
        self._within = False

    def read(self) -> Reading:
        """The clock, which goes on with every second reading: the one at a test's end."""
        self._within = not self._within
        if not self._within:
            self._now = (self._now[0] + next(self._stolen, 0.0), self._now[1] + 100.0)
        return self._now

    def wait(self) -> None:
        """Is left alone at once."""
        self.waited += 1


def outcome(
    pytester: pytest.Pytester, host: Host, *asked: str, times: int = 0, first: bool = True, ends: bool = True
) -> pytest.RunResult:
    """That of two tests over one fixture."""
    pytester.makepyfile(TESTS.format(times=times, first=first, ends=ends))
    plugin = Disturbed(pytester.path, stolen=host.read, wait=host.wait)
    return pytester.runpytest_inprocess("-p", "no:xdist", *asked, plugins=[plugin])


def test_a_failure_while_the_cpu_was_stolen_is_run_again_with_its_fixtures_and_told(
    pytester: pytest.Pytester,
) -> None:
    host = Host(30.0)

    result = outcome(pytester, host, "-k", "test_it", times=1)

    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["RUN AGAIN: *test_it, 30% of the CPU was stolen: *too early*"])
    assert host.waited == 1


def test_what_was_stolen_while_the_modules_fixture_measured_counts(pytester: pytest.Pytester) -> None:
    class Busy(Host):
        def read(self) -> Reading:
            """All of it was stolen before the second test began."""
            self._now = (50.0, self._now[1] + 100.0) if self._now[1] else (0.0, 1.0)
            return self._now

    host = Busy()

    outcome(pytester, host, times=1).assert_outcomes(passed=2)

    assert host.waited == 1


def test_a_failure_while_next_to_nothing_was_stolen_stands(pytester: pytest.Pytester) -> None:
    host = Host(9.0)

    outcome(pytester, host, "-k", "test_it", times=1).assert_outcomes(failed=1, deselected=1)

    assert host.waited == 0


def test_a_test_that_fails_again_has_failed(pytester: pytest.Pytester) -> None:
    host = Host(30.0, 30.0)

    outcome(pytester, host, "-k", "test_it", times=9).assert_outcomes(failed=1, deselected=1)

    assert host.waited == 1


def test_a_fixture_that_fails_to_end_is_told_with_the_failure(pytester: pytest.Pytester) -> None:
    host = Host(30.0)

    result = outcome(pytester, host, first=False, ends=False)

    result.assert_outcomes(passed=1, failed=1, errors=2)
    result.stdout.no_fnmatch_line("RUN AGAIN: *test_first*")


def test_where_the_first_failure_ends_all_nothing_is_run_again(pytester: pytest.Pytester) -> None:
    host = Host(30.0)

    outcome(pytester, host, "-x", first=False).assert_outcomes(failed=1)

    assert host.waited == 0
