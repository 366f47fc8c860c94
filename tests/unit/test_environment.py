"""What the programs that we start get of our environment."""

from pathlib import Path

import pytest

from pronghorn.environment import absolute, passed_on

from .laboratory import Laboratory

OURS = {
    "PATH": "/usr/bin",
    "LC_ALL": "C",
    "PRONGHORN_X": "1",
    "GITHUB_TOKEN": "t",
    "SSLKEYLOGFILE": "/k",
    "MY_A": "2",
}


@pytest.fixture(autouse=True)
def _ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in OURS.items():
        monkeypatch.setenv(name, value)


def test_a_token_stays_with_us() -> None:
    told = passed_on()
    assert {"PATH", "LC_ALL", "PRONGHORN_X"} <= told.keys()
    assert told.keys().isdisjoint({"GITHUB_TOKEN", "SSLKEYLOGFILE", "MY_A"})


def test_more_is_passed_on_by_name() -> None:
    assert passed_on(("MY_*", "SSLKEYLOGFILE", "NONE")).items() >= {("MY_A", "2"), ("SSLKEYLOGFILE", "/k")}
    assert "GITHUB_TOKEN" not in passed_on(("GITHUB", "*_TOKENS"))


def test_folders_named_from_where_we_stand_are_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin::bin:.")
    assert passed_on()["PATH"] == f"/usr/bin:{tmp_path}:{tmp_path}/bin:{tmp_path}"
    assert absolute("") == ""


def test_an_own_stack_names_what_it_gets_and_nothing_else_is_a_name(laboratory: Laboratory) -> None:
    table = '[origins.mine]\ncommand = "true"\nenv = {}\n'
    text = Path("experiment.toml").read_text(encoding="utf-8")
    for wrong in ('["*"]', '["A=1"]', '"A"', "[1]"):
        laboratory.write("own.toml", text + table.format(wrong))
        result = laboratory.run("run", "own.toml", "--out", "out")
        assert result.status == 2
        assert "key 'origins.mine.env'" in result.stderr
        assert "is no list of variables' names" in result.stderr
