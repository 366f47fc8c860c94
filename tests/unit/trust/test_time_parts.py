"""Every page load's arrivals are asked for and divided; they are kept where the experiment names them."""

import pytest

from pronghorn.model.arrivals import read
from pronghorn.model.why import PARTS

from ..laboratory import Laboratory


def test_every_trial_over_a_path_has_its_parts(laboratory: Laboratory) -> None:
    assert laboratory.run("run", "experiment.toml", "--out", "out").status == 0
    trials = laboratory.trials("out")
    assert trials
    for trial in trials:
        assert trial.why is not None
        assert trial.why.reason is None
        assert tuple(trial.why.parts) == PARTS
        assert sum(trial.why.parts.values()) == pytest.approx(trial.metrics.load_s)
    assert not (laboratory.folder / "out" / "artifacts").exists()


def test_arrivals_are_kept_where_they_are_asked_for(laboratory: Laboratory) -> None:
    asked = ("--set", 'artifacts=["arrivals"]')
    assert laboratory.run("run", "experiment.toml", "--out", "out", *asked).status == 0
    for trial in laboratory.trials("out"):
        assert read(laboratory.folder / "out" / trial.artifacts["arrivals"]).connections == ()


def test_a_trial_whose_arrivals_are_missing_says_so(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "arrivals"}])
    assert laboratory.run("run", "experiment.toml", "--out", "out").status == 0
    for trial in laboratory.trials("out"):
        assert trial.why is not None
        assert trial.why.reason == "arrivals.json.gz can't be read: no such file"


@pytest.mark.parametrize(
    ("setting", "said"),
    [("paths=direct", "the path is not emulated"), ('state="kept"', "state is kept over loads")],
)
def test_where_nobody_sees_packets_the_reason_is_told(
    laboratory: Laboratory, setting: str, said: str
) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", setting)
    told = [trial.why for trial in laboratory.trials("out") if trial.metrics.load_s is not None]
    assert told
    assert all(why is not None and (why.reason or "").startswith(said) for why in told)
