"""Bad input: one message that says where, what is wrong, what is allowed and what is nearest; exit status
2."""

import os
from pathlib import Path

import pytest

from ..laboratory import EXPERIMENT, Laboratory
from .refusals import refused


def test_no_such_experiment(laboratory: Laboratory) -> None:
    assert "unknown experiment 'defualt'; did you mean 'default'?" in refused(laboratory, "defualt")
    assert "missing.toml: no such file." in refused(laboratory, "missing.toml")
    assert "experiment.toml/x: no such file." in refused(laboratory, "experiment.toml/x")


def test_a_folder_or_a_binary_file_is_no_experiment(laboratory: Laboratory) -> None:
    (laboratory.folder / "folder.toml").mkdir()
    (laboratory.folder / "binary.toml").write_bytes(b"name = \xff")
    assert "folder.toml: this is a folder, not a regular file." in refused(laboratory, "folder.toml")
    assert "binary.toml: byte 7 is not UTF-8" in refused(laboratory, "binary.toml")


def test_toml_syntax_with_line_and_column(laboratory: Laboratory) -> None:
    laboratory.write("bad.toml", 'name = "x"\nsites = [small]\n')
    assert "bad.toml, line 2, column 10: TOML syntax: Invalid value." in refused(laboratory, "bad.toml")
    laboratory.write("cut.toml", 'name = "x"\nsites = ["small"')
    assert "cut.toml, line 2, column 17 (end of file): TOML syntax: Unclosed array." in refused(
        laboratory, "cut.toml"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "repeat = 3",
            "repaet = 3",
            "line 5: key 'repaet': unknown key 'repaet'; did you mean 'repeat'? Allowed: arms,",
        ),
        ('["tiny"]', '["tny"]', "line 2: key 'sites': unknown site 'tny'; did you mean 'tiny'?"),
        (
            '["near", "far"]',
            '["near", "faar"]',
            "line 3: key 'paths': unknown path 'faar'; did you mean 'far'?",
        ),
        (
            '"h3"]',
            '"h33"]',
            "line 4: key 'arms': unknown arm protocol 'h33'; did you mean 'h3'? Allowed: h1, h2, h3.",
        ),
        (
            "repeat = 3",
            'origins = ["bultin"]',
            "key 'origins': unknown origin 'bultin'; did you mean 'builtin'?",
        ),
        (
            "repeat = 3",
            'clients = ["nativ"]',
            "key 'clients': unknown client 'nativ'; did you mean 'native'?",
        ),
        (
            'rate = "20Mbit"',
            "rate = 20",
            "line 13: key 'path.far.down.rate': 20 is a bare number where a rate is needed",
        ),
        (
            "repeat = 3",
            'state = "keep"',
            "line 5: key 'state': unknown state 'keep'; did you mean 'kept'?",
        ),
        (
            "repeat = 3",
            'pause = "3s"',
            "line 5: key 'pause': a pause separates the loads of one client, so it needs state = \"kept\"",
        ),
        ("repeat = 3", 'state = "kept"\npause = 3', "line 6: key 'pause': 3 is a bare number"),
        (
            "repeat = 3",
            'state = "kept"\nartifacts = ["pcapng"]',
            "line 6: key 'artifacts': artifacts are written when a bench closes",
        ),
        ('rate = "20Mbit"', 'rate = "20"', "line 13: key 'path.far.down.rate': '20' is a bare number"),
        ('loss = "15%"', 'loss = "-15%"', "line 13: key 'path.far.down.loss': '-15%' is negative"),
        ('loss = "15%"', 'loss = "101%"', "key 'path.far.down.loss': '101%' is more than all"),
        ('loss = "15%"', 'los = "15%"', "key 'path.far.down.los': unknown key 'los'; did you mean 'loss'?"),
        ("repeat = 3", "repeat = 0", "line 5: key 'repeat': 0 is no whole number from 1 to"),
        ("repeat = 3", "repeat = 2.5", "line 5: key 'repeat': 2.5 is no whole number"),
        ("repeat = 3", "repeat = { min = 6 }", "line 5: key 'repeat': 'max' is missing: the most blocks"),
        ('"h3"]', '"h2"]', "line 4: key 'arms': 'h2' is listed twice. A label distinguishes equal arms"),
        ('"h3"]', '"h2@cubic"]', "'h2@cubic' is listed twice: 'h2' is the same arm."),
        (
            '"h3"]',
            '"h3+early"]',
            "unknown option 'early'",
        ),
        ("seed = 7", "seed = -1", "line 6: key 'seed': -1 is no whole number from 0"),
        ("seed = 7", 'baseline = "h4"', "line 6: key 'baseline': unknown arm 'h4'; did you mean"),
        ("seed = 7", "limit = 180", "line 6: key 'limit': 180 is a bare number where a time is needed"),
        ("seed = 7", 'limit = "0s"', "line 6: key 'limit': '0s': a limit must be greater than zero"),
        (
            "seed = 7",
            'margin_time = "10"',
            "line 6: key 'margin_time': '10' is a bare number where a time is needed",
        ),
        ("seed = 7", 'margin_time = "0ms"', "line 6: key 'margin_time': '0ms': a time must be greater"),
        ("seed = 7", 'margin = "3"', "line 6: key 'margin': '3' is a bare number where a share is needed"),
        ('sites = ["tiny"]\n', "", "experiment.toml: key 'sites' is missing"),
        ('["tiny"]', "[]", "line 2: key 'sites': [] is no list of names"),
        ('["tiny"]', '["dir:nowhere"]', "line 2: key 'sites': 'dir:nowhere':"),
        ("[path.far]", "[path.direct]", "line 12: key 'path.direct': 'direct' is the path without"),
    ],
)
def test_a_wrong_key_or_value_with_its_line(laboratory: Laboratory, old: str, new: str, said: str) -> None:
    assert old in EXPERIMENT
    laboratory.write("experiment.toml", EXPERIMENT.replace(old, new, 1))
    message = refused(laboratory, "experiment.toml", "--out", "out")
    assert said in message
    assert message.startswith("pronghorn: experiment.toml")
    assert not Path("out").exists()


def test_the_line_within_a_list_over_several_lines(laboratory: Laboratory) -> None:
    laboratory.write("experiment.toml", EXPERIMENT.replace('["h1", "h2", "h3"]', '[\n  "h1",\n  "h9",\n]'))
    assert "experiment.toml, line 6: key 'arms': unknown arm protocol 'h9'" in refused(
        laboratory, "experiment.toml"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--set", "repeat=0"), "--set repeat=0: key 'repeat': 0 is no whole number"),
        (("--set", "repaet=5"), "--set repaet=5: key 'repaet': unknown key 'repaet'; did you mean 'repeat'?"),
        (("--set", "paths=lan,lte-por"), "unknown path 'lte-por'; did you mean 'lte-poor'?"),
        (
            ("--set", "path.far.down.loss=200%"),
            "--set path.far.down.loss=200%: key 'path.far.down.loss': '200%' is more",
        ),
        (("--set", "name.x=1"), "--set name.x=1: 'name' is no table."),
        (("--set", "repeat"), "--set repeat: write KEY=VALUE"),
        (("--seed", "-4"), "--seed: key 'seed': -4 is no whole number"),
        (("--jobs", "0"), "--jobs 0: at least 1"),
        (("--out", "a", "--resume", "b"), "--out and --resume exclude each other"),
        (("--check", "far: h3 <"), "--check 'far: h3 <': this is no comparison"),
        (("--check", "fra: h3/h2 < 1"), "unknown path or cell 'fra'; did you mean 'far'?"),
        (("--check", "h3/h4 < 1"), "unknown arm 'h4'; did you mean"),
        (("--check", "h3.medain < 1"), "unknown statistic 'medain'; did you mean 'median'?"),
        (("--check", "h3 is quicker"), "unknown verdict 'quicker'"),
        (("--check", "h2 is faster"), "'h2' is the baseline"),
    ],
)
def test_a_wrong_option_by_its_name(laboratory: Laboratory, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(laboratory, "experiment.toml", *arguments)


def test_an_unknown_option_is_bad_usage(laboratory: Laboratory) -> None:
    assert "--rpeat" in refused(laboratory, "experiment.toml", "--rpeat", "3")


def test_a_site_that_is_refused_leaves_no_run_behind(laboratory: Laboratory) -> None:
    site = laboratory.folder / "page"
    site.mkdir()
    (site / "index.html").write_text("<title>Page</title>", encoding="utf-8")
    with (site / "huge.bin").open("wb") as sparse:
        sparse.truncate(900 << 30)
    words = ("experiment.toml", "--set", "sites=dir:page", "--set", "repeat=1", "--out", "out")
    assert "huge.bin has 966367641600 bytes" in refused(laboratory, *words)
    assert not (laboratory.folder / "out").exists()
    (site / "huge.bin").unlink()
    assert laboratory.run("run", *words).status == 0


@pytest.mark.parametrize("name", ["trials.jsonl", "manifest.json"])
def test_an_output_directory_that_holds_another_run(laboratory: Laboratory, name: str) -> None:
    (laboratory.folder / "out").mkdir()
    laboratory.write(f"out/{name}", "{}")
    message = refused(laboratory, "experiment.toml", "--out", "out")
    assert f"out: holds another run ({name})." in message
    assert "--resume out" in message
    assert Path("out", name).read_text(encoding="utf-8") == "{}"


def test_an_output_directory_that_is_no_directory(laboratory: Laboratory) -> None:
    laboratory.write("out", "")
    assert "out: this output directory can't be written: File exists." in refused(
        laboratory, "experiment.toml", "--out", "out"
    )
    assert "Not a directory" in refused(laboratory, "experiment.toml", "--out", "out/below")


def test_an_output_directory_that_cannot_be_written(laboratory: Laboratory) -> None:
    """/proc lets nobody make a file, not even root."""
    message = refused(laboratory, "experiment.toml", "--out", f"/proc/{os.getpid()}")
    assert f"/proc/{os.getpid()}: this output directory can't be written" in message
    assert "Choose another directory with --out." in message


def test_resuming_what_is_no_run(laboratory: Laboratory) -> None:
    assert "nowhere: this is no run to resume" in refused(laboratory, "--resume", "nowhere")


def test_reporting_what_is_no_run(laboratory: Laboratory) -> None:
    result = laboratory.run("report", "nowhere")
    assert (result.status, result.stderr) == (2, "pronghorn: nowhere: no such run.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "--out", ""), "--out: needs a value"),
        (("run", "--resume="), "--resume: needs a value"),
        (("report", ""), "report: an argument is empty."),
        (("run", "--out", "--seed", "7"), "--out: needs a value, DIR, but --seed is an option."),
        (("run", "--check", "--json"), "--check: needs a value, EXPR, but --json is an option."),
        (
            ("policy", "fit", "map", "--out", "--seed=7"),
            "--out: needs a value, FILE, but --seed=7 is an option.",
        ),
        (("load", "https://x/", "-H", "--json"), "-H: needs a value, "),
        (
            ("path", "--json", "--graph", "x", "--", "true"),
            "--json: needs a value, FILE, but --graph is an option.",
        ),
    ],
)
def test_an_option_that_lacks_its_value_is_told(
    laboratory: Laboratory, words: tuple[str, ...], said: str
) -> None:
    before = sorted(laboratory.folder.iterdir())
    result = laboratory.run(*words)
    assert result.status == 2
    assert said in result.stderr
    assert sorted(laboratory.folder.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "named"), [(("lte", "family=6"), "lte"), (("delay=5ms", "family=6"), "NAME")]
)
def test_a_commands_path_of_ipv6(laboratory: Laboratory, words: tuple[str, ...], named: str) -> None:
    result = laboratory.run("path", *words, "--", "true")
    assert result.status == 2
    told = " ".join(result.stderr.split())
    assert "family=6: the path of a command, or of --server, speaks IPv4 only." in told
    assert f"pronghorn run --set path.{named}.family=6" in told
