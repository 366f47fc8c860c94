"""How much page loads scatter by the loss of their network, from the maps' blocks.

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
    nodes of loss: (2, loss)."""

    control: str
    pages: Array


def by_loss(control: str, mapped: Sequence[SeenMap], nodes: Nodes) -> Scatter:
    """Of the maps of one congestion control. A point's blocks count at the two nodes around its loss, by how
    near it is to each on the scale of log(1 + loss / 0.1 %); what all points have in common counts as
    `SHARED_DF` degrees of freedom everywhere."""
    places = np.log1p(np.array(nodes.loss) / LOSS_BEND)
    squares = np.zeros((2, len(places)))
    freedom = np.zeros((2, len(places)))
    for seen in mapped:
        for observation, blocks in zip(seen.observations, seen.loads, strict=True):
            shares = _shares(places, math.log1p(observation.point.loss / LOSS_BEND))
            for arm in (0, 1):
                found = maps.of_blocks(blocks, arm)
                squares[arm] += shares * found.sum
                freedom[arm] += shares * found.freedom
    overall = squares.sum(axis=1, keepdims=True) / np.maximum(freedom.sum(axis=1, keepdims=True), 1)
    return Scatter(control, np.sqrt((squares + SHARED_DF * overall) / (freedom + SHARED_DF)))


def _shares(places: Array, value: float) -> Array:
    """How much of a value belongs to each of the ascending places: linear between two, whole at the ends."""
    return np.array([np.interp(value, places, one) for one in np.eye(len(places))])
