"""What shells complete is what the program takes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pronghorn import cli
from pronghorn.cli import completion_bash, completion_fish, completion_zsh
from pronghorn.cli.described import Described, described
from pronghorn.model import experiment_file

from ..laboratory import Laboratory

PROGRAM = described(cli.whole())

ASK_BASH = """
source "$1"; shift
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_pronghorn
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(tmp_path: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    script = tmp_path / "completion"
    script.write_text(completion_bash.script(PROGRAM), encoding="utf-8")
    asked = ["bash", "--norc", "-c", ASK_BASH, "bash", str(script), "pronghorn", *words]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert not done.stderr
    return sorted(set(filter(None, done.stdout.split("\n"))))


def test_commands_and_options_are_offered(tmp_path: Path) -> None:
    assert completed(tmp_path, "re") == ["record", "replicate", "report"]
    assert completed(tmp_path, "run", "--c") == ["--check", "--clock"]
    assert completed(tmp_path, "policy", "f") == ["fit"]
    assert completed(tmp_path, "policy", "fit", "--o") == ["--out"]
    assert completed(tmp_path, "replicate", "--no") == ["--no-measure"]


def test_values_are_offered(tmp_path: Path) -> None:
    assert completed(tmp_path, "run", "--clock", "") == ["real", "virtual"]
    assert completed(tmp_path, "path", "lte-p") == ["lte-poor", "lte-poor-both"]
    assert completed(tmp_path, "run", "kiw") == ["kiwee"]
    assert completed(tmp_path, "map", "--seed", "") == []


def test_files_and_folders_are_offered(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.toml").touch()
    assert completed(tmp_path, "run", "f") == ["file.toml", "folder"]
    assert completed(tmp_path, "run", "--out", "f") == ["folder"]
    assert completed(tmp_path, "report", "f") == ["folder"]


def test_behind_two_dashes_stands_a_command_line_of_its_own(tmp_path: Path) -> None:
    assert "bash" in completed(tmp_path, "path", "lte", "--", "bas")
    assert completed(tmp_path, "path", "lte", "--", "--cloc") == []


def commands() -> list[Described]:
    return list(PROGRAM.all())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_in_the_script(laboratory: Laboratory, shell: str) -> None:
    result = laboratory.run("completion", shell)
    assert (result.status, result.stderr) == (0, "")
    for command in commands():
        assert " ".join(command.words) in result.stdout or "_".join(command.words) in result.stdout
        for option in command.options:
            for name in option.names:
                fish = f"-l '{name[2:]}'" if name.startswith("--") else f"-s '{name[1:]}'"
                assert (fish if shell == "fish" else name) in result.stdout
    assert all(name in result.stdout for name in experiment_file.shipped_paths())


@pytest.mark.parametrize(
    ("shell", "check", "make"),
    [
        ("bash", "-n", completion_bash.script),
        ("zsh", "-n", completion_zsh.script),
        ("fish", "--no-execute", completion_fish.script),
    ],
)
def test_a_shell_that_is_here_reads_its_script(tmp_path: Path, shell: str, check: str, make: object) -> None:
    assert callable(make)
    file = tmp_path / "completion"
    file.write_text(make(PROGRAM), encoding="utf-8")
    if program := shutil.which(shell):
        subprocess.run([program, check, str(file)], check=True, env={**os.environ, "HOME": str(tmp_path)})


def test_an_unknown_shell_is_refused(laboratory: Laboratory) -> None:
    result = laboratory.run("completion", "fsh")
    assert result.status == 2
    assert "unknown shell 'fsh'; did you mean 'fish'? Allowed: bash, fish, zsh." in result.stderr
