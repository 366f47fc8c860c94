"""Exports: every format holds the same rows, and these what the summary says."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars
import pytest

from pronghorn import export
from pronghorn.export.rows import COLUMNS
from pronghorn.model.comparison import FIGURES
from pronghorn.model.summary import Summary

from ..checks.runs import Loads, around, measured


@pytest.fixture(scope="module")
def summary() -> Summary:
    loads: dict[str, Loads] = {
        "lan": {"h1": around(0.02, 0.1), "h2": around(0.02, 0.1), "h3": around(0.03, 0.1)},
        "lte": {"h1": around(1.0, 0.1), "h2": around(1.0, 0.1), "h3": [*around(0.8, 0.1, 11), None]},
    }
    return measured(loads).summary


def row(rows: Sequence[Mapping[str, Any]], **keys: str) -> Mapping[str, Any]:
    (found,) = [one for one in rows if all(one[key] == value for key, value in keys.items())]
    return found


def test_there_is_a_row_for_each_cell_arm_metric_and_statistic(summary: Summary) -> None:
    rows = export.table(summary).rows
    keys = [(one["path"], one["arm"], one["metric"], one["statistic"]) for one in rows]
    assert len(keys) == len(set(keys)) == 2 * 3 * 2 * len(FIGURES)
    assert all(list(one) == list(COLUMNS) for one in rows)


def test_a_row_says_what_the_summary_says(summary: Summary) -> None:
    rows = export.table(summary).rows
    cell = summary.cells[1]
    compared = cell.comparison("h3")
    assert compared is not None
    found = row(rows, path="lte", arm="h3", metric="load", statistic="median")
    assert found["value_s"] == cell.arms["h3"].median
    assert (found["value_ci95_low_s"], found["value_ci95_high_s"]) == cell.arms["h3"].ci95["median"]
    assert (found["ratio"], found["verdict"], found["baseline"]) == (compared.ratio, compared.verdict, "h2")
    assert (found["ratio_ci95_low"], found["ratio_ci95_high"]) == compared.ci95
    assert (found["difference_s"], found["q_value"]) == (compared.difference, compared.q_value)
    assert (found["blocks"], found["n"], found["failed"]) == (12, 12, 1)
    assert found["value_per_s"] is None


def test_the_baseline_and_what_is_not_known_are_empty(summary: Summary) -> None:
    rows = export.table(summary).rows
    assert row(rows, path="lan", arm="h2", metric="load", statistic="median")["ratio"] is None
    assert row(rows, path="lte", arm="h3", metric="load", statistic="mean")["value_s"] is None
    assert row(rows, path="lte", arm="h3", metric="load", statistic="max")["value_s"] is None


def test_all_formats_hold_the_same_rows(summary: Summary) -> None:
    table = export.table(summary)
    plain = json.loads(export.encode(table, "json"))
    assert plain["rows"] == table.rows
    assert (plain["run"], plain["confidence"], plain["margin"]) == ("By hand", 0.95, 0.03)
    assert polars.read_parquet(io.BytesIO(export.encode(table, "parquet"))).to_dicts() == table.rows
    text = export.encode(table, "csv").decode()
    assert text.count("\r\n") == len(table.rows) + 1
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    kinds = {"text": str, "whole": int, "real": float}
    typed = [
        {key: None if value == "" else kinds[COLUMNS[key]](value) for key, value in one.items()}
        for one in read
    ]
    assert typed == table.rows


def test_a_run_of_nothing_has_the_same_columns(summary: Summary) -> None:
    nothing = export.table(summary.model_copy(update={"cells": []}))
    assert polars.read_parquet(io.BytesIO(export.encode(nothing, "parquet"))).columns == list(COLUMNS)
    assert export.encode(nothing, "csv").decode().split("\r\n")[0] == ",".join(COLUMNS)


def test_two_exports_are_the_same_bytes(summary: Summary) -> None:
    for form in export.FORMATS:
        once, again = (export.encode(export.table(summary), form) for _ in range(2))
        assert once == again


def test_every_unit_stands_in_a_name() -> None:
    without = {"seed", "blocks", "n", "failed", "contaminated", "p_value", "q_value"}
    for name, kind in COLUMNS.items():
        ratio = name.startswith(("ratio", "superiority"))
        assert kind == "text" or name in without or ratio or name.endswith("_s")
