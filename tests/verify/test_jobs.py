"""Trials side by side measure what trials one by one do."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ..e2e import experiments, programme
from ..e2e.programme import Run

pytestmark = pytest.mark.needs("namespaces")

ARMS = ("h1", "h2", "h3")
BLOCKS = 50
MARGIN = 0.05
RESAMPLES = 10_000

Times = dict[int, float]


@pytest.mark.parametrize("path", ["lte", "fiber"])
def test_four_jobs_give_the_medians_of_one(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, four = (load_times(tmp_path, path, jobs) for jobs in (1, 4))

    intervals = {arm: ratio_interval(one[arm], four[arm]) for arm in ARMS}
    with capsys.disabled():
        for arm, (low, high) in intervals.items():
            print(f"\n{path}, {arm}: four jobs over one: {low:.3f} to {high:.3f}", end="")
    for arm, (low, high) in intervals.items():
        assert low > 1 - MARGIN and high < 1 + MARGIN, arm


def load_times(folder: Path, path: str, jobs: int) -> dict[str, Times]:
    """Each arm's load times by block, in seconds. The same seed makes the same path of each block."""
    experiment = experiments.write(folder, arms=ARMS, repeat=BLOCKS, paths=[path], sites=["small"], seed=7)
    name = f"jobs-{jobs}"
    result = programme.run("run", str(experiment), "--jobs", str(jobs), "--out", name, folder=folder)
    assert result.status == 0, result.stderr
    ok = [trial for trial in Run(folder / name).trials() if trial.status == "ok"]
    return {
        arm: {trial.block: trial.metrics.load_s or 0.0 for trial in ok if trial.arm == arm} for arm in ARMS
    }


def ratio_interval(one: Times, four: Times) -> tuple[float, float]:
    """The 95 % interval of the ratio of medians, by a percentile bootstrap over the blocks that both have."""
    shared = sorted(one.keys() & four.keys())
    assert len(shared) > BLOCKS / 2
    paired: npt.NDArray[np.float64] = np.array([[one[block], four[block]] for block in shared])
    draws = np.random.default_rng(1).integers(len(shared), size=(RESAMPLES, len(shared)))
    medians = np.median(paired[draws], axis=1)
    low, high = np.quantile(medians[:, 1] / medians[:, 0], [0.025, 0.975])
    return float(low), float(high)
