"""Maps of surfaces that are known, without measuring: their map.json by the map's own code."""

import functools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.mapping import design, result
from pronghorn.mapping import domain as domains
from pronghorn.mapping.batches import SeenBlock, SeenPoint
from pronghorn.mapping.domain import Array, Domain
from pronghorn.mapping.explore import BLOCKS
from pronghorn.mapping.fitted import fitted
from pronghorn.mapping.observed import BOUND
from pronghorn.mapping.terms import Terms

from ..mapping.maps import a_map

DOMAIN = domains.parse("5ms..300ms", "0..15%", "1Mbit..1Gbit")

POINTS = 60
BLOCK_SD = 0.04
"""Of ln(load time), each arm, each block."""

Truth = Callable[[Array], Array]


def slope(places: Array) -> Array:
    """h3 costs 8 % near and without loss, and wins up to 30 % far away or with loss."""
    rtt, loss, rate = places.T
    return np.asarray(0.08 - 0.45 / (1 + np.exp(-6 * (loss + 0.5 * rtt - 0.2 * rate - 0.5))))


def flat(places: Array) -> Array:
    """h3 costs 10 % everywhere."""
    return np.full(len(places), 0.1)


def write(folder: Path, truth: Truth = slope, *, seed: int = 1, **changes: object) -> Path:
    """A finished map in `folder`; `changes` are those of its terms."""
    terms = a_map(**{"seed": seed, "arms": ("h2@cubic", "h3"), **changes})
    folder.mkdir(parents=True)
    (folder / "map.json").write_text(json.dumps(_document(truth, terms)))
    return folder


@functools.cache
def _document(truth: Truth, terms: Terms) -> dict[str, Any]:
    baseline, arm = terms.arms
    seen = _seen(truth, terms.domain, terms.seed, baseline, arm)
    found = fitted(
        terms.domain, [one.observation for one in seen], margin=0.03, seed=terms.seed, counts=(3, 3, 3)
    )
    return result.document(
        terms, found, seen, arm=arm, baseline=baseline, reason="budget", sentences=["Made."], warnings=[]
    )


def _seen(truth: Truth, domain: Domain, seed: int, baseline: str, arm: str) -> list[SeenPoint]:
    rng = generator(seed, "made map")
    points = design.start(domain, POINTS, seed)
    true = truth(np.array([domain.unit(point) for point in points]))
    found = []
    for point, ratio in zip(points, true, strict=True):
        blocks = []
        for number in range(1, BLOCKS + 1):
            slow, fast = BLOCK_SD * rng.standard_normal(2)
            loads: dict[str, float | None] = {baseline: math.exp(slow), arm: math.exp(float(ratio) + fast)}
            value = min(max(float(ratio) + fast - slow, -BOUND), BOUND)
            blocks.append(SeenBlock(number, loads, value))
        found.append(SeenPoint(point, 1, tuple(blocks), 0))
    return found
