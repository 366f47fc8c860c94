"""Pronghorn from Python: what is offered, and what it gives."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import polars as pl
import pytest

import pronghorn
from pronghorn.errors import InputError
from pronghorn.export import rows
from pronghorn.face import running
from pronghorn.model.trial import Resource
from pronghorn.runs import parquet

from ..laboratory import Laboratory

PUBLIC = {"Run", "RunFailed", "open_run", "run", "__version__"}
OF_RUN = {
    "comparisons",
    "experiment",
    "headline",
    "manifest",
    "path",
    "records",
    "requests",
    "summary",
    "trials",
}


@pytest.fixture
def run(laboratory: Laboratory) -> Iterator[pronghorn.Run]:
    words = ("--set", "repeat=2", "--set", "paths=near", "--out", "made")
    assert laboratory.run("run", "experiment.toml", *words).status == 0
    yield pronghorn.open_run("made")


def test_what_is_offered_is_named_documented_and_typed() -> None:
    assert set(pronghorn.__all__) == PUBLIC
    with pytest.raises(AttributeError):
        getattr(pronghorn, "nothing")  # noqa: B009
    for function in (pronghorn.run, pronghorn.open_run):
        assert inspect.getdoc(function)
        assert set(get_type_hints(function)) == {*inspect.signature(function).parameters, "return"}
    public = {name for name in dir(pronghorn.Run(Path())) if not name.startswith("_")}
    assert public == OF_RUN
    page = (Path(__file__).parents[3] / "docs/python.md").read_text(encoding="utf-8")
    assert not {name for name in (PUBLIC | OF_RUN) - {"__version__"} if f"`{name}" not in page}


def test_a_run_is_read_as_frames(run: pronghorn.Run) -> None:
    assert run.trials.height == 2 * 3
    assert run.trials.columns == list(parquet.columns())
    assert set(run.requests["arm"]) == {"h1", "h2", "h3"}
    assert run.requests.height == sum(len(trial.page.resources) for trial in run.records if trial.page)
    assert run.comparisons.columns == [name for name in rows.COLUMNS if name != "resource"]
    medians = run.comparisons.filter(pl.col("statistic") == "median", pl.col("metric") == "load")
    assert dict(medians.select("arm", "value_s").iter_rows()) == {
        name: arm.median for name, arm in run.summary.cells[0].arms.items()
    }
    assert run.headline == run.summary.headline
    assert run.experiment.seed == 7
    assert run.manifest["name"] == "Fake"


def test_requests_have_all_that_a_client_tells(run: pronghorn.Run) -> None:
    of_trial = ["site", "path", "origin", "client", "kernel", "arm", "block", "attempt", "trial_status"]
    told = ["url_path" if name == "path" else name for name in Resource.model_fields]
    assert run.requests.columns == [*of_trial, *told]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        pronghorn.open_run(tmp_path)


@pytest.mark.usefixtures("laboratory")
def test_a_run_is_made_and_opened() -> None:
    made = pronghorn.run(
        "experiment.toml", out="made", seed=5, settings={"repeat": 1, "paths": ["near"]}, progress=False
    )
    assert made.path == Path("made")
    assert (made.experiment.seed, made.experiment.repeat) == (5, 1)
    assert [path.name for path in made.experiment.paths] == ["near"]


@pytest.mark.usefixtures("laboratory")
def test_a_table_is_an_experiment() -> None:
    link = {"rate": "1Gbit", "delay": "500us"}
    table = {
        "name": "Of a table",
        "sites": ["tiny"],
        "paths": ["mine"],
        "arms": ["h2", "h3"],
        "repeat": 1,
        "path": {"mine": {"down": link, "up": link}},
    }
    made = pronghorn.run(table)
    assert made.experiment.name == "Of a table"
    assert made.path.name.endswith("-of-a-table")


@pytest.mark.usefixtures("laboratory")
def test_what_fails_says_why() -> None:
    with pytest.raises(pronghorn.RunFailed, match="no such file") as failed:
        pronghorn.run("nothing.toml", progress=False)
    assert failed.value.status == 2


def test_ctrl_c_ends_the_run_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_finished", lambda words, progress: (130, []))  # noqa: ARG005
    with pytest.raises(KeyboardInterrupt):
        pronghorn.run("default")
