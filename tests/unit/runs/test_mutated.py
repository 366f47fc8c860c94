"""Results, journals and manifests after whatever befell them: no traceback, no good line lost, and the run
goes on."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest

from pronghorn import plan
from pronghorn.clients import result
from pronghorn.conclude.summarised import summarise
from pronghorn.execute.observer import Observer
from pronghorn.execute.rounds import Rounds
from pronghorn.model import belonging
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import PageLoad, Trial
from pronghorn.report import html
from pronghorn.report.markdown import markdown
from pronghorn.runs import directory as files
from pronghorn.runs import journal
from pronghorn.runs.prepare import Request, resolve
from pronghorn.runs.skim import skim, through

from ..laboratory import Laboratory
from .mutations import mutated, mutated_lines

CASES = 68
"""Of each kind: over 200 in all."""

SHOWN = 12
"""Every so many cases a report is written, which takes longer than all else."""


@pytest.fixture
def run(laboratory: Laboratory) -> Path:
    assert laboratory.run("run", "experiment.toml", "--out", "made").status == 0
    return laboratory.folder / "made"


def copies(run: Path) -> Iterator[tuple[Random, Path]]:
    """A copy of the run for each case."""
    for case in range(CASES):
        copy = run.with_name(f"case-{case}")
        shutil.copytree(run, copy)
        yield Random(case), copy
        shutil.rmtree(copy)


def due(experiment: Experiment, trials: list[Trial]) -> list[tuple[str, int]]:
    """The blocks that are left of the experiment, as a run that is resumed has them."""
    blocks = plan.make(experiment, dict.fromkeys(experiment.cells(), 1.0))
    return [
        (str(one.cell), one.number) for one in Rounds(experiment, blocks, Mock(spec=Observer)).due(trials)
    ]


def missing(experiment: Experiment, trials: list[Trial]) -> set[tuple[str, int]]:
    """The same, counted: an uncontaminated block needs a trial of every arm."""
    arms = {arm.name for arm in experiment.arms}
    last: dict[tuple[str, int], int] = {}
    for one in trials:
        key = (str(one.cell), one.block)
        last[key] = max(last.get(key, 0), one.attempt)
    kept = [one for one in trials if one.attempt == last[str(one.cell), one.block]]
    there = {(str(one.cell), one.block, one.arm) for one in kept}
    spoilt = {(str(one.cell), one.block) for one in kept if one.status == "contaminated"}
    return {
        (str(cell), block)
        for cell in experiment.cells()
        for block in range(experiment.repeat)
        if any((str(cell), block, arm) not in there for arm in arms)
        or ((str(cell), block) in spoilt and last[str(cell), block] + 1 < experiment.attempts)
    }


def test_mutated_journals_lose_no_good_line_and_can_be_resumed(run: Path) -> None:
    experiment = resolve(Request(resume=run))
    belongs = belonging.of(experiment)
    whole = (run / journal.JOURNAL).read_bytes()
    good = {line: Trial.model_validate_json(line).key for line in whole.splitlines()[1:]}
    for random, copy in copies(run):
        content = mutated_lines(whole, random)
        (copy / journal.JOURNAL).write_bytes(content)
        looked = journal.look(copy, belongs)
        contents = journal.read(copy, belongs)
        assert [one.key for one in looked.trials] == [one.key for one in contents.trials]
        keys = {one.key for one in contents.trials}
        assert {good[line] for line in content.split(b"\n") if line in good} <= keys
        aside = copy / journal.CORRUPT
        after = (copy / journal.JOURNAL).read_bytes() + (aside.read_bytes() if aside.exists() else b"")
        assert Counter(filter(None, after.split(b"\n"))) == Counter(filter(None, content.split(b"\n")))
        assert len(contents.warnings) == (aside.read_bytes().count(b"\n") if aside.exists() else 0)
        again = journal.read(copy, belongs)
        assert (again.trials, again.warnings) == (contents.trials, [])
        skimmed = skim(copy, belongs)
        assert ([one.key for one in skimmed.trials], skimmed.warnings) == (
            [one.key for one in again.trials],
            [],
        )
        assert [skimmed.whole(one) for one in skimmed.trials] == contents.trials
        assert set(due(experiment, contents.trials)) == missing(experiment, contents.trials)
        (copy / journal.JOURNAL).write_bytes(content)
        assert through(copy, lambda found: list(map(found.whole, found.trials)), belongs) == contents.trials


def test_mutated_manifests_are_left_out_as_far_as_need_be(run: Path) -> None:
    whole = (run / files.MANIFEST).read_bytes()
    told = json.loads(whole)
    trials = journal.read(run).trials
    experiment = resolve(Request(resume=run))
    summary = summarise(experiment, trials, told)
    for case, (random, copy) in enumerate(copies(run)):
        (copy / files.MANIFEST).write_bytes(mutated(whole, random))
        notes, warnings = files.read_manifest(copy)
        left = {key: value for key, value in notes.items() if key in told}
        assert warnings or len(left) >= len(told) - 5
        assert markdown(summary, notes)
        if case % SHOWN == 0:
            assert html.document(summarise(experiment, trials, notes), trials, notes)


def test_the_program_goes_on_with_a_mutated_run(laboratory: Laboratory, run: Path) -> None:
    trials = {one.key for one in journal.look(run).trials}
    parts = {journal.JOURNAL: mutated_lines, files.MANIFEST: mutated}
    for name, mutate in parts.items():
        (run / name).write_bytes(mutate((run / name).read_bytes(), Random(1001)))
    for words in (("report", "made"), ("compare", "made", "made"), ("run", "--resume", "made")):
        done = laboratory.run(*words)
        assert done.status == 0, done.stderr
    assert {one.key for one in journal.look(run).trials} == trials
    assert files.read_manifest(run).warnings == []


SHORT = {
    "ok": True,
    "load_s": 0.25,
    "ttfb_s": 0.1,
    "protocol": "h3",
    "requests": [{"path": "/", "status": 200, "bytes": 1200}, {"path": "/a.js", "status": 200, "bytes": 30}],
}
LONG = {
    "outcome": "ok",
    "load_s": 0.25,
    "requests": 1,
    "bytes": 1200,
    "vitals": {"fcp_s": 0.1, "lcp_s": 0.2, "cls": 0.0, "tbt_s": None},
    "connections": [{"protocol": "h2", "start_s": 0.0, "settings": {"initial_window": 10}}],
    "resources": [
        {"path": "/", "protocol": "h2", "status": 200, "bytes": 1200, "last_byte_s": 0.2, "own": 3}
    ],
}


@pytest.mark.parametrize("form", [SHORT, LONG], ids=["short", "long"])
def test_mutated_results_are_loads_within_the_bounds_or_told_apart(tmp_path: Path, form: object) -> None:
    file = tmp_path / "result.json"
    loads = 0
    for case in range(CASES):
        file.write_bytes(mutated(json.dumps(form).encode(), Random(2000 + case)))
        try:
            page = result.read(file)
        except ValueError as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 400
            continue
        loads += 1
        assert PageLoad.model_validate_json(page.model_dump_json()) == page
    assert 0 < loads < CASES
