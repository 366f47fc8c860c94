"""The warning of cells in which few loads lost a packet, so that a mean hangs on these."""

from collections.abc import Mapping, Sequence

import pytest

from pronghorn.cautions.rare_losses import ENOUGH, cautions
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Counters, LinkCounters, Trial

from ..checks.runs import ARMS, around, experiment, trials

BLOCKS = 50


def said(hit: Mapping[str, int], blocks: int = BLOCKS, kind: str = "lost") -> list[Caution]:
    """The warnings where so many loads of each arm met something, every other one on the way up."""
    loads = {arm: around(1, 0.03, blocks) for arm in ARMS}
    found = [_met(trial, kind if trial.block < hit[trial.arm] else None) for trial in trials({"lte": loads})]
    return list(cautions(experiment(("lte",)), found))


def _met(trial: Trial, kind: str | None) -> Trial:
    link = LinkCounters.model_validate({"packets_in": 700} | ({kind: 1} if kind else {}))
    links: Sequence[LinkCounters] = (link, LinkCounters())
    down, up = links if trial.block % 2 else reversed(links)
    return trial.model_copy(update={"counters": Counters(down=down, up=up)})


def test_few_loads_that_lost_something_are_told_with_the_blocks_that_it_takes() -> None:
    (found,) = said({"h1": 3, "h2": 0, "h3": 2})
    assert found.code == "rare-losses"
    assert found.text == (
        "The path lost a packet in few loads: 3 of 50 loads of h1 on small/lte/builtin/native. The "
        "same holds for 2 cases."
    )
    assert "--set repeat=300)" in found.remedy, "5 of 150 loads lost something: ten of an arm's are 300"


def test_an_arm_alone_is_told_of() -> None:
    (found,) = said({"h1": ENOUGH, "h2": 0, "h3": ENOUGH})
    assert (
        found.text
        == "The path lost a packet in few loads: none of 50 loads of h2 on small/lte/builtin/native."
    )
    assert "--set repeat=75)" in found.remedy


@pytest.mark.parametrize("hit", [0, ENOUGH, BLOCKS])
def test_of_losses_that_are_many_or_none_nothing_is_said(hit: int) -> None:
    assert not said(dict.fromkeys(ARMS, hit))


def test_losses_that_most_loads_met_are_not_rare_however_few_blocks_there_are() -> None:
    assert not said(dict.fromkeys(ARMS, 4), blocks=6)
    assert said(dict.fromkeys(ARMS, 2), blocks=6)


def test_corruption_counts_and_what_a_full_queue_drops_does_not() -> None:
    assert said(dict.fromkeys(ARMS, 3), kind="corrupted")
    assert not said(dict.fromkeys(ARMS, 3), kind="queue_dropped")
