"""A run warns where the state that an arm asks for was not seen, and says what a kept client makes of it."""

from collections.abc import Sequence
from typing import Any

import pytest

from pronghorn.cautions.unseen_state import cautions
from pronghorn.model.trial import Connection, Trial

from ..analysis.pages import loaded, page, resource
from ..model.experiments import parse

LTE = '[path.lte]\ndown = { delay = "75ms" }\nup = {}\n'
ARMS = ["h2", "h2+0rtt", "h2+resumed", "h3", "h3+0rtt"]


def said(trials: Sequence[Trial], more: str = "", arms: Sequence[str] = ARMS) -> list[str]:
    experiment = parse(f'{more}sites = ["tiny"]\npaths = ["lte"]\narms = {list(arms)}\nseed = 1\n{LTE}')
    found = [f"{one.code}: {one.text}" for one in cautions(experiment, trials)]
    return [text for text in found if arms is not ARMS or not text.startswith("unequal-visits: ")]


def test_arms_of_which_some_made_a_visit_before_are_told() -> None:
    (found,) = said([], arms=["h2+tls12", "h3+0rtt"])
    assert found.startswith(
        "unequal-visits: h3+0rtt loaded the page once before, unmeasured; h2+tls12 did not."
    )
    assert said([], arms=["h2+resumed", "h3+0rtt"]) == []
    assert said([], arms=["h2", "h3"]) == []


def load(arm: str, **connection: Any) -> Trial:
    one = Connection(protocol=arm[:2], **{"connected_s": 0.1, **connection})
    return loaded(arm, 0, 0.5, page([resource(0, arm[:2])]).model_copy(update={"connections": [one]}))


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (load("h3+0rtt"), "no accepted 0-RTT data was seen"),
        (load("h3+0rtt", resumed=True, early_data="rejected"), "no accepted 0-RTT data was seen"),
        (load("h2+0rtt", resumed=False), "no accepted 0-RTT data was seen"),
        (load("h2+resumed", resumed=False), "no session was resumed"),
        (load("h3", early_data="accepted"), "0-RTT data was sent, although the arm asks for none,"),
    ],
)
def test_a_state_that_was_not_seen_is_told(trial: Trial, words: str) -> None:
    assert said([trial]) == [f"state: {trial.arm} on {trial.cell}: {words} in 1 of 1 load."]


def test_nothing_is_said_of_states_that_were_seen_or_cannot_be() -> None:
    seen = [
        load("h3+0rtt", resumed=True, early_data="accepted"),
        load("h2+resumed", resumed=True),
        load("h2+resumed"),
        load("h2+0rtt"),
        load("h3"),
        load("h3+0rtt", connected_s=None),
    ]
    assert said(seen) == []


def test_a_kept_client_shook_hands_in_some_loads_only() -> None:
    trials = [load("h2"), *[load("h2", connected_s=None) for _ in range(3)]]
    (found,) = said(trials, 'state = "kept"\n')
    assert found.startswith(
        "kept: Clients kept their connections between loads: 1 of 4 loads opened a new one"
    )
    assert said(trials) == []


def test_tickets_that_come_a_second_time_are_told() -> None:
    once = {"quic": {"redeemed": 1, "replayed": 0, "unknown": 0}}
    twice = {"quic": {"redeemed": 0, "replayed": 1, "unknown": 0}}
    resumed = load("h3+0rtt", resumed=True, early_data="accepted")
    assert said([resumed.model_copy(update={"origin_tickets": once})]) == []
    (found,) = said([resumed.model_copy(update={"origin_tickets": twice})])
    assert found.startswith("replays: In 1 trial the client offered session tickets")
