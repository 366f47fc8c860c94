"""The page and the pictures of a run that kept its arrivals, and of one that didn't."""

import base64
import hashlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pronghorn.model.trial import Trial
from pronghorn.report import arrivals_view, html, pictures
from tests.made_arrivals import single_loss

from ..analysis.reported import HOSTILE, Page, summary, trials
from ..analysis.synthetic import cell
from .arrived_loads import left, run_of


def page(found: list[Trial], run: Path | None) -> str:
    return html.document(summary(found), found, {}, run)


def test_a_page_has_both_figures_their_data_and_the_script_by_its_hash(tmp_path: Path) -> None:
    text = page(run_of(tmp_path), tmp_path)
    checked = Page(text)
    figures = [attributes for tag, attributes in checked.seen if tag == "details"]
    assert [one["class"] for one in figures if one.get("class") in ("ladders", "timeline")] == [
        "ladders",
        "timeline",
    ]
    downloads = [attributes["download"] for tag, attributes in checked.seen if "download" in attributes]
    assert {"handshakes-lte.csv", "timeline-lte.csv"} <= set(downloads)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "kept no arrivals" not in text


def test_what_is_drawn_has_words_and_controls_have_names(tmp_path: Path) -> None:
    seen = Page(page(run_of(tmp_path), tmp_path)).seen
    labels = [attributes.get("aria-label") or "" for _, attributes in seen if attributes.get("role") == "img"]
    assert any(label.startswith("Handshake ladders") and "TCP 1.04 s" in label for label in labels)
    assert sum(label.startswith("Bytes of h") and "waited for" in label for label in labels) == 2
    (slider,) = [attributes for tag, attributes in seen if tag == "input"]
    assert slider["aria-label"] == "Time since the start of the loads"
    (controls,) = [attributes for _, attributes in seen if attributes.get("class") == "scrub"]
    assert "hidden" in controls, "without a script there is nothing to move"


def test_two_pages_of_a_run_are_the_same_bytes(tmp_path: Path) -> None:
    found = run_of(tmp_path)
    assert page(found, tmp_path) == page(found[::-1], tmp_path)


def test_a_run_that_kept_none_says_how_to_get_them_and_needs_no_script() -> None:
    text = page(trials(), None)
    assert "pronghorn run … --set &#39;artifacts=[&#34;arrivals&#34;]&#39;" in text
    assert "<script" not in text
    assert "script-src" not in text


def test_loads_over_loopback_can_have_none_and_are_not_told_of_them() -> None:
    direct = [one.model_copy(update={"cell": cell("direct")}) for one in trials()[:24]]
    assert "kept no arrivals" not in page(direct, None)


def test_a_run_whose_trials_do_not_count_is_not_told_of_them() -> None:
    spoilt = [one.model_copy(update={"status": "contaminated"}) for one in trials()]
    assert "kept no arrivals" not in page(spoilt, None)


def test_of_very_many_cells_the_first_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals_view, "MOST_CELLS", 2)
    found = run_of(tmp_path, ("fiber", "lan", "lte"))
    text = page(found, tmp_path)
    assert text.count('<details class="timeline">') == 2
    assert text.count("drawn for the first 2 cells with arrivals. Those of 1 more cell are") == 1


def test_a_hostile_path_is_text(tmp_path: Path) -> None:
    connection = single_loss("tcp")
    connection.streams[0]["path"] = f"/{HOSTILE}"
    found = [
        left(tmp_path, "h2", 0, 0.2, connection),
        left(tmp_path, "h3", 0, 0.2, single_loss("quic")),
    ]
    text = page(found, tmp_path)
    assert len(re.findall(r"<script", text)) == 1
    assert "alert(" not in re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0]
    for picture in pictures.pictures(summary(found), found, tmp_path):
        ElementTree.fromstring(picture.svg)


def test_both_are_pictures_that_stand_alone(tmp_path: Path) -> None:
    found = run_of(tmp_path)
    drawn = {one.name: one.svg for one in pictures.pictures(summary(found), found, tmp_path)}
    for name in ("handshakes-lte", "timeline-lte"):
        ElementTree.fromstring(drawn[name])
        assert "var(" not in drawn[name]
        assert "class=" not in drawn[name] or "stroke=" in drawn[name]
    assert drawn == {one.name: one.svg for one in pictures.pictures(summary(found), found, tmp_path)}
