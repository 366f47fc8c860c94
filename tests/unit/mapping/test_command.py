"""`pronghorn map` refuses what can't be, before anything is measured, with one message."""

from pathlib import Path

import pytest

from pronghorn.mapping import terms

from ..program import run
from .maps import a_map


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--rtt", "300ms..5ms"], "--rtt 300ms..5ms"),
        (["--loss", "0..15"], "bare number"),
        (["--site", "smal"], "did you mean 'small'"),
        (["--arms", "h2"], "Name two"),
        (["--arms", "h2,h4"], "h4"),
        (["--origin", "ngin"], "did you mean 'nginx'"),
        (["--client", "load"], "page loads"),
        (["--budget", "12"], "at least 36 trials"),
        (["--time", "0s"], "no time"),
        (["--seed", "-1"], "--seed -1"),
        (["--jobs", "0"], "--jobs 0"),
        (["--resume", "nowhere"], "this is no map"),
    ],
)
def test_what_cannot_be_is_bad_input(
    words: list[str],
    wrong: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)

    result = run(monkeypatch, capsys, "map", *words)

    assert result.status == 2
    assert wrong in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_resumed_map_keeps_what_it_was_begun_with(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    terms.write(a_map(), tmp_path)

    result = run(monkeypatch, capsys, "map", "--resume", str(tmp_path), "--rtt", "5ms")

    assert result.status == 2
    assert "--rtt: the map" in result.stderr


def test_a_map_is_no_run_and_says_where_its_runs_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    terms.write(a_map(), tmp_path)

    result = run(monkeypatch, capsys, "report", str(tmp_path))

    assert result.status == 2
    assert f"pronghorn map --resume {tmp_path}" in result.stderr


def test_a_directory_with_a_map_is_not_written_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    terms.write(a_map(), tmp_path)

    result = run(monkeypatch, capsys, "map", "--out", str(tmp_path))

    assert result.status == 2
    assert "holds another map" in result.stderr
    assert f"--resume {tmp_path}" in result.stderr
