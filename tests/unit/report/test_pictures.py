"""Each chart as a file of its own: whole without the page's stylesheet, the same for the same run."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pronghorn.report import pictures
from pronghorn.report.pictures.monospaced import CHARACTER_PX, monospaced
from pronghorn.report.pictures.palette import coloured, palette

from ..analysis.pages import loaded, page, resource
from ..analysis.reported import HOSTILE, summary, trials
from ..analysis.synthetic import Behaviour, cell, run


def test_every_chart_is_there_once() -> None:
    names = [picture.name for picture in pictures.pictures(summary(trials()), trials())]
    assert names == [
        "verdicts", "site-1-violins", "site-1-distributions",
        "violins-lan", "distribution-lan", "violins-lte-poor", "distribution-lte-poor",
    ]  # fmt: skip


def test_waterfalls_are_pictures_with_their_requests_in_words() -> None:
    load = page([resource(0), resource(1, error="reset")])
    found = [loaded(arm, block, 0.6, load) for arm in ("h2", "h3") for block in range(3)]
    (picture,) = [
        one for one in pictures.pictures(summary(found), found) if one.name.startswith("waterfalls")
    ]
    texts = [element.text or "" for element in ElementTree.fromstring(picture.svg).iter() if element.text]
    assert texts.count("/image-01.png") == texts.count("reset") == 2
    assert {"Waterfalls on lte", "TCP connect", "waiting for the first byte"} <= set(texts)


def test_a_picture_is_well_formed_names_its_colours_and_fetches_nothing() -> None:
    for picture in pictures.pictures(summary(trials()), trials()):
        ElementTree.fromstring(picture.svg)
        assert "var(" not in picture.svg
        assert "inherit" not in picture.svg
        assert "href" not in picture.svg
        assert not re.search(r'(?:fill|stroke)="#[0-9a-f]{8}"', picture.svg)


def test_columns_stand_in_line_whatever_the_font() -> None:
    first, second = (monospaced(10, 0, line, "red") for line in ("h2   1.5 /a", "h2  12.5 /b"))
    words = re.compile(r'<tspan x="([\d.]+)"( text-anchor="end")?>')
    assert words.findall(first) == words.findall(second)
    assert [bool(end) for _, end in words.findall(first)] == [False, True, False]
    assert monospaced(10 + 11 * CHARACTER_PX, 0, "h2   1.5 /a", "red", anchor="end") == first


def test_they_lie_as_svg_and_png_and_are_the_same_the_second_time(tmp_path: Path) -> None:
    drawn = pictures.pictures(summary(trials()), trials())[:3]
    first = {file.name: file.read_bytes() for file in pictures.write(drawn, tmp_path / "a" / "b")}
    again = {file.name: file.read_bytes() for file in pictures.write(drawn, tmp_path / "a" / "b")}
    assert first == again
    assert len(first) == 6
    for name, content in first.items():
        assert content.startswith(b"\x89PNG" if name.endswith(".png") else b"<svg ")


def test_what_is_partly_transparent_says_so_by_its_opacity() -> None:
    assert palette()["band"] == "#8a94a333"
    assert coloured('<rect fill="var(--band)"/>') == '<rect fill="#8a94a3" fill-opacity="0.2"/>'


def test_an_unknown_colour_is_a_fault_of_ours_and_not_left_in_the_file() -> None:
    with pytest.raises(KeyError):
        coloured('<path stroke="var(--nothing)"/>')


def test_hostile_names_are_text_and_no_paths() -> None:
    where = cell(f"../{HOSTILE}", site=HOSTILE)
    found = run({where: {"h2": Behaviour(1.0), HOSTILE: Behaviour(1.1)}}, blocks=4)
    for picture in pictures.pictures(summary(found, name=HOSTILE, arms=["h2", HOSTILE]), found):
        assert re.fullmatch(r"[a-z0-9-]+", picture.name)
        assert "<script" not in picture.svg
