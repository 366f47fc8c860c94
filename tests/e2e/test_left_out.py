"""A page most of which lies elsewhere is warned of before its verdict; a failure that is tolerated is counted
and fails nothing."""

from pathlib import Path

import pytest

from . import experiments, programme
from .programme import Run

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

ELSEWHERE = 20
HEAD = '<!doctype html><link rel="icon" href="data:,"><title>Mirrored</title><img src="/own.gif">'
MIRRORED = HEAD + "".join(f'<img src="https://cdn.example/{place}.gif">' for place in range(ELSEWHERE))


def loaded(folder: Path, document: str, *sets: str) -> tuple[str, Run]:
    """What a run of one block of a page says, and the run; however busy the host is, it was loaded."""
    site = folder / "page"
    site.mkdir()
    (site / "index.html").write_text(document, encoding="utf-8")
    (site / "own.gif").write_bytes(b"GIF89a" + bytes(600))
    experiment = experiments.write(folder, arms=("h2", "h3"), repeat=2, sites=("dir:page",))
    result = programme.run("run", str(experiment), *sets, "--verbose", "--out", "out", folder=folder)
    programme.assert_ended(result)
    return result.stdout, Run(folder / "out")


def test_references_elsewhere_are_counted_and_warned_of_first(tmp_path: Path) -> None:
    said, run = loaded(tmp_path, MIRRORED)
    for trial in run.trials():
        assert trial.page is not None
        assert (trial.page.requests, trial.page.left_out_count) == (2, ELSEWHERE)
        assert {one.why for one in trial.page.left_out} == {"other-host"}
    if not run.summary().cells[0].blocks:
        # A busy host had both blocks rejected: there is no verdict to be warned of.
        return
    assert said.startswith("warning: near: native left out 20 of 22 references of the page (other-host 20")
    assert "https://cdn.example/0.gif" in run.report()
    loads = run.summary().cells[0].arms["h3"].loaded
    assert loads is not None
    assert (loads.requests, loads.left_out) == (2, ELSEWHERE)


def test_a_tolerated_failure_is_counted_and_fails_nothing(tmp_path: Path) -> None:
    _, run = loaded(tmp_path, f'{HEAD}<img src="/collect?id=1">', '--set=tolerate=["/collect*"]')
    assert {trial.status for trial in run.trials()} <= {"ok", "contaminated"}
    cell = run.summary().cells[0]
    if cell.blocks:
        assert "1 failure tolerated" in cell.loaded_words
