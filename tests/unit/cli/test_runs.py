"""`pronghorn runs` lists, opens, compares and deletes runs, and deletes nothing else."""

import io
import json
import shutil
from pathlib import Path

import pytest

from pronghorn.runs.directory import RunDirectory

from ..laboratory import Laboratory

MADE: list[Path] = []
"""The runs of the first test, which the others copy."""


@pytest.fixture
def two_runs(laboratory: Laboratory, tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    """A laboratory with the runs `first` and `second`."""
    if not MADE:
        for name in ("first", "second"):
            words = ("--set", "repeat=1", "--set", "paths=near", "--out", f"runs/{name}")
            assert laboratory.run("run", "experiment.toml", *words).status == 0
        MADE.append(tmp_path_factory.mktemp("runs") / "runs")
        shutil.copytree("runs", MADE[0])
    else:
        shutil.copytree(MADE[0], laboratory.folder / "runs")
    return laboratory


def refusal(laboratory: Laboratory, *words: str) -> str:
    """The message of what is refused; it changes nothing."""
    before = {file: file.lstat().st_mtime_ns for file in laboratory.folder.rglob("*")}
    result = laboratory.run("runs", *words)
    assert result.status == 2, result.stdout
    assert len(result.stderr.splitlines()) <= 3
    assert {file: file.lstat().st_mtime_ns for file in laboratory.folder.rglob("*")} == before
    return result.stderr


def make_map(folder: Path, batch: Path) -> None:
    (folder / "batches").mkdir(parents=True)
    (folder / "map.toml").write_text('site = "small"\n', encoding="utf-8")
    shutil.copytree(batch, folder / "batches/1")


def test_they_are_listed_with_how_they_stand(two_runs: Laboratory) -> None:
    (two_runs.folder / "runs/notes").mkdir()
    make_map(two_runs.folder / "runs/charted", two_runs.folder / "runs/first")
    result = two_runs.run("runs", "list")
    assert (result.status, result.stderr) == (0, "")
    told = {line.split()[0]: line for line in result.stdout.splitlines() if line.strip()}
    assert "Fake" in told["first"] and " done " in told["first"] and "undecided" in told["first"]
    assert "map of small" in told["charted"] and " stopped " in told["charted"]
    assert "notes" not in told
    assert "3 runs, " in result.stdout


def test_json_has_the_same(two_runs: Laboratory) -> None:
    told = json.loads(two_runs.run("runs", "list", "--json").stdout)["runs"]
    assert sorted(each["name"] for each in told) == ["first", "second"]
    assert all(each["trials"] == 3 and each["state"] == "done" for each in told)
    assert all(each["total_bytes"] == sum(each["disk_bytes"].values()) for each in told)


def test_a_run_that_was_cut_is_stopped_and_one_that_is_locked_is_in_use(two_runs: Laboratory) -> None:
    manifest = two_runs.folder / "runs/first/manifest.json"
    notes = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(notes | {"ended": None}), encoding="utf-8")
    with RunDirectory(two_runs.folder / "runs/second", resume=True):
        told = json.loads(two_runs.run("runs", "list", "--json").stdout)["runs"]
    assert {each["name"]: each["state"] for each in told} == {"first": "stopped", "second": "in use"}


def test_what_a_hand_has_written_into_a_run_ends_no_list(two_runs: Laboratory) -> None:
    folder = two_runs.folder / "runs/first"
    (folder / "manifest.json").write_text("[1", encoding="utf-8")
    (folder / "summary.json").write_text('{"cells": [7, {"comparisons": [null, {"verdict": 1}]}]}')
    (folder / "experiment.toml").write_text("name = \x1b[31m", encoding="utf-8")
    result = two_runs.run("runs", "list")
    assert result.status == 0
    assert "damaged" in result.stdout
    assert "\x1b" not in result.stdout


def test_disk_is_told_by_part(two_runs: Laboratory) -> None:
    result = two_runs.run("runs", "disk")
    assert result.status == 0
    assert {"run", "disk", "artifacts", "trials"} <= set(result.stdout.split())


def test_a_report_is_opened_or_named(two_runs: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert two_runs.run("runs", "open", "first").stdout == "runs/first/report.html\n"
    assert two_runs.run("runs", "open").stdout.startswith("runs/")
    (two_runs.folder / "runs/first/report.html").unlink()
    assert "pronghorn report runs/first" in refusal(two_runs, "open", "first")


def test_two_are_compared_by_their_names(two_runs: Laboratory) -> None:
    result = two_runs.run("runs", "compare", "first", "second", "--json")
    assert result.status == 0
    assert json.loads(result.stdout)["before"] == "runs/first"
    assert "are the same run" in refusal(two_runs, "compare", "first", "runs/first")


def test_a_run_is_deleted_where_it_is_meant(two_runs: Laboratory) -> None:
    result = two_runs.run("runs", "delete", "first", "--yes")
    assert result.status == 0
    assert result.stdout.startswith("runs/first: deleted, ")
    assert [each.name for each in (two_runs.folder / "runs").iterdir()] == ["second"]


def test_a_person_is_asked_first(two_runs: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    class Person(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert "Add --yes." in refusal(two_runs, "delete", "first")
    monkeypatch.setattr("sys.stdin", Person("\n"))
    assert two_runs.run("runs", "delete", "first").status == 2
    assert (two_runs.folder / "runs/first").is_dir()
    monkeypatch.setattr("sys.stdin", Person("y\n"))
    assert two_runs.run("runs", "delete", "first").status == 0
    assert not (two_runs.folder / "runs/first").exists()


@pytest.mark.parametrize("name", ["runs", ".", "..", "/", "experiment.toml", "runs/first/artifacts"])
def test_what_is_no_run_is_not_deleted(two_runs: Laboratory, name: str) -> None:
    (two_runs.folder / "runs/first/artifacts").mkdir(exist_ok=True)
    assert "is no run" in refusal(two_runs, "delete", name, "--yes")


def test_a_folder_that_only_looks_like_a_run_is_not_deleted(two_runs: Laboratory) -> None:
    (two_runs.folder / "mine").mkdir()
    two_runs.write("mine/experiment.toml", "")
    assert "is no run" in refusal(two_runs, "delete", "mine", "--yes")


def test_a_link_is_not_followed(two_runs: Laboratory) -> None:
    (two_runs.folder / "runs/latest").symlink_to("first")
    assert "runs/latest: this is a link" in refusal(two_runs, "delete", "latest", "--yes")


def test_files_of_ones_own_keep_a_run(two_runs: Laboratory) -> None:
    two_runs.write("runs/first/notes.md", "mine")
    assert "holds files that are not Pronghorn's (notes.md)" in refusal(two_runs, "delete", "first", "--yes")


def test_a_run_in_use_is_not_deleted(two_runs: Laboratory) -> None:
    with RunDirectory(two_runs.folder / "runs/first", resume=True):
        assert "another pronghorn is using it" in refusal(two_runs, "delete", "first", "--yes")


def test_one_that_stays_keeps_the_others(two_runs: Laboratory) -> None:
    assert "unknown run 'frist'; did you mean 'first'?" in refusal(
        two_runs, "delete", "second", "frist", "--yes"
    )


def test_a_maps_batch_stays_and_the_whole_map_goes(two_runs: Laboratory) -> None:
    make_map(two_runs.folder / "runs/charted", two_runs.folder / "runs/first")
    assert "is part of the map" in refusal(two_runs, "delete", "runs/charted/batches/1", "--yes")
    assert two_runs.run("runs", "delete", "charted", "--yes").status == 0
    assert not (two_runs.folder / "runs/charted").exists()


def test_a_deletion_that_was_cut_can_be_made_again(two_runs: Laboratory) -> None:
    for name in ("summary.json", "report.html", "trials.parquet", "trials.jsonl"):
        (two_runs.folder / "runs/first" / name).unlink()
    assert two_runs.run("runs", "delete", "first", "--yes").status == 0


def test_no_runs_at_all(laboratory: Laboratory) -> None:
    assert "runs: no such folder, so there are no runs." in refusal(laboratory, "list")
    (laboratory.folder / "runs").mkdir()
    assert "0 runs, 0 B in runs" in laboratory.run("runs", "list").stdout
    assert "runs: holds no run." in refusal(laboratory, "open")
