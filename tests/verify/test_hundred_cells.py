"""Of a hundred cells in which an arm runs against itself, few are told apart.

The run takes about ten minutes on a quiet host of two cores. Where PRONGHORN_HUNDRED_CELLS names a directory
it is kept there, and a run that stands there already goes on, or is judged as it is.
"""

import os
from pathlib import Path

import pytest
from scipy.stats import binom

from pronghorn.analysis.verdict import MINIMUM_BLOCKS

from ..e2e import programme
from ..e2e.programme import Run
from .same_arms import WRONG, decided

pytestmark = pytest.mark.needs("namespaces", "nginx")

EXPERIMENT = Path(__file__).parent / "hundred_cells.toml"
CELLS = 100
FALSE_ALARM = 0.005
"""The largest chance that a program which errs in one of twenty cells fails this test: it is 0.43 %."""


def most_decided() -> int:
    """How many of the cells may decide before it is too great a surprise."""
    return int(binom.isf(FALSE_ALARM, CELLS, WRONG))


def test_eleven_of_a_hundred_cells_may_decide() -> None:
    assert most_decided() == 11
    assert binom.sf(11, CELLS, WRONG) == pytest.approx(0.0043, abs=5e-5)


def test_few_of_a_hundred_cells_of_the_same_arm_twice_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = os.environ.get("PRONGHORN_HUNDRED_CELLS")
    folder = Path(kept).absolute() if kept else tmp_path / "run"
    place = "--resume" if (folder / "experiment.toml").exists() else "--out"
    result = programme.run("run", str(EXPERIMENT), place, str(folder), folder=tmp_path)
    assert result.status == 0, result.stderr

    cells = Run(folder).summary().cells
    short = [f"{cell.cell}: {cell.blocks} blocks" for cell in cells if cell.blocks < MINIMUM_BLOCKS]
    found = [one for cell in cells for one in cell.led()]
    wrong = [one.words for one in found if decided(one.verdict)]
    with capsys.disabled():
        print(
            f"\nA/A: {len(wrong)} of {len(found)} cells decided, at most {most_decided()} may",
            *wrong,
            sep="\n  ",
        )
    assert len(found) == CELLS
    assert not short, "too few blocks to decide at all, for a busy host contaminated the others"
    assert len(wrong) <= most_decided()
