"""Asked and counted loss."""

from typing import Any

import pytest

from pronghorn.model.trial import Counters, LinkCounters
from pronghorn.report.path_counters import asked_loss, link_reports

from .synthetic import cell, trial


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ({"loss": {"model": "independent", "probability": 0.15}}, "15 %"),
        ({"delay_ns": 1}, "0 %"),
        ({"schedule": {"text": "sha256:0"}}, "0 %, or as scheduled"),
        (
            {
                "loss": {
                    "model": "gilbert-elliott",
                    "enter": 0.01,
                    "leave": 0.3,
                    "loss_bad": 1.0,
                    "loss_good": 0.0,
                }
            },
            "3.23 %",
        ),
        ({"loss": {"model": "unheard of"}}, "–"),
        (None, "–"),
    ],
)
def test_the_loss_asked_for_is_the_long_run_share(link: Any, shown: str) -> None:
    assert asked_loss(link) == shown


def test_counted_loss_is_of_the_decisions_that_loss_took_over_all_trials() -> None:
    down = LinkCounters(packets_in=90, duplicated=10, packets_out=80, lost=20, loss_decisions=100)
    trials = [trial(cell("lte"), "h2", block, 1.0, counters=Counters(down=down)) for block in (0, 1)]
    found = link_reports({"h2": trials, "h3": []}, None)
    assert [(one.arm, one.direction, one.packets, one.loss) for one in found] == [
        ("h2", "down", 180, "20.00 % (40)")
    ]
