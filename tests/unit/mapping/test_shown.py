"""What a map shows: sentences, picture, data and page say the same of one surface."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pronghorn.mapping import batches, page, picture, result, sentence
from pronghorn.mapping.batches import SeenBlock, SeenPoint
from pronghorn.mapping.boxes import boxes
from pronghorn.mapping.domain import Point, parse
from pronghorn.mapping.explore import explore
from pronghorn.mapping.fitted import VERDICTS, Fitted, fitted
from pronghorn.mapping.observed import BOUND, Observation, log_ratio
from pronghorn.runs.directory import MANIFEST

from ..analysis.synthetic import cell, trial
from .maps import a_map
from .simulated import DOMAIN, MARGIN, NODES, explored, mapped, slope

SVG = "{http://www.w3.org/2000/svg}"


@cache
def shown() -> Fitted:
    return mapped(slope, seed=1)


@cache
def measured() -> tuple[SeenPoint, ...]:
    return tuple(
        SeenPoint(
            one.point,
            1 + number // 24,
            tuple(
                SeenBlock(block, {"h2": 1.0, "h3": float(np.exp(value))}, value)
                for block, value in enumerate(one.log_ratios)
            ),
            0,
        )
        for number, one in enumerate(explored(slope, seed=1).observations)
    )


def document() -> dict[str, object]:
    said = sentence.sentences(shown(), site="small", arm="h3", baseline="h2")
    return result.document(
        a_map(),
        shown(),
        measured(),
        arm="h3",
        baseline="h2",
        reason="budget",
        sentences=said,
        warnings=[],
    )


def drawing(columns: int = picture.COLUMNS) -> str:
    points = [one.point for one in measured()]
    return picture.picture(shown(), points, arm="h3", baseline="h2", label="where it wins", columns=columns)


def test_the_sentence_says_above_what_it_wins_and_below_what_it_costs() -> None:
    said = sentence.sentences(shown(), site="small", arm="h3", baseline="h2")[0]

    assert re.fullmatch(
        r"On small, HTTP/3 wins against HTTP/2 above about .+ % of loss.* \(about [\d.]+ % less load time\); "
        r".*below about .+ it (probably )?costs \(about [\d.]+ % more load time\)\.",
        said,
    )


def test_a_corner_is_said_by_the_values_that_cut_it_off() -> None:
    probability = np.zeros((6, 5, 1))
    probability[3:, :, :] = 1

    assert [one.cuts for one in boxes(probability)] == [((0, 3, True),)]


def test_two_sides_of_a_map_are_two_boxes() -> None:
    probability = np.zeros((6, 6, 1))
    probability[4:, :, :] = 1
    probability[:, :2, :] = 1

    assert [one.cuts for one in boxes(probability)] == [((0, 4, True),), ((1, 1, False),)] or [
        one.cuts for one in boxes(probability)
    ] == [((1, 1, False),), ((0, 4, True),)]


def test_a_box_with_more_conditions_must_cover_much_more() -> None:
    probability = np.zeros((10, 10, 1))
    probability[5:, :, :] = 1
    probability[3:5, :2, :] = 1

    assert boxes(probability, most=1)[0].cuts == ((0, 5, True),)


def test_nothing_is_said_of_what_is_nowhere() -> None:
    assert boxes(np.zeros((6, 5, 2))) == []


@pytest.mark.parametrize(
    ("mine", "theirs", "value"),
    [(2.0, 1.0, np.log(2)), (9.0, 1.0, BOUND), (None, 1.0, BOUND), (1.0, None, -BOUND)],
)
def test_a_failed_load_is_the_worst_outcome_and_bounded(
    mine: float | None, theirs: float | None, value: float
) -> None:
    here = cell("10ms 1% 10Mbit")

    assert log_ratio(trial(here, "h3", 0, mine), trial(here, "h2", 0, theirs)) == pytest.approx(value)


def test_where_both_failed_there_is_no_ratio() -> None:
    here = cell("10ms 1% 10Mbit")

    assert log_ratio(trial(here, "h3", 0, None), trial(here, "h2", 0, None)) is None


def test_points_where_nothing_loaded_are_left_out_and_told() -> None:
    """Nothing loads at one point, and at another in one of its blocks."""
    first, second, *others = measured()
    failed: dict[str, float | None] = {"h2": None, "h3": None}
    barren = first._replace(blocks=tuple(SeenBlock(each.number, failed, None) for each in first.blocks))
    partly = second._replace(blocks=(SeenBlock(0, failed, None), *second.blocks[1:]))
    seen = [barren, partly, *others]

    assert (barren.observation.log_ratios, barren.observation.barren) == ((), True)
    assert partly.observation == Observation(second.point, second.observation.log_ratios[1:], 1)
    assert [one["code"] for one in result.cautions(shown(), measured())] == []
    (warning,) = result.cautions(shown(), seen)
    assert warning["code"] == "nothing-loaded"
    assert warning["text"].startswith("At 1 of 100 points no load of either arm succeeded.")
    assert warning["batches"] == [1]
    assert page.page(document(), shown(), seen, drawing(), drawing(1)).count("<td>nothing loaded</td>") == 1


def test_where_nothing_loads_the_map_does_not_say_that_it_makes_no_difference() -> None:
    """Nothing loads beyond a loss of half of the axis; up to there h3 takes half as long."""

    def measure(points: Sequence[Point]) -> list[Observation]:
        loads = [DOMAIN.unit(point)[1] <= 0.5 for point in points]
        ratios = (-0.7, -0.69, -0.71)
        return [
            Observation(point, ratios if each else (), 0 if each else 3)
            for point, each in zip(points, loads, strict=True)
        ]

    found = explore(DOMAIN, measure, margin=MARGIN, seed=1, points=40).observations
    map_ = fitted(DOMAIN, found, margin=MARGIN, seed=1, counts=(5, 5, 2))

    assert any(one.barren for one in found)
    assert not any(
        "no difference" in said for said in sentence.sentences(map_, site="x", arm="h3", baseline="h2")
    )
    assert map_.share("same") == 0


def test_the_picture_is_well_formed_and_tells_regions_by_texture_as_well() -> None:
    root = ElementTree.fromstring(drawing())
    classes = " ".join(one.get("class", "") for one in root.iter())

    assert root.get("aria-label") == "where it wins"
    assert len(root.findall(f"{SVG}g")) == NODES[2]
    for name in ("faster", "slower", "undecided"):
        assert f"map-{name}" in classes
    assert "map-on-faster" in classes
    assert "map-on-slower" in classes
    assert all(one.get("id") is None for one in root.iter())


def test_a_narrow_picture_has_its_panels_one_beneath_the_other_and_all_of_its_legend() -> None:
    wide, narrow = (ElementTree.fromstring(drawing(columns)) for columns in (picture.COLUMNS, 1))

    assert int(narrow.get("width", "")) < 390 < int(wide.get("width", ""))
    assert len({one.get("transform", "").split()[0] for one in narrow.findall(f"{SVG}g")}) == 1
    said = [[text.text for text in one.findall(f"{SVG}text")] for one in (wide, narrow)]
    assert said[0] == said[1]
    assert len(said[0]) == 7
    assert max(int(text.get("y", "")) for text in narrow.findall(f"{SVG}text")) < int(
        narrow.get("height", "")
    )


def test_every_square_of_a_panel_has_one_region() -> None:
    root = ElementTree.fromstring(drawing())
    names = {f"map-{name}" for name in VERDICTS}

    for panel in root.findall(f"{SVG}g"):
        squares = [one for one in panel.findall(f"{SVG}rect") if one.get("class") in names]
        area = sum(int(one.get("width", 0)) * int(one.get("height", 0)) for one in squares)
        assert area == NODES[0] * NODES[1] * picture.STEP**2


def test_ticks_are_round_and_apart() -> None:
    assert {1e6, 1e7, 1e8, 1e9} <= set(picture.ticks(DOMAIN.rate))
    assert picture.ticks(DOMAIN.loss)[0] == 0
    assert 0.1 in picture.ticks(DOMAIN.rtt)
    for axis in DOMAIN:
        places = [axis.unit(value) for value in picture.ticks(axis)]
        assert np.diff(places).min() > 0.1


def test_the_data_hold_every_point_with_its_trials_and_the_surface_with_its_bands() -> None:
    data = json.loads(json.dumps(document()))

    assert len(data["points"]) == 100
    assert data["points"][0]["blocks"][0]["load_s"]["h2"] == 1.0
    ratio, low, high = (np.array(data["surface"][key]) for key in ("ratio", "low", "high"))
    assert ratio.shape == NODES
    assert np.all((low <= ratio) & (ratio <= high))
    total = sum(np.array(one) for one in data["surface"]["probability"].values())
    assert total == pytest.approx(1, abs=1e-3)
    assert sum(data["regions"].values()) == pytest.approx(1, abs=1e-3)
    assert data["trials"] == 600
    assert data["full_grid"] == {"trials": 3840, "share": pytest.approx(600 / 3840, rel=1e-3)}


def test_a_boundarys_interval_holds_its_value() -> None:
    crossed = [one for one in shown().boundaries() if one.value is not None]

    assert any(one.along == "loss" and one.level == "faster" for one in crossed)
    for one in crossed:
        assert one.value is not None
        assert one.low is None or one.low <= one.value
        assert one.high is None or one.value <= one.high


def test_the_page_is_the_same_for_the_same_map_and_fetches_nothing() -> None:
    made = [page.page(document(), shown(), measured(), drawing(), drawing(1)) for _ in range(2)]

    assert made[0] == made[1]
    assert "default-src 'none'" in made[0]
    assert made[0].count(f'href="{batches.FOLDER}/') == 100
    assert "HTTP/3 wins against HTTP/2" in made[0]


def test_the_page_names_the_origins_version_as_the_batches_manifests_have_it(tmp_path: Path) -> None:
    assert batches.origin_versions(tmp_path, "nginx") == []
    for number, version in (("001", "nginx 1.30.6"), ("002", "nginx 1.30.6"), ("003", None)):
        batch = tmp_path / batches.FOLDER / number
        batch.mkdir(parents=True)
        notes = {"origins": {"nginx": {"version": version}}} if version else {}
        (batch / MANIFEST).write_text(json.dumps(notes), encoding="utf-8")
    versions = batches.origin_versions(tmp_path, "nginx")
    assert versions == ["nginx 1.30.6"]
    named = {**document(), "origin": "nginx", "origin_versions": versions}
    assert "origin nginx (nginx 1.30.6) ·" in page.page(named, shown(), measured(), drawing(), drawing(1))


def test_equal_observations_give_equal_maps() -> None:
    observations = explored(slope, seed=1).observations
    first, second = (fitted(DOMAIN, observations, margin=MARGIN, seed=1, counts=(5, 5, 2)) for _ in range(2))

    assert np.array_equal(first.mean, second.mean)
    assert np.array_equal(first.region, second.region)


def test_a_map_of_one_rate_is_one_panel() -> None:
    flat = parse("5ms..300ms", "0..15%", "20Mbit")
    points = [one.point._replace(rate_bit_per_s=2e7) for one in explored(slope, seed=1).observations]
    observations = [
        Observation(point, one.log_ratios)
        for one, point in zip(explored(slope, seed=1).observations, points, strict=True)
    ]
    found = fitted(flat, observations, margin=MARGIN, seed=1, counts=NODES)

    root = ElementTree.fromstring(picture.picture(found, points, arm="h3", baseline="h2", label="one rate"))

    assert found.mean.shape == (NODES[0], NODES[1], 1)
    assert len(root.findall(f"{SVG}g")) == 1
