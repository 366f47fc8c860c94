"""A run's cells judge a policy: their paths, and each block's pair of load times by congestion control."""

import pytest

from pronghorn.errors import InputError
from pronghorn.policy import measured

from ..laboratory import Laboratory


def ran(laboratory: Laboratory, *arms: str) -> None:
    named = ", ".join(f'"{arm}"' for arm in arms)
    laboratory.behave()
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--set", f"arms=[{named}]")
    assert result.status == 0, result.stderr


def test_each_cell_has_its_path_and_the_load_times_of_its_blocks(laboratory: Laboratory) -> None:
    ran(laboratory, "h2@cubic", "h2@reno", "h3")

    found = {cell.name.split("/")[1]: cell for cell in measured.read(laboratory.folder / "out")}

    far = found["far"]
    assert (far.rtt_ms, far.loss, far.rate_mbit) == pytest.approx((150.0, 0.15, 20.0))
    assert set(far.times) == {"cubic", "reno"}
    trials = [one for one in laboratory.trials("out") if one.cell.path == "far" and one.metrics.load_s]
    assert len(far.times["cubic"]) == 3
    assert {h3 for _, h3 in far.times["cubic"]} == {one.metrics.load_s for one in trials if one.arm == "h3"}
    assert {h2 for h2, _ in far.times["reno"]} == {
        one.metrics.load_s for one in trials if one.arm == "h2@reno"
    }


def test_a_run_of_other_arms_judges_no_policy(laboratory: Laboratory) -> None:
    ran(laboratory, "h1", "h2")

    with pytest.raises(InputError, match="needs one h3 arm and h2 arms"):
        measured.read(laboratory.folder / "out")


def test_where_no_run_is_there_is_nothing_to_judge_by(laboratory: Laboratory) -> None:
    with pytest.raises(InputError, match="this is no run"):
        measured.read(laboratory.folder / "nowhere")
