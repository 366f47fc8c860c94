"""Sampling until the answer is known: rounds that advance all cells, and go on the same after a cut."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pronghorn import plan
from pronghorn.analysis.sequential import Boundary
from pronghorn.execute.rounds import Rounds
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import MOST_ATTEMPTS, Trial
from pronghorn.plan import Block

from ..laboratory import Laboratory
from ..model.experiments import parse
from .sampled import RATIOS, Watcher, measured

LOOKS = Boundary.between(6, 24).looks

Measure = Callable[[Block, str, int], Trial]


def experiment(repeat: str = "{ min = 6, max = 24 }") -> Experiment:
    paths = "".join(f"[path.{name}]\ndown = {{}}\nup = {{}}\n" for name in RATIOS)
    return parse(
        f'sites = ["tiny"]\npaths = {list(RATIOS)}\narms = ["h2", "h3"]\nseed = 3\nrepeat = {repeat}\n{paths}'
    )


def spoilt(block: Block, arm: str, attempt: int) -> Trial:
    """As `measured`, but of every fourth block the first attempts are contaminated, of one all are."""
    found = measured(block, arm, attempt)
    wrong = block.number % 4 == 1 and (attempt == 0 or block.number == 5)
    return found.model_copy(update={"status": "contaminated", "reason": "late"}) if wrong else found


def make(
    design: Experiment, recorded: list[Trial], measure: Measure = measured, watcher: Watcher | None = None
) -> tuple[list[Trial], list[dict[str, int]]]:
    """All trials of a run that goes on after `recorded`; and of each round how many blocks each path got."""
    blocks = plan.make(design, dict.fromkeys(design.cells(), 1.0))
    rounds = Rounds(design, blocks, watcher or Watcher())
    trials, taken = list(recorded), []
    while due := rounds.due(trials):
        taken.append({path: sum(block.cell.path == path for block in due) for path in RATIOS})
        for block in due:
            trials += finished(block, trials, measure)
    return trials, taken


def finished(block: Block, trials: list[Trial], measure: Measure) -> list[Trial]:
    """What a block still lacks."""
    mine = {
        (one.attempt, one.arm): one for one in trials if (one.cell, one.block) == (block.cell, block.number)
    }
    made = []
    for attempt in range(MOST_ATTEMPTS):
        for arm in block.order:
            if (attempt, arm) not in mine:
                made.append(measure(block, arm, attempt))
                mine[attempt, arm] = made[-1]
            if attempt + 1 < MOST_ATTEMPTS and mine[attempt, arm].status == "contaminated":
                break
        else:
            break
    return made


def blocks(trials: list[Trial]) -> Mapping[str, int]:
    return {path: len({one.block for one in trials if one.cell.path == path}) for path in RATIOS}


def test_a_fixed_number_of_blocks_is_one_round() -> None:
    _, taken = make(experiment("7"), [])
    assert taken == [dict.fromkeys(RATIOS, 7)]


def test_every_cell_advances_to_its_next_look_until_it_is_decided() -> None:
    watcher = Watcher()
    trials, taken = make(experiment(), [], watcher=watcher)
    assert taken[0] == dict.fromkeys(RATIOS, LOOKS[0])
    assert blocks(trials)["plain"] == LOOKS[0]
    assert LOOKS[0] < blocks(trials)["near"] < 24
    assert blocks(trials)["open"] == 24
    assert all(count in LOOKS for count in blocks(trials).values())
    for earlier, later, following in zip(LOOKS, LOOKS[1:], taken[1:], strict=False):
        assert set(following.values()) <= {0, later - earlier}
    assert [cell.path for cell in watcher.settled] == ["plain", "near", "open"]


def test_a_cell_whose_time_is_up_gets_no_further_block_though_it_is_undecided() -> None:
    within = '{ min = 6, max = 24, within = "8s" }'
    trials, _ = make(experiment(within), [])
    whole, _ = make(experiment(), [])
    assert blocks(trials)["plain"] == blocks(whole)["plain"]
    assert blocks(trials)["open"] in LOOKS[:-1]
    assert blocks(trials)["open"] < blocks(whole)["open"]
    for cut in range(0, len(trials), 13):
        again, _ = make(experiment(within), trials[:cut])
        assert {one.key for one in again} == {one.key for one in trials}


@pytest.mark.parametrize("measure", [measured, spoilt])
def test_a_run_that_was_cut_anywhere_takes_the_same_blocks(measure: Measure) -> None:
    design = experiment()
    whole, _ = make(design, [], measure)
    wanted = {one.key: one for one in whole}
    for cut in range(0, len(whole), 13):
        again, _ = make(design, whole[:cut], measure)
        assert {one.key: one for one in again} == wanted


def test_a_trial_that_was_lost_from_the_journal_is_measured_again_and_no_further_block() -> None:
    design = experiment()
    whole, _ = make(design, [])
    for gone in (0, 5, len(whole) - 1):
        again, _ = make(design, whole[:gone] + whole[gone + 1 :])
        assert {one.key for one in again} == {one.key for one in whole}


SAMPLED = ("--set", "repeat={ min = 6, max = 40 }")


def test_a_run_stops_when_it_is_decided_and_tells_what_it_saved(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", *SAMPLED)
    assert result.status == 0, result.stderr
    summary = json.loads(Path("out/summary.json").read_text(encoding="utf-8"))
    for cell in summary["cells"]:
        assert (cell["stopping"]["reason"], cell["stopping"]["blocks"]) == ("decided", cell["blocks"])
        assert cell["blocks"] < 40
        assert cell["stopping"]["saved"] == 40 - cell["blocks"]
        assert max(t.block for t in laboratory.trials("out") if t.cell.path == cell["path"]) < cell["blocks"]
    said = " ".join(result.stdout.split())
    assert "Sampling stopped after" in said
    assert "note: Sampled until decided: 2 of 2 cells stopped early" in said
    report = " ".join(Path("out/report.html").read_text(encoding="utf-8").split())
    assert "2 of 2 cells stopped early" in report
    assert "of at most 40" in report
    assert "The number of blocks was not fixed" in report
    assert "Fake: at most 240 trials in 2 cells" in result.stderr
    *_, last = (line for line in result.stderr.splitlines() if " trials, " in line)
    assert f"{len(laboratory.trials('out'))} of {len(laboratory.trials('out'))} trials" in last


def test_a_sampled_run_resumes_to_the_same_summary(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", "paths=far", *SAMPLED)
    summary = Path("out/summary.json").read_bytes()
    result = laboratory.run("run", "--resume", "out")
    assert result.status == 0, result.stderr
    assert Path("out/summary.json").read_bytes() == summary
    journal = Path("out/trials.jsonl")
    lines = journal.read_text(encoding="utf-8").splitlines()
    journal.write_text("\n".join(lines[: len(lines) // 2]) + "\n", encoding="utf-8")
    keys = {json.dumps([line["cell"], line["block"], line["arm"]]) for line in map(json.loads, lines[1:])}
    assert laboratory.run("run", "--resume", "out").status == 0
    again = map(json.loads, journal.read_text(encoding="utf-8").splitlines()[1:])
    assert {json.dumps([line["cell"], line["block"], line["arm"]]) for line in again} == keys
