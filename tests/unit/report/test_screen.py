"""A finished run on one screen."""

import io
from pathlib import Path

import pytest

from pronghorn.model.caution import Caution
from pronghorn.model.summary import Summary
from pronghorn.report import screen
from pronghorn.terminal import Terminal

from ..analysis.synthetic import Behaviour, cell, run, summarised

RUN = Path("runs/one")


def summary(paths: int, *, arms: tuple[str, ...] = ("h2", "h3"), h3_s: float = 0.6) -> Summary:
    behaviours = {"h1": Behaviour(1.5), "h2": Behaviour(1.0), "h3": Behaviour(h3_s)}
    cells = {cell(f"path-{number}"): {arm: behaviours[arm] for arm in arms} for number in range(paths)}
    return summarised(
        run(cells), name="Which?", arms=arms, baseline="h2", seed=1, limit_s=10.0, resamples=500
    )


def shown(found: Summary, *, width: int = 80, warnings: int = 2, then: str | None = "Next: x") -> list[str]:
    text = io.StringIO()
    console = Terminal(file=text, width=width, color_system=None)
    screen.render(found, warnings, RUN / "report.html", then, console)
    return text.getvalue().splitlines()


def test_a_line_a_comparison_the_sentence_the_report_and_what_comes_next() -> None:
    lines = shown(summary(2))
    assert lines[0] == "Which?"
    assert "slower│faster" in lines[1]
    assert "ratio to h2 (95 %)" in lines[1]
    for number, line in enumerate(lines[2:4]):
        assert line.split()[0] == f"path-{number}"
        assert "│███████  faster  0.6" in line
    assert lines[5].startswith("h3 is faster than h2")
    assert lines[-3:] == [
        "2 warnings: see the report, or run with --verbose",
        "Report: runs/one/report.html",
        "Next: x",
    ]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(("paths", "arms"), [(5, ("h1", "h2", "h3")), (40, ("h2", "h3"))])
def test_it_fits_however_many_cells_there_are(paths: int, arms: tuple[str, ...], width: int) -> None:
    lines = shown(summary(paths, arms=arms), width=width)
    assert len(lines) < screen.LINES
    assert all(len(line) <= width for line in lines)
    left_out = [line for line in lines if "more comparison" in line]
    assert bool(left_out) == (paths == 40)


def test_a_slower_arm_has_its_bar_on_the_other_side() -> None:
    (line,) = [line for line in shown(summary(1, h3_s=3.0)) if line.startswith("path-0")]
    assert "███████│         slower  3" in line


def test_what_comes_next_depends_on_what_was_found() -> None:
    clear, open_ = summary(1), summary(1, h3_s=0.97)
    assert screen.next_command(clear, [], RUN, named=False) == "For your own site: pronghorn new"
    assert screen.next_command(clear, [], RUN, named=True) == "All figures: pronghorn report runs/one"
    assert "--set repeat=48" in str(screen.next_command(open_, [], RUN, named=False))
    assert "--set repeat=48" in str(screen.next_command(open_, [], RUN, named=True))
    denied = Caution("no-emulated-network", "Loads went over loopback.", "Do this.")
    assert screen.next_command(clear, [denied], RUN, named=False) == "Do this."
    nothing = summarised(
        [], name="x", arms=["h2", "h3"], baseline="h2", seed=1, limit_s=1.0, cells=[cell("lte")]
    )
    assert screen.next_command(nothing, [], RUN, named=True) is None


def test_kernels_and_clocks_are_told_and_bars_remain() -> None:
    cells = [
        cell(f"path-{path}", origin=origin).model_copy(update={"kernel": kernel})
        for path in range(4)
        for origin in ("builtin", "nginx")
        for kernel in ("host", "guest")
    ]
    arms = ("h1", "h2", "h3")
    behaviours = {"h1": Behaviour(1.5), "h2": Behaviour(1.0), "h3": Behaviour(0.6)}
    found = summarised(
        run(dict.fromkeys(cells, behaviours)),
        name="Which?",
        arms=arms,
        baseline="h2",
        seed=1,
        limit_s=10.0,
        resamples=200,
        cells=cells,
    )
    lines = shown(found)
    assert len(lines) < screen.LINES
    assert sum("│" in line for line in lines) >= 4
    assert any("more comparisons" in line for line in lines)
    assert any("more sentences in the report" in line for line in lines)
    assert any(" h3 " in line and "│███████  faster  0." in line for line in lines)
