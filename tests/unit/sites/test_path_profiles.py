"""The shipped paths can be read and name their sources; the poor cell's differ from the good one's in what is
said of them, and in nothing else."""

import re
from pathlib import Path

import pytest

from pronghorn.model import experiment_file
from pronghorn.model.path import IndependentLoss, LinkSpec, LossSpec, PathSpec
from pronghorn.model.path.link import PLAIN

PROFILES = experiment_file.shipped_paths()
EXTRA_DELAY_NS = 50_000_000
LOSS = IndependentLoss(probability=0.15)


def spec(name: str) -> PathSpec:
    found = PROFILES[name].spec
    assert found is not None
    return found


def poor(link: LinkSpec, loss: LossSpec | None) -> LinkSpec:
    return link.model_copy(update={"delay_ns": link.delay_ns + EXTRA_DELAY_NS, "loss": loss})


def test_the_default_experiments_paths_are_shipped() -> None:
    assert {"lan", "fiber", "lte", "lte-poor", "lte-poor-both"} <= PROFILES.keys()


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_describes_itself_and_names_its_sources(name: str) -> None:
    assert PROFILES[name].description
    assert PROFILES[name].source


@pytest.mark.parametrize("name", PROFILES)
def test_every_link_has_a_rate_and_a_queue_that_holds_a_full_packet(name: str) -> None:
    for link in (spec(name).down, spec(name).up):
        assert link.rate_bit_per_s is not None
        assert link.queue is not None
        assert link.queue.get("bytes", 1500) >= 1500


@pytest.mark.parametrize(
    "name", ["lte", "lte-average", "lte-poor", "lte-poor-both", "3g-slow", "train", "wifi"]
)
def test_a_radio_link_jitters_in_order(name: str) -> None:
    for link in (spec(name).down, spec(name).up):
        assert link.jitter is not None
        assert link.jitter.order == "keep"


def test_the_poor_cell_adds_100_ms_of_round_trip_and_15_percent_of_loss_on_the_way_down() -> None:
    good = spec("lte")
    assert spec("lte-poor") == PathSpec(down=poor(good.down, LOSS), up=poor(good.up, None))
    assert spec("lte-poor").round_trip_s == pytest.approx(good.round_trip_s + 0.1)


def test_its_other_reading_has_the_loss_each_way() -> None:
    good = spec("lte")
    assert spec("lte-poor-both") == PathSpec(down=poor(good.down, LOSS), up=poor(good.up, LOSS))


DOCUMENT = (Path(__file__).parents[3] / "docs/paths.md").read_text(encoding="utf-8")


def test_the_document_lists_every_profile() -> None:
    listed = set(re.findall(r"^\| `([\w-]+)` \| .* / .* \| [\d.]+ ms \|$", DOCUMENT, re.MULTILINE))
    assert listed == PROFILES.keys()


def test_the_document_explains_every_key() -> None:
    assert set(re.findall(r"^\*\*(\w+)\*\* –", DOCUMENT, re.MULTILINE)) == PLAIN.keys() - {"delay"} | {
        "rebind",
        "cross",
        "handover",
    }
