"""How much page loads scatter by the rate and loss of their network, from the maps' blocks.

A TCP that waits for time-outs where packets are lost takes several times as long for one page as for the next
on the same network; without loss the same page takes the same time to a hundredth. A gateway that doesn't
know this takes one unlucky page for a client's nature.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.mapping.domain import LOSS_BEND, Array
from pronghorn.mapping.noise import SHARED_DF
from pronghorn.policy import maps
from pronghorn.policy.axes import Nodes
from pronghorn.policy.maps import SeenMap


class Scatter(NamedTuple):
    """With one TCP congestion control: the standard deviation of ln(load time) over h2 and over h3 at the
    nodes of rate and loss: (2, rate, loss)."""

    control: str
    pages: Array


def at_nodes(control: str, mapped: Sequence[SeenMap], shares: Sequence[float], nodes: Nodes) -> Scatter:
    """Of the maps of one congestion control, whose variances are averaged by their sites' `shares`."""
    variances = [share * _variances(one, nodes) for one, share in zip(mapped, shares, strict=True)]
    return Scatter(control, np.sqrt(np.sum(variances, axis=0)))


def _variances(seen: SeenMap, nodes: Nodes) -> Array:
    """A point's blocks count at the nodes around its rate and loss, by how near it is to each on the scales
    of log(rate) and log(1 + loss / 0.1 %); what all points have in common counts as `SHARED_DF` degrees of
    freedom everywhere."""
    losses = np.log1p(np.array(nodes.loss) / LOSS_BEND)
    rates = np.log(np.array(nodes.rate_bit_per_s))
    squares = np.zeros((2, len(rates), len(losses)))
    freedom = np.zeros_like(squares)
    for observation, blocks in zip(seen.observations, seen.loads, strict=True):
        at_loss = _shares(losses, math.log1p(observation.point.loss / LOSS_BEND))
        near = np.outer(_shares(rates, math.log(observation.point.rate_bit_per_s)), at_loss)
        for arm in (0, 1):
            found = maps.of_blocks(blocks, arm)
            squares[arm] += near * found.sum
            freedom[arm] += near * found.freedom
    overall = squares.sum(axis=(1, 2), keepdims=True) / np.maximum(freedom.sum(axis=(1, 2), keepdims=True), 1)
    return np.asarray((squares + SHARED_DF * overall) / (freedom + SHARED_DF))


def _shares(places: Array, value: float) -> Array:
    """How much of a value belongs to each of the ascending places: linear between two, whole at the ends."""
    return np.array([np.interp(value, places, one) for one in np.eye(len(places))])
