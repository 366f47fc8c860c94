"""A run's report shows the map in its directory, and leads to the one that it measured points for."""

import re
from base64 import b64decode
from pathlib import Path

from pronghorn.report import html

from ..analysis.reported import Page, summary, trials
from .own_map import DRAWING, SENTENCE, left


def page(run: Path) -> str:
    found = trials()
    return html.document(summary(found), found, {}, run)


def test_a_map_in_the_directory_is_shown_with_its_sentences_and_leads_to_its_page(tmp_path: Path) -> None:
    left(tmp_path)
    text = page(tmp_path)
    assert "Map of small: h3 against h2" in text
    [image] = [attributes for tag, attributes in Page(text).seen if tag == "img"]
    assert image["alt"] == SENTENCE
    assert b64decode((image["src"] or "").partition("base64,")[2]).decode() == DRAWING
    assert 'href="map/map.html"' in text
    assert page(tmp_path) == text


def test_an_unfinished_or_broken_map_is_said_to_be_so(tmp_path: Path) -> None:
    (left(tmp_path / "a") / "map.json").unlink()
    assert "The map in map is unfinished: pronghorn map --resume" in page(tmp_path / "a")
    (left(tmp_path / "b") / "map.json").write_text("[]", encoding="utf-8")
    assert "The map in map can&#39;t be read: " in page(tmp_path / "b")


def test_a_batch_leads_to_its_map_and_another_run_to_none(tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text("", encoding="utf-8")
    (tmp_path / "batches" / "001").mkdir(parents=True)
    assert re.search(r'<a href="../../map.html">a map</a>', page(tmp_path / "batches" / "001"))
    assert "map.html" not in page(tmp_path)
