"""A run that measured nothing is a failure of its own kind: exit status 4, with the reason and the mend."""

import json

import pytest

from ..laboratory import Laboratory

FILES = {
    "experiment.toml",
    "manifest.json",
    "report.html",
    "summary.json",
    "trials.jsonl",
    "trials.parquet",
}
FAR = ("--set", "paths=far")


def test_a_run_in_which_no_load_succeeds_says_why_first_and_leaves_its_files(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "gone"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", *FAR)
    assert result.status == 4
    assert result.stdout.splitlines()[0] == (
        "Nothing could be measured: h1, h2 and h3 never loaded. 9 of 9 trials failed, all by status: "
        "/b.png was answered 404. Serve the resource, or accept that this request fails: --set "
        "'tolerate=[\"/b.png\"]'."
    )
    assert "pronghorn: Nothing could be measured" in result.stderr
    assert "tolerate" in result.stderr.splitlines()[-1]
    assert {path.name for path in (laboratory.folder / "out").iterdir()} == FILES


def test_its_report_says_the_same_and_exits_with_0(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "gone"}])
    first = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", *FAR).stdout.splitlines()[0]
    again = laboratory.run("report", "out")
    assert again.status == 0, again.stderr
    assert again.stdout.splitlines()[0] == first
    short = laboratory.run("report", "out", "--markdown", "-").stdout
    assert short.startswith("> **Nothing could be measured")


@pytest.mark.parametrize("check", ["h3 failed == 3", "h3 is faster"])
def test_it_is_status_4_whatever_a_check_says(laboratory: Laboratory, check: str) -> None:
    laboratory.behave(rules=[{"do": "gone"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", *FAR, "--check", check, "--json")
    assert result.status == 4
    assert f": {check}" in result.stderr, "the check's outcome is told all the same"
    summary = json.loads(result.stdout)
    assert summary["unmeasured"]["text"].startswith("Nothing could be measured")
    assert summary["cells"][0]["arms"]["h3"]["failure"] == {
        "reason": "status",
        "trials": 3,
        "detail": "/b.png was answered 404",
    }


def test_blocks_that_were_all_rejected_are_nothing_measured(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "late", "protocol": "h2"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", *FAR)
    assert result.status == 4
    first = result.stdout.splitlines()[0]
    assert first.startswith(
        "Nothing could be measured: all 3 blocks were rejected. 9 trials were contaminated"
    )
    assert "--clock virtual" in first
    assert "--jobs 1" in first
    assert "--clock virtual" in result.stderr.splitlines()[-1]


def test_runs_of_which_one_measured_nothing_are_not_compared(laboratory: Laboratory) -> None:
    assert laboratory.run("run", "experiment.toml", "--out", "before", *FAR).status == 0
    laboratory.behave(rules=[{"do": "gone"}])
    assert laboratory.run("run", "experiment.toml", "--out", "after", *FAR).status == 4
    result = laboratory.run("compare", "before", "after")
    assert result.status == 4
    assert "Nothing could be compared: no load in after succeeded." in result.stderr
    assert "pronghorn report after" in result.stderr


def test_a_cell_with_two_arms_that_load_is_something_measured(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "gone", "protocol": "h3"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", *FAR)
    assert result.status == 0, result.stderr
    said = " ".join(result.stdout.split())
    assert "h3 failed in 3 of 3 trials (status 3: /b.png was answered 404)" in said


def test_a_map_on_which_nothing_loads_says_why(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "gone"}])
    result = laboratory.run("map", "--site", "tiny", "--budget", "60", "--seed", "1", "--out", "map")
    assert result.status == 4
    assert "Loads failed most often because of status: /b.png was answered 404" in " ".join(
        result.stderr.split()
    )
