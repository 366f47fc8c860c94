"""The long-run share of loss that a model asks for, as the report sets it beside what was counted."""

import random

import pytest

from pronghorn.model.path import FourStateLoss, GilbertElliottLoss, IndependentLoss, LinkSpec
from pronghorn.report.path_counters import asked_loss


def test_independent_and_bounded_loss() -> None:
    assert IndependentLoss(probability=0.15).mean == 0.15
    assert IndependentLoss(probability=0.5, longest_burst=1).mean == pytest.approx(1 / 3)
    assert IndependentLoss(probability=1.0, longest_burst=3).mean == 0.75


def test_gilbert_elliott() -> None:
    assert GilbertElliottLoss(enter=0.01, leave=0.19).mean == pytest.approx(0.05)
    assert GilbertElliottLoss(enter=0.0, leave=0.0, loss_good=0.1).mean == 0.1


def test_four_states_by_walking_the_chain() -> None:
    """200 000 steps: the share's standard deviation stays below 0.004 here; allowed are five of them, for a
    false alarm in two million seeds, of which this is one."""
    chain = FourStateLoss(p13=0.1, p31=0.3, p32=0.2, p23=0.4, p14=0.05)
    draw, state, lost = random.Random(1), 1, 0
    moves = {
        1: ((3, chain.p13), (4, chain.p14)),
        2: ((3, chain.p23),),
        3: ((1, chain.p31), (2, chain.p32)),
        4: ((1, 1.0),),
    }
    for _ in range(200_000):
        value = draw.random()
        for target, chance in moves[state]:
            if value < chance:
                state = target
                break
            value -= chance
        lost += state in (3, 4)
    assert chain.mean == pytest.approx(lost / 200_000, abs=0.02)


@pytest.mark.parametrize(
    ("p13", "p31", "p32", "p23", "mean"),
    [
        (0.0, 0.0, 0.0, 1.0, 0.0),
        (0.1, 0.0, 0.0, 1.0, 1.0),
        (0.1, 0.0, 0.5, 0.5, 0.5),
        (0.1, 0.5, 0.5, 0.0, 0.0),
    ],
)
def test_bursts_that_are_never_left(p13: float, p31: float, p32: float, p23: float, mean: float) -> None:
    assert FourStateLoss(p13=p13, p31=p31, p32=p32, p23=p23, p14=0.0).mean == pytest.approx(mean)


def test_the_report_says_what_was_asked() -> None:
    def said(**link: object) -> str:
        return asked_loss(LinkSpec.model_validate(link).model_dump(mode="json", exclude_none=True))

    assert said() == "0 %"
    assert said(loss={"model": "independent", "probability": 0.15}) == "15 %"
    assert said(loss={"model": "packets", "numbers": [1, 2]}) == "2 listed"
    assert asked_loss({"loss": "much"}) == "–"
    assert asked_loss(None) == "–"
