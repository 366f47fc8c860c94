"""What a person sees while a run lasts: counts, running medians, time left."""

import io
import math

import pytest

from pronghorn.cli import progress
from pronghorn.cli.progress import OnTerminal, Plain, duration
from pronghorn.cli.tally import Tally
from pronghorn.execute.observer import Outlook
from pronghorn.execute.trial import Assignment
from pronghorn.model import arm as arms
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec
from pronghorn.model.sampling import Sampling
from pronghorn.model.trial import Cell, Metrics, Status, Trial
from pronghorn.plan import Block
from pronghorn.terminal import Terminal

LINK = LinkSpec(delay_ns=10**7, rate_bit_per_s=10**7)
CELL = Cell(site="tiny", path="far", origin="builtin", client="native")
EXPERIMENT = Experiment(
    name="Watched",
    sites=("tiny",),
    paths=(PathProfile(name="far", spec=PathSpec(down=LINK, up=LINK)),),
    origins=("builtin",),
    clients=("native",),
    arms=(arms.parse("h2"), arms.parse("h3")),
    baseline="h2",
    repeat=3,
    limit="180s",
    margin_text="3%",
    seed=1,
)


def trial(arm: str, block: int, load_s: float | None, status: Status = "ok", attempt: int = 0) -> Trial:
    return Trial(
        cell=CELL,
        arm=arm,
        block=block,
        attempt=attempt,
        position=0,
        path_seed=0,
        slot=0,
        started="2026-01-01T00:00:00.000Z",
        status=status,
        metrics=Metrics(load_s=load_s, wall_s=2.0),
    )


def outlook(*recorded: Trial, jobs: int = 1, beside: float = 1.0) -> Outlook:
    return Outlook(EXPERIMENT, recorded, jobs, {CELL: 5.0}, {CELL: beside})


def test_recorded_trials_count_as_done() -> None:
    tally = Tally(outlook(trial("h2", 0, 1.0)))
    assert (tally.done, tally.wanted) == (1, 6)


def test_a_contaminated_trial_undoes_its_block() -> None:
    tally = Tally(outlook(trial("h2", 0, 1.0), trial("h3", 0, None, "contaminated")))
    assert (tally.done, tally.contaminated, tally.wanted) == (0, 1, 6)


def test_a_block_that_is_kept_out_is_no_longer_wanted() -> None:
    tally = Tally(outlook(*(trial("h3", 0, None, "contaminated", attempt) for attempt in range(3))))
    assert (tally.done, tally.contaminated, tally.wanted) == (0, 3, 4)


def test_what_else_is_loaded_in_a_block_that_is_kept_out_does_not_count() -> None:
    attempts = [trial("h3", 0, None, "contaminated", attempt) for attempt in range(3)]
    tally = Tally(outlook(*attempts, trial("h2", 0, 1.0, attempt=2)))
    assert (tally.done, tally.contaminated, tally.wanted) == (0, 3, 4)


def test_of_a_sampled_cell_no_more_is_wanted_once_it_is_settled() -> None:
    sampled = EXPERIMENT.model_copy(update={"repeat": 60, "sampling": Sampling(least=6, most=60)})
    tally = Tally(Outlook(sampled, [trial("h2", 0, 1.0), trial("h3", 0, 1.0)], 1, {CELL: 5.0}, {CELL: 1.0}))
    assert (tally.done, tally.wanted, tally.at_most) == (2, 120, True)
    tally.settle(CELL)
    assert (tally.done, tally.wanted, tally.left_s()) == (2, 2, 0)


def test_failed_loads_count_as_endless_in_the_running_median() -> None:
    tally = Tally(outlook(trial("h2", 0, 1.0), trial("h2", 1, 3.0, "failed"), trial("h2", 2, 2.0)))
    assert tally.median_s(CELL, "h2") == 2.0
    assert tally.median_s(CELL, "h3") is None
    tally.record(trial("h2", 0, 1.0, "failed"))
    assert tally.median_s(CELL, "h2") == math.inf


def test_the_time_left_follows_what_trials_took_and_how_many_run_side_by_side() -> None:
    assert Tally(outlook()).left_s() == pytest.approx(6 * 5.0)
    assert Tally(outlook(trial("h2", 0, 1.0))).left_s() == pytest.approx(5 * 2.0)
    assert Tally(outlook(trial("h2", 0, 1.0), jobs=5, beside=2.5)).left_s() == pytest.approx(4.0)


def test_a_terminal_shows_cells_medians_and_what_runs() -> None:
    text = io.StringIO()
    shown = OnTerminal(Terminal(file=text, force_terminal=True, width=100, height=30, color_system=None))
    with shown.display:
        shown.begins(outlook())
        shown.starts(Assignment(Block(CELL, 0, ("h2", "h3"), 0), "h2", 0, 0, 0))
        shown.display.refresh()
        assert "now: far h2" in text.getvalue()
        shown.ends(trial("h2", 0, 0.25))
        shown.warns("something to know")
        shown.display.refresh()
    for expected in (
        "Watched: 6 trials in 1 cell; about 30 s;",
        "h2, median",
        "250 ms",
        "1/6",
        "1 of 6 trials",
        "something to know",
    ):
        assert expected in text.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.0123456, "12.3 ms"),
        (0.9994, "999 ms"),
        (0.9999, "1 s"),
        (31.84, "31.8 s"),
        (math.inf, "failed"),
    ],
)
def test_times_have_a_unit_and_three_digits(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_how_the_arms_stand_is_said_from_the_first_block_on_without_a_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("pronghorn.cli.progress.time.monotonic", lambda: now[0])
    shown = Plain()
    shown.begins(outlook())
    shown.ends(trial("h2", 0, 1.0))
    now[0] = 10.0
    shown.ends(trial("h3", 0, 0.8))
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "so far, after 1 block, without a verdict: h3 20 % faster than h2 on far"
    now[0] = 20.0
    shown.ends(trial("h2", 1, 1.0))
    assert capsys.readouterr().err.splitlines() == ["3 of 6 trials, about 6 s left"]


@pytest.mark.parametrize(
    ("loads", "said"),
    [
        ((1.0, 1.12), "h3 12 % slower than h2 on far"),
        ((1.0, 2.34), "h3 takes 2.3 times as long as h2 on far"),
        ((1.0, 1.001), "h3 as fast as h2 on far"),
        ((1.0, None), None),
    ],
)
def test_a_failed_arm_has_no_standing(loads: tuple[float, float | None], said: str | None) -> None:
    tally = Tally(outlook(trial("h2", 0, loads[0]), trial("h3", 0, loads[1], "ok" if loads[1] else "failed")))
    assert [one.blocks for one in tally.so_far()] == ([1] if said else [])
    found = progress._so_far(tally)
    assert found is None if said is None else str(found).endswith(said)
