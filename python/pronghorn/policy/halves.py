"""A policy judged on points that its fit did not see: fitted on one half of the maps' points, judged by what
was measured at the other half, then the other way round.

How much responses scatter within their page is the whole map's. Which half a point belongs to is drawn by
the map's seed. Nothing that judges was interpolated: times are
those of the left-out points' blocks.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.errors import InputError
from pronghorn.mapping import design
from pronghorn.mapping.domain import Array
from pronghorn.mapping.observed import BOUND, usable
from pronghorn.policy import fit
from pronghorn.policy.fit import Policy
from pronghorn.policy.maps import Loads, SeenMap
from pronghorn.policy.measured import FEWEST_BLOCKS, MeasuredCell
from pronghorn.policy.unseen import Error, of_distances

FEWEST_POINTS = 8
"""Of a map's half, to fit a surface and to judge one."""


class Half(NamedTuple):
    """A policy of the points that were kept, and the maps' points that were left out."""

    policy: Policy
    left_out: tuple[SeenMap, ...]

    def cells(self) -> list[MeasuredCell]:
        """The left-out points as cells that judge, each of the congestion control of its map."""
        return [cell for one in self.left_out for cell in cells(one)]


def halves(
    maps: Sequence[SeenMap], weights: Mapping[str, float], like: Sequence[MeasuredCell] = ()
) -> tuple[Half, Half]:
    """Both ways of leaving half of the points out; `like` are cells some of which look alike to a gateway.
    InputError where a map has too few."""
    parts = [_parts(one) for one in maps]
    first, second = (
        Half(
            policy=fit.policy([part[keep] for part in parts], weights, like),
            left_out=tuple(part[1 - keep] for part in parts),
        )
        for keep in (0, 1)
    )
    return first, second


def errors(both: Sequence[Half]) -> dict[str, Error]:
    """By congestion control, how far the policies' surfaces are off at the points that they didn't see."""
    found: dict[str, tuple[list[Array], list[Array]]] = {}
    for half in both:
        for seen in half.left_out:
            data = design.data_of(seen.domain, seen.observations)
            prior = next(one for one in half.policy.priors if one.control == seen.control)
            foretold = [fit.at(half.policy.nodes, prior, one.point) for one in usable(seen.observations)]
            distances, noise = found.setdefault(seen.control, ([], []))
            distances.append(data.means - np.array(foretold))
            noise.append(data.variances)
    return {
        control: of_distances(np.concatenate(distances), np.concatenate(noise))
        for control, (distances, noise) in found.items()
    }


def cells(seen: SeenMap) -> list[MeasuredCell]:
    """A map's points with enough blocks, as cells of a run: a failed load counts as the map's bound times the
    other's, and a block in which both failed is left out."""
    found = []
    for observation, loads in zip(seen.observations, seen.loads, strict=True):
        pairs = _pairs(loads)
        if len(pairs) < FEWEST_BLOCKS:
            continue
        point = observation.point
        name = f"{seen.site} {point.name}"
        times = {seen.control: pairs}
        found.append(MeasuredCell(name, point.rtt_s * 1e3, point.loss, point.rate_bit_per_s / 1e6, times))
    return found


def _parts(seen: SeenMap) -> tuple[SeenMap, SeenMap]:
    rng = generator(seen.seed, "policy halves", seen.control, seen.site)
    order = rng.permutation(len(seen.observations))
    first, second = (seen.only(sorted(order[start::2].tolist())) for start in (0, 1))
    fewest = min(len(usable(part.observations)) for part in (first, second))
    if fewest < FEWEST_POINTS:
        raise InputError(
            f"{seen.folder}: half of its points are {fewest} that count; {FEWEST_POINTS} are needed.",
            hint="Map more of them: pronghorn map --resume DIR --budget N.",
        )
    return first, second


def _pairs(loads: Loads) -> list[tuple[float, float]]:
    worst = math.exp(BOUND)
    pairs = []
    for h2_s, h3_s in loads:
        if h2_s and h3_s:
            pairs.append((h2_s, h3_s))
        elif h2_s:
            pairs.append((h2_s, h2_s * worst))
        elif h3_s:
            pairs.append((h3_s * worst, h3_s))
    return pairs
