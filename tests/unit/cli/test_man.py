"""The manual's pages say what the program says of itself."""

from pathlib import Path

import pytest

from pronghorn import cli
from pronghorn.cli.described import described
from pronghorn.cli.man import roff

from ..laboratory import Laboratory

PAGES = {"-".join(("pronghorn", *each.words)): each for each in described(cli.whole()).all()}


def plain(page: str) -> str:
    """What a reader sees of it."""
    for mark in ("\\fB", "\\fI", "\\fR", "\\&"):
        page = page.replace(mark, "")
    return page.replace("\\-", "-").replace("\\e", "\\")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_all_that_its_command_takes(name: str) -> None:
    page = plain(roff(name, PAGES))
    assert f".SH NAME\n{name} - " in page
    for option in PAGES[name].options:
        assert all(f"\n{each}" in page or f", {each}" in page for each in option.names)
        assert " ".join(option.help.split()) in page
    for argument in PAGES[name].arguments:
        assert " ".join(argument.help.split()) in page


@pytest.mark.parametrize("name", PAGES)
def test_no_line_of_text_acts_as_a_macro(name: str) -> None:
    for line in roff(name, PAGES).splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or line.split()[0] in (".TH", ".SH", ".TP", ".PP")


def test_it_prints_a_page_and_writes_all(laboratory: Laboratory) -> None:
    assert laboratory.run("man").stdout.startswith(".TH PRONGHORN 1 ")
    assert laboratory.run("man", "policy-fit").stdout.startswith(".TH PRONGHORN\\-POLICY\\-FIT 1 ")
    result = laboratory.run("man", "--out", "pages")
    assert (result.status, result.stderr) == (0, "")
    assert {file.stem for file in (laboratory.folder / "pages").iterdir()} == PAGES.keys()


def test_an_unknown_page_is_refused(laboratory: Laboratory) -> None:
    result = laboratory.run("man", "rnu")
    assert result.status == 2
    assert "unknown page 'rnu'; did you mean 'run'?" in result.stderr


def test_the_document_lists_every_command() -> None:
    document = (Path(__file__).parents[3] / "docs/commands.md").read_text(encoding="utf-8")
    for command in cli.COMMANDS:
        assert f"| `pronghorn {command}" in document, command
