"""The default experiment, as `make run` runs it."""

import time
from statistics import median
from typing import NamedTuple

import pytest

from ..e2e import programme
from ..e2e.programme import Run

pytestmark = pytest.mark.needs("namespaces")

LONGEST_S = 120.0
"""The experiment is to end within two minutes on two cores."""

LARGEST_REPORT_BYTES = 5e6

DEAREST_S = 0.060
"""What a native trial may cost beyond its load, in the median."""


class Default(NamedTuple):
    """The default experiment's run, and how long its program took in seconds."""

    run: Run
    took_s: float


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> Default:
    folder = tmp_path_factory.mktemp("default")
    started = time.monotonic()
    result = programme.run("run", "--out", "found", "--seed", "1", folder=folder)
    took_s = time.monotonic() - started
    assert result.status == 0, result.stderr
    return Default(Run(folder / "found"), took_s)


def test_it_ends_within_two_minutes(default: Default, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\ndefault experiment: {default.took_s:.0f} s")
    assert default.took_s < LONGEST_S


def test_it_has_a_verdict_for_every_path_and_arm(default: Default) -> None:
    cells = default.run.summary().cells
    assert {cell.path for cell in cells} >= {"lan", "fiber", "lte", "lte-poor"}
    for cell in cells:
        for arm in ("h1", "h3"):
            comparison = cell.comparison(arm)
            assert comparison is not None
            assert comparison.reason is None, f"{cell.path}, {arm}: {comparison.words}"
        assert cell.blocks >= 6, f"{cell.path}: {cell.abandoned} blocks were contaminated"


def test_its_report_is_small(default: Default, capsys: pytest.CaptureFixture[str]) -> None:
    size = (default.run.directory / "report.html").stat().st_size
    with capsys.disabled():
        print(f"\nits report: {size / 1e6:.2f} MB")
    assert size < LARGEST_REPORT_BYTES


def test_a_trial_costs_little_beyond_its_load(default: Default, capsys: pytest.CaptureFixture[str]) -> None:
    median_s = default.run.manifest()["overhead_s"]["median"]
    with capsys.disabled():
        print(f"\noverhead of a trial: {median_s * 1e3:.1f} ms (median)")
    assert median_s <= DEAREST_S


def test_the_parts_of_every_load_add_up_and_leave_little_over(default: Default) -> None:
    loads = [one for one in default.run.trials() if one.metrics.load_s is not None]
    left_over = []
    for one in loads:
        assert one.why is not None
        assert one.why.reason is None, one.why.reason
        assert sum(one.why.parts.values()) == pytest.approx(one.metrics.load_s, rel=0.02)
        left_over.append(one.why.parts["other"] / (one.metrics.load_s or 1.0))
    assert median(left_over) <= 0.05
