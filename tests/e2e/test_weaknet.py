"""The weak-network matrix at a hundredth of its size, on half of its paths: every count closes, and its
report comes out."""

from collections import Counter
from itertools import product
from typing import NamedTuple

import pytest

from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial

from . import programme
from .programme import Run

pytestmark = [pytest.mark.needs("engine", "guest", "nginx"), pytest.mark.beside]

PATHS = {"clean", "corrupt", "delay-loss", "loss-duplicate"}
ORIGINS = {"nginx", "builtin"}
ARMS = {"h1": "h1", "h1+clear": "h1", "h2": "h2", "h3": "h3"}
REQUESTS = 100
LIMIT_S = 3.0
SIZE = {
    "paths": ",".join(sorted(PATHS)),
    # The study's own is nginx@1.26; what is asked here holds for any.
    "origins": ",".join(sorted(ORIGINS)),
    "load.requests": REQUESTS,
    "load.connections": 10,
    "load.streams": 10,
    "load.threads": 2,
    "limit": f"{LIMIT_S:g}s",
    "repeat": 1,
    "attempts": 1,
    "seed": 1,
    "clock": "virtual",
}


class Finished(NamedTuple):
    """The run, and what it printed."""

    run: Run
    said: str

    @property
    def trials(self) -> list[Trial]:
        """Those in which a load was made, on a busy host too: what became of it can be read off them as
        well."""
        return [trial for trial in self.run.trials() if trial.page is not None]

    @property
    def summary(self) -> Summary:
        """Its summary."""
        return self.run.summary()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("weaknet")
    sets = [f"--set={key}={value}" for key, value in SIZE.items()]
    result = programme.run("run", "weaknet", "--verbose", "--out", "found", *sets, folder=folder)
    programme.assert_ended(result)
    return Finished(Run(folder / "found"), " ".join(result.stdout.split()))


def test_every_arm_is_measured_on_every_path_from_both_origins(finished: Finished) -> None:
    """Unless a busy host spoilt all attempts at a block, which is then kept out."""
    trials = finished.run.trials()
    assert {(trial.cell.path, trial.cell.origin) for trial in trials} == set(product(PATHS, ORIGINS))
    cells = len(PATHS) * len(ORIGINS)
    assert programme.missing(trials, arms=tuple(ARMS), blocks=1, cells=cells, attempts=1) == 0


def test_every_count_closes(finished: Finished) -> None:
    for trial in finished.trials:
        assert trial.page is not None and trial.page.report is not None, (trial.key, trial.page)
        requests = trial.page.report.requests
        assert requests.planned == REQUESTS == requests.sent + requests.unsent, trial.key
        assert requests.sent == requests.succeeded + requests.failures, trial.key
        assert sum(requests.statuses.values()) == requests.statuses["200"] >= requests.succeeded, trial.key
        if trial.page.outcome == "ok":
            assert requests.succeeded == REQUESTS, trial.key


def test_a_load_that_failed_was_cut_or_says_of_its_requests_why(finished: Finished) -> None:
    failed = [trial for trial in finished.trials if trial.status == "failed"]
    assert {trial.reason for trial in failed} <= {"cut", "requests"}, [trial.detail for trial in failed]
    for trial in failed:
        assert trial.metrics.load_s is None
        assert trial.cell.path != "clean", (trial.key, trial.detail)
        if trial.reason == "cut":
            rate = trial.metrics.requests_per_second
            assert rate == trial.metrics.requests / LIMIT_S, trial.key


def test_both_ends_agree_on_what_was_served_over_which_protocol(finished: Finished) -> None:
    for trial in finished.trials:
        assert trial.origin_log == []
        served = Counter({one.protocol: 0 for one in trial.origin_counts})
        for one in trial.origin_counts:
            served[one.protocol] += one.requests
        assert set(served) <= {ARMS[trial.arm]}, trial.key
        assert served[ARMS[trial.arm]] >= trial.metrics.requests, trial.key


def test_the_paths_impair_what_the_server_sends(finished: Finished) -> None:
    for trial in finished.trials:
        assert trial.counters is not None
        down, up = trial.counters.down, trial.counters.up
        assert down is not None and up is not None
        assert up.lost == up.duplicated == up.corrupted == 0
        assert (down.lost > 0) == ("loss" in trial.cell.path), trial.key
        assert (down.duplicated > 0) == ("duplicate" in trial.cell.path), trial.key
        assert (down.corrupted > 0) == ("corrupt" in trial.cell.path), trial.key


def test_the_report_maps_http_3_against_the_others(finished: Finished) -> None:
    pairs = {(one.path, one.origin, one.arm, one.against) for one in finished.summary.contrasts}
    assert pairs == {
        (path, origin, "h3", against)
        for path in PATHS
        for origin in ORIGINS
        for against in ("h1", "h1+clear", "h2")
    }
    report = finished.run.report()
    assert "h3 ÷ h1, nginx" in report and "h3 ÷ h2, builtin" in report
    assert "HTTP/3 against the others" in finished.said


def test_the_run_stands_beside_the_study_and_states_its_claims(finished: Finished) -> None:
    assert "24 601" in finished.run.report()
    assert "Requests per second, nginx" in finished.said
    assert len(finished.summary.claims) == 4
    for claim in finished.summary.claims:
        assert claim.state == "undecided"
        readings = {(reading.origin, reading.against) for reading in claim.readings}
        assert readings == {(origin, against) for origin in ORIGINS for against in ("h1", "h1+clear")}
        assert claim.claim in finished.run.report()
