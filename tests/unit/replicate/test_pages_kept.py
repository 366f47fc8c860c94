"""The pages in docs/replications say what the runs kept beside them say."""

import re
from pathlib import Path

from pronghorn.model import study as studies
from pronghorn.replicate import found
from pronghorn.replicate.measured import measured
from pronghorn.replicate.page import page
from pronghorn.replicate.planned import plan, wanted

FOLDER = Path(__file__).parents[3] / "docs" / "replications"
MADE_BY = re.compile(r"^Made by `([^`]+)`", re.MULTILINE)


def test_every_page_is_of_a_study_and_made_of_the_runs_that_are_kept() -> None:
    pages = {file.stem: file for file in FOLDER.glob("*.md") if file.stem != "README"}
    assert set(pages) <= set(studies.names())
    for name, file in pages.items():
        said = file.read_text(encoding="utf-8")
        made_by = MADE_BY.search(said)
        assert made_by is not None, name
        [one] = wanted([name])
        planned = plan([one], "full", FOLDER / "runs", blocks=None, seed=None)
        read = measured(one.study, planned)
        assert set(read.runs) == set(one.runs), f"{name}: runs are missing"
        again = page(found.study(read, planned, "full"), read, made_by[1])
        assert again == said, f"write it again: pronghorn {made_by[1].removeprefix('pronghorn ')}"
