"""Single resources: what they took over each arm, which differ, and where that is told."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn import export
from pronghorn.analysis.resources import BLOCKS, most_blocks
from pronghorn.model.resources import CellResources, ResourceComparison, ResourceSummary
from pronghorn.model.summary import Summary
from pronghorn.model.trial import RunHeader, Trial, record
from pronghorn.report.resource_table import MOST_ROWS, most_in_file, resource_table
from pronghorn.runs import journal
from pronghorn.runs.skim import skim

from .pages import loaded, page, resource
from .synthetic import summarised

ARMS = ("h2", "h3")
FALSE_ALARM = 1e-4
"""Probability that the test of the correction fails although it does what it says."""


def summary_of(trials: Sequence[Trial], **more: object) -> Summary:
    settings = {"name": "test", "arms": ARMS, "baseline": "h2", "seed": 1, "limit_s": 30.0} | more
    return summarised(trials, **settings)  # type: ignore[arg-type]


def resources_of(trials: Sequence[Trial]) -> CellResources:
    (cell,) = summary_of(trials).cells
    assert cell.resources is not None
    return cell.resources


def timed(number: int, took_s: float, **changes: Any) -> dict[str, Any]:
    """A resource that was queued for a tenth, waited for six tenths and came in three tenths of its time."""
    start_s = 0.1 * number
    return resource(
        number,
        start_s=start_s,
        request_s=start_s + 0.1 * took_s,
        first_byte_s=start_s + 0.7 * took_s,
        last_byte_s=start_s + took_s,
        **changes,
    )


Times = Callable[[int, int], float | None]
"""What a resource takes in a block, by their numbers; None: it isn't asked for."""


def run(arms: Mapping[str, Times], *, blocks: int = 12, resources: int = 3) -> list[Trial]:
    found = []
    for arm, times in arms.items():
        for block in range(blocks):
            taken = [timed(one, took) for one in range(resources) if (took := times(one, block)) is not None]
            found.append(loaded(arm, block, 1.0, page(taken)))
    return found


def one_of(found: CellResources, number: int) -> tuple[ResourceSummary, ResourceComparison]:
    one = found.resources[number]
    (compared,) = one.comparisons
    return one, compared


def steady(factor: float) -> Times:
    return lambda number, block: factor * (number + 1) * (1 + 0.001 * block)


def test_an_arm_s_times_are_its_own_and_their_phases_those_of_the_record() -> None:
    found = resources_of(run({"h2": steady(0.2), "h3": steady(0.1)}))
    assert [one.path for one in found.resources] == ["/", "/image-01.png", "/image-02.png"]
    assert (found.blocks, found.left_out) == (12, 0)
    times = found.resources[1].arms["h2"]
    assert (times.n, times.failed) == (12, 0)
    assert times.duration.median == pytest.approx(0.4 * 1.0055)
    assert times.duration.p95 == pytest.approx(0.4 * 1.011)
    assert times.queued.median == pytest.approx(0.04 * 1.0055)
    assert times.waiting.median == pytest.approx(0.24 * 1.0055)
    assert times.receiving.median == pytest.approx(0.12 * 1.0055)


def test_arms_are_compared_resource_by_resource_with_interval_and_corrected_p() -> None:
    _, compared = one_of(resources_of(run({"h2": steady(0.2), "h3": steady(0.1)})), 2)
    assert compared.arm == "h3"
    assert compared.ratio == pytest.approx(0.5)
    assert compared.difference == pytest.approx(-0.3 * 1.0055)
    low, high = compared.ci95
    assert low is not None and high is not None and 0.49 < low <= 0.5 <= high < 0.51
    assert compared.p_value == compared.q_value == pytest.approx(2 / 2**12)


def test_few_blocks_have_a_ratio_but_no_interval() -> None:
    _, compared = one_of(resources_of(run({"h2": steady(0.2), "h3": steady(0.1)}, blocks=5)), 0)
    assert compared.ratio == pytest.approx(0.5)
    assert (compared.ci95, compared.ci95_difference) == ((None, None), (None, None))
    (cell,) = summary_of(run({"h2": steady(0.2), "h3": steady(0.1)}, blocks=5)).cells
    assert resource_table(cell, "h2") is None


def test_a_resource_that_never_came_is_the_worst_outcome() -> None:
    trials = run({"h2": steady(0.2), "h3": steady(0.1)})
    broken = [timed(0, 0.1), timed(1, 0.2) | {"error": "reset", "last_byte_s": None}]
    for place, trial in enumerate(trials):
        if trial.arm == "h3" and trial.block < 7:
            trials[place] = loaded("h3", trial.block, None, page(broken))
    found = resources_of(trials)
    whole, broke, unasked = (one.arms["h3"] for one in found.resources)
    assert (whole.n, whole.failed) == (12, 0)
    assert (broke.n, broke.failed, broke.duration.median) == (12, 7, None)
    assert (unasked.n, unasked.failed) == (12, 7)
    assert broke.waiting.median is not None
    assert found.resources[1].comparisons[0].ratio is None


def test_what_a_load_did_not_ask_for_leaves_its_block_out() -> None:
    def seldom(number: int, block: int) -> float | None:
        return None if number == 1 and block < 3 else 0.1

    found = resources_of(run({"h2": steady(0.2), "h3": seldom}))
    one, compared = one_of(found, 1)
    assert (one.arms["h3"].n, one.arms["h2"].n, compared.blocks) == (9, 12, 9)
    cached = [
        loaded("h3", block, 1.0, page([timed(0, 0.1), timed(1, 0.0, from_cache=True)])) for block in range(8)
    ]
    other = [loaded("h2", block, 1.0, page([timed(0, 0.1), timed(1, 0.1)])) for block in range(8)]
    (_, from_cache) = resources_of([*other, *cached]).resources
    assert from_cache.arms.keys() == {"h2"}
    assert from_cache.comparisons == []


def test_loads_that_tell_of_no_resources_have_no_such_summary() -> None:
    (cell,) = summary_of([loaded(arm, 0, 1.0, None) for arm in ARMS]).cells
    assert cell.resources is None
    assert resource_table(cell, "h2") is None


def test_of_very_many_blocks_the_first_are_looked_at() -> None:
    blocks = BLOCKS + 20
    found = resources_of(run({"h2": steady(0.2), "h3": steady(0.1)}, blocks=blocks, resources=1))
    assert found.blocks == found.resources[0].arms["h2"].n == BLOCKS
    assert [most_blocks(cells, 4) for cells in (10, 50, 400, 1000)] == [100, 50, 6, 0]


def test_a_skimmed_journal_tells_the_same(tmp_path: Path) -> None:
    trials = run({"h2": steady(0.2), "h3": steady(0.1)})
    lines = [record(RunHeader(program="test", seed=1, experiment="-")), *map(record, trials)]
    (tmp_path / journal.JOURNAL).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    skimmed = skim(tmp_path)
    assert summary_of(skimmed.trials, requests=skimmed.requests) == summary_of(trials)


def test_equal_arms_hardly_ever_have_a_resource_that_differs() -> None:
    """In at most 5 % of runs, whose resources share their blocks' fortune."""
    rng = np.random.default_rng(9)
    runs = 60
    wrong = 0
    for _ in range(runs):
        fortune = rng.lognormal(0, 0.2, (12, 2, 1)) * rng.lognormal(0, 0.1, (12, 2, 8))
        arms = {
            arm: (lambda number, block, place=place, drawn=fortune: float(drawn[block, place, number]))
            for place, arm in enumerate(ARMS)
        }
        found = resources_of(run(arms, resources=8))
        wrong += any((one_of(found, number)[1].q_value or 1.0) <= 0.05 for number in range(8))
    assert wrong <= binom.isf(FALSE_ALARM, runs, 0.05)


def test_an_export_has_a_row_for_each_arm_part_and_statistic_of_a_resource() -> None:
    summary = summary_of(run({"h2": steady(0.2), "h3": steady(0.1)}))
    rows = [row for row in export.table(summary).rows if row["resource"] is not None]
    assert len(rows) == 3 * 2 * 4 * 2
    (found,) = [
        row
        for row in rows
        if (row["resource"], row["arm"], row["metric"], row["statistic"]) == ("/", "h3", "resource", "median")
    ]
    assert (found["baseline"], found["n"], found["failed"]) == ("h2", 12, 0)
    assert found["ratio"] == pytest.approx(0.5)
    assert found["value_s"] == pytest.approx(0.1 * 1.0055)
    assert found["q_value"] is not None


def test_the_report_shows_those_first_that_differ_most() -> None:
    def other(number: int, block: int) -> float:
        return (0.5 if number == 17 else 1.0) * 0.2 * (number + 1) * (1 + 0.001 * ((block + number) % 5))

    summary = summary_of(run({"h2": steady(0.2), "h3": other}, resources=30))
    (cell,) = summary.cells
    found = resource_table(cell, "h2")
    assert found is not None
    assert found.rows[0].path == "/image-17.png"
    assert found.rows[0].times == ("3.62 s", "1.80 s")
    assert found.rows[0].ratios[0].endswith(" *")
    assert len(found.rows) == MOST_ROWS
    assert len(found.data.rows) == 30 * 2
    few = resource_table(cell, "h2", most=20)
    assert few is not None and few.rows == found.rows and few.data.rows == found.data.rows[: 20 * 2]
    assert [most_in_file(cells, 3) for cells in (5, 20, 100)] == [50, 25, MOST_ROWS]
    assert found.said.startswith("Of this page's 30 resources, ")
    assert f"The table shows the {MOST_ROWS} that differ most." in found.said
    assert all(
        not isinstance(value, float) or math.isfinite(value) for row in found.data.rows for value in row
    )


@pytest.mark.parametrize(("blocks", "few"), [(6, True), (12, False)])
def test_where_blocks_are_too_few_to_find_anything_the_report_says_so(blocks: int, few: bool) -> None:
    """h3 takes half as long for each of 3 resources, and of 6 blocks p is at least 1/32."""
    (cell,) = summary_of(run({"h2": steady(0.2), "h3": steady(0.1)}, blocks=blocks)).cells
    found = resource_table(cell, "h2")
    assert found is not None
    assert "Unmarked resources are undecided, not equal." in found.said
    assert ("6 blocks are too few to mark a resource that differs alone." in found.said) is few
