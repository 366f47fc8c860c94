"""`pronghorn path --from-tc`: tc's line as TOML, and its notes beside it."""

import tomllib

from pronghorn.model.path import from_words, parse
from pronghorn.model.source import Source

from ..laboratory import Laboratory

LINE = "netem delay 100ms 20ms loss 0.3% 25%"


def test_without_a_command_the_path_is_printed_as_toml(laboratory: Laboratory) -> None:
    result = laboratory.run("path", "--from-tc", LINE)
    assert result.status == 0
    first, *_ = result.stdout.splitlines()
    words = first.removeprefix("# pronghorn path ").removesuffix(" -- COMMAND").split()
    table = tomllib.loads(result.stdout)["path"]["from-tc"]
    assert parse("from-tc", table, Source("printed", "")).spec == from_words(words, {}).spec
    assert "link: up (tc shapes what its host sends" in result.stderr
    assert "differs: loss's correlation" in result.stderr


def test_words_beside_it_change_the_path(laboratory: Laboratory) -> None:
    result = laboratory.run("path", "lte", "up.loss=2%", "--from-tc", LINE, "--quiet")
    table = tomllib.loads(result.stdout)["path"]["from-tc"]
    assert (table["up"]["delay"], table["up"]["loss"], table["down"]["delay"]) == ("100ms", "2%", "25ms")
    assert result.stderr == ""


def test_a_wrong_line_is_refused(laboratory: Laboratory) -> None:
    result = laboratory.run("path", "--from-tc", "netem dely 100ms", "--", "true")
    assert (result.status, result.stdout) == (2, "")
    assert "did you mean 'delay'?" in result.stderr
