"""A run is read where the folders that it was made from are not; to go on it needs them."""

import shutil

import pytest

from ..laboratory import EXPERIMENT, Laboratory

PROGRAMS = """
[clients.native]

[clients.mine]
command = "load"
directory = "programs"
protocols = ["h1", "h2", "h3"]
"""


@pytest.fixture
def moved(laboratory: Laboratory) -> Laboratory:
    """A laboratory with a run in `out` whose site and whose client's folder are gone."""
    for name in ("site", "programs"):
        (laboratory.folder / name).mkdir()
    (laboratory.folder / "site" / "index.html").write_text("<!doctype html>", encoding="utf-8")
    text = EXPERIMENT.replace('["tiny"]', '["dir:site"]').replace('["near", "far"]', '["near"]')
    text = text.replace("repeat = 3", "repeat = 1")
    laboratory.write("experiment.toml", text + PROGRAMS)
    # The fake engine starts no programs: what is measured is the native client's.
    done = laboratory.run("run", "experiment.toml", "--set=preflight=false", "--out", "out")
    assert done.status == 0, done.stderr
    for name in ("site", "programs"):
        shutil.rmtree(laboratory.folder / name)
    return laboratory


def test_it_is_reported_and_compared(moved: Laboratory) -> None:
    for words in (("report", "out"), ("compare", "out", "out")):
        done = moved.run(*words)
        assert (done.status, "is no folder" in done.stderr) == (0, False), done.stderr


def test_to_go_on_it_says_which_folder_it_lacks(moved: Laboratory) -> None:
    journal = moved.folder / "out" / "trials.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    journal.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    done = moved.run("run", "--resume", "out")
    assert done.status == 2
    assert "key 'clients.mine.directory'" in done.stderr
    (moved.folder / "programs").mkdir()
    done = moved.run("run", "--resume", "out")
    assert done.status == 2
    assert f"{moved.folder / 'site'} is no folder" in done.stderr
