"""What a run leaves for pipelines: exports, JUnit XML, and a comparison with an earlier run."""

import csv
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import polars
import pytest

from ..laboratory import Laboratory


def test_a_run_is_exported_checked_and_compared(laboratory: Laboratory) -> None:
    asked = ("--set", "repeat=8", "--set", "paths=far")
    outputs = ("--export", "csv", "--export", "parquet=figures.parquet", "--junit", "junit.xml")
    checks = ("--check", "h3 is faster on far", "--check", "h3/h2 < 0.5")
    first = laboratory.run("run", "experiment.toml", "--out", "out", *asked, *outputs, *checks)
    assert first.status == 1, first.stderr
    with Path("out/export.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    (median,) = (
        row for row in rows if (row["arm"], row["metric"], row["statistic"]) == ("h3", "load", "median")
    )
    summary = json.loads(Path("out/summary.json").read_text(encoding="utf-8"))
    assert float(median["value_s"]) == summary["cells"][0]["arms"]["h3"]["median"]
    assert polars.read_parquet("figures.parquet")["arm"].to_list() == [row["arm"] for row in rows]
    cases = {case.get("name"): case for case in ET.parse("junit.xml").iter("testcase")}
    assert list(cases) == [
        "h3 is faster on far [far]",
        "h3/h2 < 0.5 [far]",
        "h1 against h2 [far]",
        "h3 against h2 [far]",
    ]
    failure = cases["h3/h2 < 0.5 [far]"].find("failure")
    assert failure is not None
    assert str(failure.text).startswith("h3/h2 < 0.5\nfar: h3/h2 = 0.7")

    written = Path("junit.xml").read_bytes(), Path("out/export.csv").read_bytes()
    again = laboratory.run("report", "out", *outputs, *checks)
    assert again.status == 1, again.stderr
    assert (Path("junit.xml").read_bytes(), Path("out/export.csv").read_bytes()) == written
    assert again.stderr == "".join(
        f"{line}\n" for line in first.stderr.splitlines() if line.startswith("check ")
    )

    laboratory.behave(rules=[{"do": "timeout", "protocol": "h3"}])
    assert laboratory.run("run", "experiment.toml", "--out", "later", *asked).status == 0
    before = {file: file.read_bytes() for file in _files()}
    result = laboratory.run("compare", "out", "later", "--check", "* is not slower", "--junit", "two.xml")
    assert result.status == 1, result.stderr
    assert [line for line in result.stderr.splitlines() if line.startswith("check failed")] == [
        line for line in result.stderr.splitlines() if "(far, h3: h3 is slower than before: " in line
    ]
    assert "After the change slower: h3 on far; the same (±3 %): h1 on far and h2 on far." in " ".join(
        result.stdout.split()
    )
    assert {case.get("name") for case in ET.parse("two.xml").iter("testcase")} == {
        *(f"* is not slower [far, {arm}]" for arm in ("h1", "h2", "h3")),
        *(f"{arm} after against before [far]" for arm in ("h1", "h2", "h3")),
    }
    assert {file: file.read_bytes() for file in _files()} == before, "compare touches neither run"

    told = laboratory.run("compare", "out", "later", "--json", "--check", "h1 is same")
    assert told.status == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["before"], found["after"], found["cells"][0]["paired"]) == ("out", "later", True)
    (checked,) = found["checks"]
    assert (checked["check"], checked["holds"]) == ("h1 is same", True)
    assert checked["cells"][0]["title"] == "far, h1"


def _files() -> Iterator[Path]:
    return (file for run in ("out", "later") for file in sorted(Path(run).rglob("*")) if file.is_file())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--export", "xml"), "--export 'xml': unknown format 'xml'. Allowed: csv, json, parquet."),
        (("--export", "cvs"), "--export 'cvs': unknown format 'cvs'; did you mean 'csv'?"),
        (("--export", "csv="), "--export 'csv=': names no file; write csv=FILE, or csv alone."),
        (("--export", "csv=nowhere/x.csv"), "nowhere/x.csv: this file can't be written."),
        (("--junit", "nowhere/x.xml"), "nowhere/x.xml: this file can't be written."),
        (("--junit", "x", "--export", "json=x"), "x: named twice. Each option needs its own file."),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_the_run(
    laboratory: Laboratory, options: tuple[str, ...], said: str
) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out", *options)
    assert result.status == 2
    assert said in result.stderr
    assert not Path("out").exists()


def test_an_export_goes_into_what_is_no_file_as_well(laboratory: Laboratory) -> None:
    result = laboratory.run(
        "run", "experiment.toml", "--out", "out", "--set", "repeat=1", "--export", "csv=/dev/null"
    )
    assert result.status == 0, result.stderr
    assert not Path("/dev/null").is_file()


def test_runs_that_cannot_be_compared_are_refused(laboratory: Laboratory) -> None:
    for out, path in (("one", "near"), ("two", "far")):
        laboratory.run("run", "experiment.toml", "--out", out, "--set", "repeat=1", "--set", f"paths={path}")
    strangers = laboratory.run("compare", "one", "two")
    assert strangers.status == 2
    assert (
        "one and two have no cell in common: the first has tiny/near/builtin/native, the second tiny/far"
        in strangers.stderr
    )
    assert "Measure both with one experiment" in strangers.stderr
    missing = laboratory.run("compare", "one", "three")
    assert (missing.status, missing.stderr) == (2, "pronghorn: three: no such run.\n")
    Path("empty").mkdir()
    empty = laboratory.run("compare", "empty", "one")
    assert empty.stderr == "pronghorn: empty: this is no run: experiment.toml is missing.\n"


def test_a_run_that_is_being_written_can_be_compared(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=6", "--set", "paths=far")
    journal = Path("out/trials.jsonl")
    with journal.open("ab") as file:
        file.write(b'{"type": "trial", "cell"')
    content = journal.read_bytes()
    result = laboratory.run("compare", "out", "out")
    assert result.status == 0, result.stderr
    assert journal.read_bytes() == content
    assert not Path("out/trials.corrupt.jsonl").exists()
