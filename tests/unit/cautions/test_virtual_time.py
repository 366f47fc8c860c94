"""What a run in virtual time is said to leave out."""

from pathlib import Path

import pytest

from pronghorn.cautions import virtual_time
from pronghorn.errors import InputError
from pronghorn.model import experiment_file
from pronghorn.model.experiment import Experiment
from pronghorn.runs import prepare


def experiment(*overrides: str) -> Experiment:
    return experiment_file.read(None, prepare.vocabulary(), overrides=list(overrides), seed=1)


def test_real_time_leaves_nothing_out() -> None:
    assert list(virtual_time.cautions(experiment(), {})) == []


def test_virtual_time_says_what_it_leaves_out_and_on_which_paths_that_matters() -> None:
    slow = experiment("clock=virtual", "paths=lte")
    assert [caution.code for caution in virtual_time.cautions(slow, {})] == ["virtual-time"]
    general, fast = virtual_time.cautions(experiment("clock=virtual", "paths=lte,lan"), {})
    assert general.code == "virtual-time"
    assert fast.text.startswith("On lan the CPU")
    assert fast.remedy.endswith("--clock both --set paths=lan")


def test_where_real_time_stands_beside_it_nothing_is_left_out() -> None:
    both = experiment("clock=both", "paths=lte,lan", "repeat=20")
    alike = {"host": {"kernel": "7.2.1-amd64"}, "guest": {"guest": {"release": "7.2.13"}}}
    assert list(virtual_time.cautions(both, alike)) == []
    other = alike | {"host": {"kernel": "6.18.3-amd64"}}
    (caution,) = virtual_time.cautions(both, other)
    assert caution.code == "clocks-differ-in-kernel"
    assert "Linux 6.18.3-amd64, virtual time on Linux 7.2.13" in caution.text


def test_the_clock_is_part_of_what_is_measured(tmp_path: Path) -> None:
    real, virtual = experiment(), experiment("clock=virtual")
    assert real.digest() == experiment("clock=real").digest() != virtual.digest()
    assert virtual.resolved()["clock"] == "virtual"
    assert "clock" not in real.resolved()
    with pytest.raises(InputError, match="virtual"):
        experiment("clock=virtuel")
    assert list(tmp_path.iterdir()) == []
