"""Cloudflare's question runs, on its quick cells: all arms as asked, and their differences taken apart."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pronghorn.analysis.verdict import MINIMUM_BLOCKS
from pronghorn.model.trial import Trial

from . import programme
from .programme import Run

pytestmark = [pytest.mark.needs("engine", "guest"), pytest.mark.beside]

BLOCKS = 2


def run(
    name: str, folder: Path, arms: Sequence[str], enough: Callable[[list[Trial]], bool] = lambda _: True
) -> tuple[Run, list[Trial]]:
    """A run of the experiment at two blocks on its nearest path, with its page of 15 kB, and its loads; more
    where a busy host left an arm without one or not `enough`. None of them failed."""
    sets = (f"--set=repeat={BLOCKS}", "--set=paths=wpt-cable", "--set=sites=page-15k", "--set=clock=virtual")
    found = programme.load_every_arm(
        name, *sets, arms=arms, folder=folder, enough=lambda found: enough(found.loads)
    )
    assert not [(trial.key, trial.detail) for trial in found.loads if trial.status == "failed"]
    return found.run, found.loads


def states(trials: list[Trial]) -> dict[str, set[tuple[bool | None, str | None]]]:
    """Whether the connections of each arm resumed a session, and what became of their early data: where a
    busy host delays a request by a round trip it leaves after the handshake."""
    found: dict[str, set[tuple[bool | None, str | None]]] = {}
    for trial in trials:
        if trial.page is not None:
            found.setdefault(trial.arm, set()).update(
                (one.resumed, one.early_data) for one in trial.page.connections
            )
    return found


def sent_early(trials: list[Trial]) -> set[str]:
    """The arms of which some loads sent early data."""
    return {arm for arm, seen in states(trials).items() if "accepted" in {early for _, early in seen}}


def assert_taken_apart(found: Run, orders: list[list[str]]) -> None:
    """Each order of steps makes up the whole; two blocks are too few for shares, and say so."""
    summary = found.summary()
    assert [[step.name for step in one.steps] for one in summary.explanations] == orders
    for one in summary.explanations:
        assert one.words in found.report().replace("\u00a0", " ")
        if one.blocks:
            assert math.prod(step.ratio or 0 for step in one.steps) == pytest.approx(one.total.ratio)
        assert one.reason == f"it needs more blocks ({one.blocks} of at least {MINIMUM_BLOCKS})"
    assert "What explains the difference" in found.report()


def test_the_pages_with_both_controls_over_both_protocols(tmp_path: Path) -> None:
    arms = ("h2@bbr", "h3@cubic", "h2@cubic", "h3@bbr", "h3@cubic#iw10", "h3@bbr#iw10")
    found, trials = run("cloudflare-pages", tmp_path, arms)
    assert {trial.arm for trial in trials} == set(arms)
    for trial in trials:
        arm, _, label = trial.arm.partition("#")
        protocol, _, control = arm.partition("@")
        assert trial.knobs == ({"initial_window": 14480} if label else {})
        assert trial.page is not None and {one.protocol for one in trial.page.resources} == {protocol}
        assert {one.congestion_control for one in trial.origin_connections} == {control}
    assert_taken_apart(
        found,
        [
            ["congestion control", "HTTP/3 and its stack", "initial window"],
            ["HTTP/3 and its stack", "congestion control", "initial window"],
            ["HTTP/3 and its stack", "initial window"],
        ],
    )


def test_the_first_byte_cold_resumed_and_with_early_data(tmp_path: Path) -> None:
    arms = ("h2", "h3", "h2+resumed", "h3+resumed", "h2+0rtt", "h3+0rtt")
    with_early_data = {"h2+0rtt", "h3+0rtt"}
    found, trials = run(
        "cloudflare-first-byte", tmp_path, arms, lambda trials: sent_early(trials) == with_early_data
    )
    assert states(trials).keys() == set(arms)
    for arm, seen in states(trials).items():
        assert {resumed for resumed, _ in seen} == {"+" in arm}
    assert sent_early(trials) == with_early_data
    assert_taken_apart(
        found,
        [
            ["HTTP/3 and its handshake", "resumption", "0-RTT data"],
            ["resumption", "0-RTT data", "HTTP/3 and its handshake"],
        ],
    )
