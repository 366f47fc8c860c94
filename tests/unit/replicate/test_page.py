"""A study's page: whole tables, their figures and ours, the reasons, and nothing that is no number."""

import re

import pytest

from pronghorn.model import study as studies
from pronghorn.model.trial import Cell
from pronghorn.replicate import found
from pronghorn.replicate.page import page

from .replicated import RESAMPLES, measured, planned

COMMAND = "pronghorn replicate kiwee --pages docs/replications"


def slower(_cell: Cell, arm: str) -> float:
    return 2.0 if arm.startswith("h3") else 1.0


def written(name: str, blocks: int = 6) -> str:
    study = studies.read(name)
    read = measured(study, slower, blocks=blocks)
    return page(found.study(read, planned(study), "full", resamples=RESAMPLES), read, COMMAND)


@pytest.mark.parametrize("name", studies.names())
def test_every_table_is_whole_and_every_figure_a_number(name: str) -> None:
    said = written(name)
    width = 0
    for line in said.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        width = width or cells
        assert cells == width, line
    assert not re.search(r"\b(nan|inf|None)\b", said)


def test_their_figures_stand_beside_ours() -> None:
    said = written("kiwee")
    assert "| wroclaw-lte-poor | h2 | theirs | 8.94 s | 12.9 s | 27.6 s | 28.4 s | 5.92 s | 36.7 s |" in said
    assert "| wroclaw-lte-poor | h2 | ours, loss on the down link: h2, 6 loads |" in said
    assert "12.9 s" in said and "theirs 0.52" in said


def test_what_is_not_reproduced_has_its_reasons() -> None:
    said = written("kiwee")
    reasons = said.partition("## Why were claims not reproduced?")[2].partition("\n## ")[0]
    asked = (
        r"- h3 ÷ h2 on virginia-cloud, mean load time: ours 2\.\d+ .*, theirs 0\.75 \(1\.35 s ÷ 1\.79 s\)\."
    )
    assert re.search(rf"{asked}\n  - Nothing that was measured certainly leads to theirs", reasons)
    assert "Reno under h2, beside nginx's own New Reno under h3" in reasons


def test_reasons_stand_once_where_several_settings_have_the_same_trials() -> None:
    said = written("requestmetrics").partition("## Why were claims not reproduced?")[2]
    one = "- h2 − h3 on content from New York, median load time (one browser kept open; one browser"
    far = "- h2 − h3 on content from London, median load time (one browser kept open): "
    assert said.count(one) == said.count(far) == 1
    fresh = "ith a new browser for each load, or with a new browser for each load, nothing lost: "
    assert fresh in said.partition(one)[2].partition("\n- ")[0]


def test_a_claim_that_is_read_in_several_settings_says_which_one_is_nearest() -> None:
    said = written("kiwee")
    claim = said.partition("### With 100 ms")[2].partition("\n### ")[0]
    told = (
        "- h3 ÷ h2 on wroclaw-lte-poor, mean load time: theirs 0.52 (6.69 s ÷ 12.9 s). loss on the up link:"
    )
    assert told in claim and " Nearest: " in claim
    assert said.count(told) == 1


def test_a_page_says_how_it_was_made() -> None:
    said = written("kiwee")
    assert f"Made by `{COMMAND}`" in said
    assert "pronghorn run kiwee --set paths=wroclaw-lte-poor-down,wroclaw-lte-poor-both" in said
    assert "This is the quick size" not in said


def test_a_page_names_whose_loads_were_mostly_contaminated_and_every_host() -> None:
    study = studies.read("kiwee")
    read = measured(study, slower, blocks=6)
    hosts = [{"host": {"cpu": name, "cores": 2}} for name in ("A", "B")]
    steady = read.runs["steady"]._replace(
        notes={**hosts[0], "resumed": [hosts[1]]}, spoilt={"h3 on cms/wroclaw-lte/nginx/chromium": (18, 25)}
    )
    read = read._replace(runs={**read.runs, "steady": steady})
    said = page(found.study(read, planned(study), "full", resamples=RESAMPLES), read, COMMAND)
    assert "a selection: h3 on cms/wroclaw-lte/nginx/chromium (18 of 25)" in said
    assert "host: A, 2 cores, then B, 2 cores" in said


@pytest.mark.parametrize(("name", "other"), [("cloudflare", "by the native client"), ("weaknet", "h2load")])
def test_a_page_says_what_is_done_otherwise_than_the_authors_did(name: str, other: str) -> None:
    said = written(name).partition("What differs here:")[2].partition("What they don't say")[0]
    assert other in said
