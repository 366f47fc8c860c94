"""Violins and distributions of load times: honest about failures, many trials, and what is compared."""

import re

import pytest

from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Trial
from pronghorn.report.canvas import Frame
from pronghorn.report.counted import counted
from pronghorn.report.ecdf import steps
from pronghorn.report.load_charts import (
    Times,
    blocks_of,
    distribution_chart,
    load_times,
    times_of,
    violin_chart,
)
from pronghorn.report.ranks import ranked
from pronghorn.report.site_view import SiteView, site_views
from pronghorn.report.time_scale import TimeScale, time_scale
from pronghorn.report.violins import MOST_POINTS, Lane, draw, thinned

from ..analysis.reported import HOSTILE, summary
from ..analysis.synthetic import Behaviour, cell, paired, run

STEP = re.compile(r"H([\d.]+)V([\d.]+)")


def of_cell(trials: list[Trial], arms: list[str]) -> tuple[CellSummary, Times]:
    found = summary(trials, arms=arms, baseline=arms[0])
    (one,) = found.cells
    return one, times_of(counted(found, trials)[one.cell])


def frame(scale: TimeScale) -> Frame:
    return Frame(0.0, 0.0, 100.0, 50.0, scale)


def test_a_distribution_rises_by_a_trial_s_share_where_it_was_done() -> None:
    scale = time_scale([1.0, 2.0])
    drawn = steps([2.0, 1.0, 1.5, 1.5], frame(scale))
    assert drawn.startswith("M0 50")
    assert [float(height) for _, height in STEP.findall(drawn)] == [37.5, 12.5, 0.0]
    assert drawn.endswith("H100")


def test_failed_trials_keep_a_distribution_from_the_top() -> None:
    drawn = steps([1.0, None, 2.0, None], frame(time_scale([1.0, 2.0])))
    assert [float(height) for _, height in STEP.findall(drawn)] == [37.5, 25.0]
    assert steps([None, None], frame(time_scale([1.0]))) == "M0 50H100"
    assert steps([], frame(time_scale([1.0]))) == ""


def test_a_drawing_of_many_trials_stays_small_and_keeps_the_extremes() -> None:
    many = [1.0 + number / 10_000 for number in range(10_000)]
    shown = thinned(many)
    assert len(shown) == MOST_POINTS
    assert (shown[0], shown[-1]) == (many[0], many[-1])
    drawing = draw([Lane("h2", "red", many, 1.5)], time_scale(many), 760)
    assert len(drawing) < 20_000
    assert len(steps(many, frame(time_scale(many)))) < 10_000


@pytest.mark.parametrize(("share", "value"), [(0.25, 1.0), (0.5, 2.0), (0.75, 3.0), (0.9, None)])
def test_quantiles_are_measured_times_and_a_failed_trial_is_the_slowest(
    share: float, value: float | None
) -> None:
    assert ranked([3.0, None, 1.0, 2.0], share) == value
    assert ranked([], share) is None


def test_an_arm_s_failures_are_told_beside_its_violin() -> None:
    found = paired(cell("lte"), {"h2": [1.0, 1.1, None, None], "h3": [1.0, 1.2, 1.3, 1.1]})
    one, times = of_cell(found, ["h2", "h3"])
    chart = violin_chart(one, times)
    assert chart is not None
    assert chart.wide.count("2 failed") == 1
    assert "h2: median" in chart.label
    assert "2 failed" in chart.label


def test_the_distribution_says_in_words_when_which_share_was_done() -> None:
    found = paired(cell("lte"), {"h2": [1.0, 2.0, 3.0, 4.0], "h3": [None, None, None, 1.0]})
    chart = distribution_chart(*of_cell(found, ["h2", "h3"]), range(4))
    assert chart is not None
    assert "h2: 25 % within 1.00 s, 50 % within 2.00 s, 75 % within 3.00 s, 90 % within 4.00 s" in chart.label
    assert "h3: 25 % within 1.00 s." in chart.label


def test_a_cell_in_which_nothing_was_done_has_no_charts() -> None:
    one, times = of_cell(paired(cell("lte"), {"h2": [None] * 3, "h3": [None] * 3}), ["h2", "h3"])
    assert violin_chart(one, times) is None
    assert distribution_chart(one, times, range(3)) is None


def test_the_data_behind_are_the_trials_by_their_blocks_numbers() -> None:
    """As waterfalls, ladders and artifacts' names have them, whichever blocks were left out."""
    trials = paired(cell("lte"), {"h2": [1.0, 2.0, 3.0], "h3": [0.123456789, 1.0, None]})
    kept = [one for one in trials if one.block != 1]
    one, times = of_cell(kept, ["h2", "h3"])
    blocks = blocks_of({"h2": [each for each in kept if each.arm == "h2"]})
    data = load_times(one, times, blocks)
    assert data.csv == "block,h2 load_s,h3 load_s\n0,1,0.123457\n2,3,failed\n"
    assert data.name == "load-times-lte"


def views(*cells: str, site: str = "small") -> list[SiteView]:
    trials = run({cell(path, site): {"h2": Behaviour(0.5), "h3": Behaviour(5.0)} for path in cells})
    found = summary(trials)
    return site_views(
        found.cells, {where: times_of(by_arm) for where, by_arm in counted(found, trials).items()}
    )


def test_the_cells_of_one_site_share_a_scale_and_one_alone_needs_none() -> None:
    assert views("lan") == []
    (view,) = views("lan", "lte")
    for drawing in (view.violins.wide, view.distributions.wide):
        assert drawing.count(">lan<") == drawing.count(">lte<") == 1
        assert drawing.count("load time in s, logarithmic") == 1


def test_cells_of_other_sites_are_drawn_apart() -> None:
    trials = run({cell(path, site): {"h2": Behaviour(0.5)} for site in "ab" for path in ("lan", "lte")})
    found = summary(trials, arms=["h2"])
    times = {where: times_of(by_arm) for where, by_arm in counted(found, trials).items()}
    drawn = site_views(found.cells, times)
    assert [view.anchor for view in drawn] == ["site-1", "site-2"]
    assert [view.heading for view in drawn] == [
        "Load times of the site a, all on one scale",
        "Load times of the site b, all on one scale",
    ]


def test_names_in_drawings_are_text() -> None:
    found = paired(cell("lte"), {"h2": [1.0, 2.0, 3.0], HOSTILE: [1.0, 2.0, 3.0]})
    one, times = of_cell(found, ["h2", HOSTILE])
    for chart in (violin_chart(one, times), distribution_chart(one, times, range(len(times["h2"])))):
        assert chart is not None
        assert "<script" not in chart.wide + chart.narrow


def test_a_median_without_room_beside_its_low_violin_stands_on_it_away_from_the_bar() -> None:
    times = [1.0, 9.0, 10.0]
    drawing = draw([Lane("h3+0rtt", "red", times, 9.0)], time_scale(times), 320, lane_px=34)
    [(x, anchor)] = re.findall(
        r'<text x="([\d.]+)" y="[\d.]+" text-anchor="(\w+)"[^>]*paint-order="stroke">9.00 s<', drawing
    )
    assert anchor == "start"
    assert float(x) < 320 / 2
