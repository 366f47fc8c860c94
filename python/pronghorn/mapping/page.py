"""A map as one self-contained HTML page: the sentences, the picture, and all that was measured for it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from pronghorn.analysis.numbers import count, interval, percent, ratio
from pronghorn.mapping import sentence
from pronghorn.mapping.batches import FOLDER, SeenPoint
from pronghorn.mapping.fitted import VERDICTS, Fitted
from pronghorn.pages import templates
from pronghorn.runs.directory import REPORT


class SliceRow(NamedTuple):
    """One rate of the grid, and the share of its nodes that each verdict has, in words."""

    rate: str
    shares: tuple[str, ...]


class PointRow(NamedTuple):
    """One point in words; `report` is that of its batch, within the map's directory."""

    name: str
    ratio: str
    spread: str
    fitted: str
    blocks: str
    failed: str
    report: str


def page(
    document: Mapping[str, Any], found: Fitted, seen: Sequence[SeenPoint], drawing: str, narrow: str
) -> str:
    """The page of a map whose `document` is map.json's and whose picture is the SVG `drawing`, on telephones
    `narrow`. The same map gives the same bytes."""
    environment = templates("pronghorn.mapping", "pronghorn.report")
    environment.filters.update(percent=percent)
    blocks = sum(len(one.blocks) for one in seen)
    return environment.get_template("map.html.j2").render(
        map=document,
        title=f"Map of {document['site']}",
        explored=sentence.axis_words(found),
        measured=sentence.measured_words(len(seen), blocks, document["trials"]),
        contaminated=count(document["trials_contaminated"], "trial"),
        picture=Markup(drawing),
        narrow=Markup(narrow),
        verdicts=VERDICTS,
        slices=_slices(found),
        points=[_row(one, found, document["baseline"], document["arm"]) for one in seen],
        fits=found.fits,
    )


def _slices(found: Fitted) -> list[SliceRow]:
    rows = []
    for place, rate in enumerate(found.values(2)):
        region = found.region[:, :, place]
        shares = tuple(sentence.percent(float(np.mean(region == code))) for code in range(len(VERDICTS)))
        rows.append(SliceRow(sentence.quantity("rate", rate), shares))
    return rows


def _row(one: SeenPoint, found: Fitted, baseline: str, arm: str) -> PointRow:
    nearest = tuple(
        int(np.argmin(np.abs(nodes - place)))
        for nodes, place in zip(found.nodes, found.domain.unit(one.point), strict=True)
    )
    low, high = (float(np.exp(band[nearest])) for band in (found.low, found.high))
    observed = one.observation
    ratios = [float(np.exp(value)) for value in observed.log_ratios]
    without = "nothing loaded" if observed.barren else "–"
    failures = [
        f"{name} {number}"
        for name in (baseline, arm)
        if (number := sum(block.load_s[name] is None for block in one.blocks))
    ]
    return PointRow(
        name=one.point.name,
        ratio=ratio(float(np.exp(observed.mean))) if ratios else without,
        spread=f"{ratio(min(ratios))} to {ratio(max(ratios))}" if ratios else "–",
        fitted=f"{ratio(float(np.exp(found.mean[nearest])), low, high)} ({interval(low, high)})",
        blocks=str(len(one.blocks)),
        failed=", ".join(failures) or "0",
        report=f"{FOLDER}/{one.batch:03d}/{REPORT}",
    )
