"""`pronghorn new` writes an experiment that the program reads, from answers or from options."""

import io

import pytest

from pronghorn.cli.new_experiment import Answers, text
from pronghorn.model import experiment_file
from pronghorn.model.experiment import Experiment
from pronghorn.runs.prepare import vocabulary

from ..laboratory import Laboratory


class Person(io.StringIO):
    """Somebody at a terminal who types these lines."""

    def isatty(self) -> bool:
        return True


def written(laboratory: Laboratory, name: str) -> Experiment:
    return experiment_file.read(str(laboratory.folder / name), vocabulary(), overrides=[], seed=1)


def test_options_make_an_experiment(laboratory: Laboratory) -> None:
    (laboratory.folder / "public").mkdir()
    (laboratory.folder / "public/index.html").write_text("<title>Page</title>", encoding="utf-8")
    words = ("--site", "./public", "--paths", "lte,wifi", "--arms", "h2,h3+0rtt", "--origin", "caddy", "-y")
    result = laboratory.run("new", "shop.toml", *words)
    assert (result.status, result.stderr) == (0, "")
    assert result.stdout == "shop.toml was written. Run it: pronghorn run shop.toml\n"
    found = written(laboratory, "shop.toml")
    assert found.sites == (f"dir:{laboratory.folder / 'public'}",)
    assert [path.name for path in found.paths] == ["lte", "wifi"]
    assert [arm.name for arm in found.arms] == ["h2", "h3+0rtt"]
    assert (found.origins, found.clients, found.repeat) == (("caddy",), ("native",), 12)


def test_a_folder_is_named_from_the_file_on(laboratory: Laboratory) -> None:
    (laboratory.folder / "public").mkdir()
    assert laboratory.run("new", "below/shop.toml", "--site", "public", "--yes").status == 0
    assert 'sites = ["dir:../public"]' in (laboratory.folder / "below/shop.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("said", ["shop", "./shop", "archive:shop", "archive:./shop"])
def test_a_site_archive_is_named_as_one(laboratory: Laboratory, said: str) -> None:
    (laboratory.folder / "shop").mkdir()
    (laboratory.folder / "shop/site.toml").write_text("format = 1\n", encoding="utf-8")
    result = laboratory.run("new", "below/shop.toml", "--site", said, "--yes")
    assert result.status == 0, result.stderr
    text = (laboratory.folder / "below/shop.toml").read_text(encoding="utf-8")
    assert 'sites = ["archive:../shop"]' in text
    assert 'name = "h1, h2, h3 on ../shop"' in text


def test_a_live_server_has_neither_paths_nor_an_origin_of_ours(laboratory: Laboratory) -> None:
    assert laboratory.run("new", "live.toml", "--site", "https://shop.example/", "-y").status == 0
    assert written(laboratory, "live.toml").origins == ("https://shop.example/",)
    result = laboratory.run("new", "other.toml", "--site", "https://shop.example/", "--paths", "lte", "-y")
    assert result.status == 2
    assert result.stderr.startswith("pronghorn: --paths: a live server is measured over the real network")


def test_a_person_is_asked_what_no_option_says(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Person("tiny\n\nh4\nh2,h3\n\n"))
    result = laboratory.run("new", "asked.toml", "--client", "chromium")
    assert result.status == 0
    asked = [line for line in result.stderr.split("] ") if "?" in line]
    assert len(asked) == 5  # four questions, of which one is asked again
    assert "unknown arm protocol 'h4'" in result.stderr
    found = written(laboratory, "asked.toml")
    assert (found.sites, found.clients) == (("tiny",), ("chromium",))
    assert [path.name for path in found.paths] == ["fiber", "lte", "lte-poor"]
    assert [arm.name for arm in found.arms] == ["h2", "h3"]


def test_an_input_that_ends_is_said(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Person(""))
    result = laboratory.run("new", "asked.toml")
    assert result.status == 2
    assert "no answer: the input has ended." in result.stderr
    assert not (laboratory.folder / "asked.toml").exists()


def test_nobody_is_asked_where_nobody_can_answer(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    result = laboratory.run("new", "second.toml")
    assert (result.status, result.stderr) == (0, "")
    assert written(laboratory, "second.toml").sites == ("small",)


def test_a_file_that_is_there_stays(laboratory: Laboratory) -> None:
    before = (laboratory.folder / "experiment.toml").read_text(encoding="utf-8")
    result = laboratory.run("new", "-y")
    assert result.status == 2
    assert "experiment.toml: already exists and was not changed." in result.stderr
    assert (laboratory.folder / "experiment.toml").read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x.txt",), "x.txt: the name of an experiment's file ends with .toml."),
        (("x.toml", "--site", "smal"), "--site smal: unknown site 'smal'; did you mean 'small'?"),
        (("x.toml", "--site", "./nowhere"), "nowhere is no folder."),
        (("x.toml", "--paths", "lte,lte-por"), "unknown path 'lte-por'; did you mean 'lte-poor'?"),
        (("x.toml", "--origin", "ngnix"), "unknown origin 'ngnix'; did you mean 'nginx'?"),
    ],
)
def test_a_wrong_option_is_refused_and_writes_nothing(
    laboratory: Laboratory, words: tuple[str, ...], said: str
) -> None:
    result = laboratory.run("new", *words, "-y")
    assert result.status == 2
    assert said in result.stderr
    assert not (laboratory.folder / words[0]).exists()


def test_every_key_in_its_comments_is_one(laboratory: Laboratory) -> None:
    lines = text("all", Answers(origin="caddy")).splitlines()
    commented = [line.removeprefix("# ") for line in lines if line.startswith("# ") and " = " in line]
    keys = [line for line in commented if line.split(" = ")[0].isidentifier() and "repeat" not in line]
    assert len(keys) >= 7
    laboratory.write("whole.toml", "\n".join([*(line for line in lines if " = {" not in line), *keys[:-2]]))
    laboratory.write("own.toml", "\n".join([*lines, "[path.mine]", *keys[-2:]]))
    assert written(laboratory, "whole.toml").margin == 0.03
    assert written(laboratory, "own.toml").repeat == 12
