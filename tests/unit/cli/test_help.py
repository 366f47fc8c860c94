"""The list of commands says what they say of themselves, and is there before they could be imported."""

import importlib
import subprocess
import sys

import pytest
import typer

from pronghorn import cli

LISTING = """
import sys
from pronghorn import cli
sys.argv = ["pronghorn", "--help"]
try:
    cli.main()
finally:
    heavy = {"numpy", "polars", "pydantic", "scipy", "jinja2"} & sys.modules.keys()
    print("imported:", sorted(heavy), file=sys.stderr)
"""


def listed(application: typer.Typer) -> list[tuple[str | None, str]]:
    group = typer.main.get_command(application)
    assert isinstance(group, typer.core.TyperGroup)
    return [(name, command.get_short_help_str(limit=500)) for name, command in group.commands.items()]


@pytest.mark.parametrize("first", [None, "--help"])
def test_the_list_says_what_the_commands_say_of_themselves(first: str | None) -> None:
    for name in cli.COMMANDS:
        importlib.import_module(f"pronghorn.cli.{cli.in_python(name)}")
    # An option that the program doesn't know has it import them all.
    assert listed(cli._application(first)) == listed(cli._application("--odd"))


def test_the_list_imports_nothing_that_takes_long() -> None:
    done = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, check=False)
    assert "replicate" in done.stdout
    assert "imported: []" in done.stderr, done.stderr
