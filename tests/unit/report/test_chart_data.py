"""Each chart's figures are within the page: as a table, and as a file."""

import csv
import io
from urllib.parse import unquote

import pytest

from pronghorn.report import html
from pronghorn.report.chart_data import MOST_ROWS, ChartData, distinct, named

from ..analysis.reported import HOSTILE, Page, summary, trials
from ..analysis.synthetic import cell, paired


def data(*rows: tuple[str | int | float | None, ...]) -> ChartData:
    return ChartData("it", "What it is", ("a", "b"), rows)


def test_the_file_holds_what_was_put_in_whatever_its_signs() -> None:
    found = data((HOSTILE, 0.1), ('comma, "quote"\nline', None), ("ä–∞", 1e-9))
    prefix, _, text = found.uri.partition(",")
    assert prefix == "data:text/csv;charset=utf-8"
    assert list(csv.reader(io.StringIO(unquote(text)))) == [
        ["a", "b"],
        [HOSTILE, "0.1"],
        ['comma, "quote"\nline', ""],
        ["ä–∞", "1e-09"],
    ]


def test_an_address_holds_no_sign_that_would_end_it() -> None:
    assert not set(data((HOSTILE, "#%\"'<> \n")).uri) & set("#\"'<> \n")


def test_a_long_table_is_cut_and_the_file_is_not() -> None:
    found = data(*((number, None) for number in range(MOST_ROWS + 7)))
    assert (len(found.shown), found.left_out) == (MOST_ROWS, 7)
    assert found.csv.count("\n") == MOST_ROWS + 8
    assert data((1, 2.34567)).shown == [("1", "2.346")]


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("a", "lte poor/1"), "a-lte-poor-1"),
        (("../..",), "chart"),
        (("x" * 200,), "x" * 80),
        (("–",), "chart"),
    ],
)
def test_a_file_s_name_is_one_on_every_system(parts: tuple[str, ...], name: str) -> None:
    assert named(*parts) == name


def test_no_two_files_have_one_name() -> None:
    assert distinct(["a", "b", "a", "a-2", "a"]) == ["a", "b", "a-2", "a-2-2", "a-3"]


def test_beside_every_chart_of_a_cell_stands_its_data() -> None:
    page = Page(html.document(summary(trials()), trials(), {}))
    files = [
        attributes["download"]
        for tag, attributes in page.seen
        if tag == "a" and (attributes.get("href") or "").startswith("data:text/csv")
    ]
    assert files == [
        "verdicts.csv",
        "load-time-quantiles-small.csv",
        "load-times-lan.csv",
        "load-times-lte-poor.csv",
    ]


def test_the_ratio_s_data_are_those_of_the_summary() -> None:
    found = paired(cell("lte"), {"h2": [2.0, 2.1, 2.2] * 4, "h3": [1.0, 1.1, 1.2] * 4})
    text = html.document(summary(found), found, {})
    (uri,) = [
        attributes["href"]
        for tag, attributes in Page(text).seen
        if tag == "a" and attributes.get("download") == "verdicts.csv"
    ]
    (row,) = csv.DictReader(io.StringIO(unquote((uri or "").partition(",")[2])))
    comparison = summary(found).cells[0].comparison("h3")
    assert comparison is not None
    assert (row["cell"], row["arm"], row["verdict"]) == ("lte", "h3", "faster")
    assert float(row["ratio"]) == pytest.approx(comparison.ratio, rel=1e-5)
    assert float(row["ci95_low"]) == pytest.approx(comparison.ci95[0], rel=1e-5)
