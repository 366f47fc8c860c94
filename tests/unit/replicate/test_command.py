"""`pronghorn replicate`: what it makes, goes on with, prints and refuses; with an engine that measures
nothing."""

import json

import pytest

from ..laboratory import Laboratory

RUN = ("replicate", "cloudflare/controls", "--quick", "--seed", "3")
FOLDER = "runs/replications/cloudflare-controls-quick-1"


def test_a_study_is_run_printed_and_put_on_a_page(laboratory: Laboratory) -> None:
    done = laboratory.run(*RUN, "--blocks", "1", "--pages", "pages")
    assert done.status == 0, done.stderr
    assert "cloudflare/controls: 3 trials, about 1 minute" in done.stderr
    said = " ".join(done.stdout.split())
    assert "CUBIC beats New Reno on larger transfers with loss." in said
    assert "needs more blocks" in said and "undecided" in said
    page = (laboratory.folder / "pages" / "cloudflare.md").read_text(encoding="utf-8")
    assert "--blocks 1 --pages pages" in page
    assert "--set 'knobs={}' --set repeat=1 --seed 3" in page
    assert "176 ms" in page and "TODO" not in page


def test_a_second_call_makes_nothing_twice(laboratory: Laboratory) -> None:
    first = laboratory.run(*RUN, "--blocks", "1", "--json")
    again = laboratory.run("replicate", "cloudflare/controls", "--quick", "--blocks", "1", "--json")
    assert (first.status, again.status) == (0, 0)
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert "about" not in again.stderr
    assert len(laboratory.trials(FOLDER)) == 3


def test_a_run_asked_for_alone_is_judged_with_those_that_are_there(laboratory: Laboratory) -> None:
    size = ("--quick", "--blocks", "1", "--json")
    laboratory.run("replicate", "cloudflare/controls", *size)
    done = laboratory.run("replicate", "cloudflare/first-byte-lossy", *size)
    assert done.status == 0, done.stderr
    [study] = json.loads(done.stdout)
    assert [run["name"] for run in study["runs"]] == ["first-byte-lossy", "controls"]
    assert "controls" not in done.stderr


def test_a_run_that_was_kept_says_what_the_run_said(laboratory: Laboratory) -> None:
    first = laboratory.run(*RUN, "--blocks", "2", "--json", "--keep", "kept")
    assert first.status == 0, first.stderr
    folder = laboratory.folder / "kept" / "cloudflare-controls-quick-2"
    assert sorted(file.name for file in folder.iterdir()) == [
        "experiment.toml",
        "manifest.json",
        "trials.csv",
    ]
    again = laboratory.run(
        "replicate",
        "cloudflare/controls",
        "--quick",
        "--blocks",
        "2",
        "--json",
        "--no-measure",
        "--out",
        "kept",
    )
    assert again.status == 0, again.stderr
    [was], [became] = json.loads(first.stdout), json.loads(again.stdout)
    assert became["claims"] == was["claims"] and became["effects"] == was["effects"]
    for key in ("trials", "contaminated", "wall_s", "explanations", "seed", "finished", "command"):
        assert became["runs"][0][key] == was["runs"][0][key]
    assert str(laboratory.folder) not in (folder / "manifest.json").read_text(encoding="utf-8")


def test_a_kept_run_that_was_damaged_is_told_by_file_and_line(laboratory: Laboratory) -> None:
    laboratory.run(*RUN, "--blocks", "1", "--keep", "kept")
    file = laboratory.folder / "kept" / "cloudflare-controls-quick-1" / "trials.csv"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join([*lines[:2], lines[2].replace(",ok,", ",fine,"), *lines[3:]]), encoding="utf-8")
    words = ("replicate", "cloudflare/controls", "--quick", "--blocks", "1", "--no-measure", "--out", "kept")
    done = laboratory.run(*words)
    assert (done.status, "trials.csv, line 3: this is no trial" in done.stderr) == (2, True), done.stderr


def test_what_was_cut_goes_on(laboratory: Laboratory) -> None:
    laboratory.run(*RUN, "--blocks", "1")
    folder = laboratory.folder / FOLDER
    lines = (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "trials.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
    (folder / "report.html").unlink()
    again = laboratory.run("replicate", "cloudflare/controls", "--quick", "--blocks", "1")
    assert again.status == 0, again.stderr
    assert "1 of them recorded earlier" in again.stderr
    assert len(laboratory.trials(FOLDER)) == 3


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["kiwi"], "did you mean 'kiwee'"),
        (["kiwee/place"], "unknown run of kiwee 'place'; did you mean 'places'"),
        (["--blocks", "0"], "--blocks 0"),
        (["--jobs", "0"], "--jobs 0"),
        (["requestmetrics/factors", "--quick"], "exists in full size only"),
        (["weaknet", "--no-measure"], "has none of these runs"),
        (
            ["weaknet", "--pages", "experiment.toml"],
            "--pages experiment.toml: this is not a writable folder",
        ),
        (
            ["weaknet", "--keep", "experiment.toml"],
            "--keep experiment.toml: this is not a writable folder",
        ),
    ],
)
def test_what_cannot_be_is_bad_input(words: list[str], wrong: str, laboratory: Laboratory) -> None:
    before = sorted(laboratory.folder.iterdir())
    done = laboratory.run("replicate", *words)
    assert done.status == 2
    assert wrong in done.stderr
    assert sorted(laboratory.folder.iterdir()) == before
