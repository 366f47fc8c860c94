"""A map on a grid: the fitted surface with its bands, the verdicts' probabilities, regions and boundaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.seeds import generator
from pronghorn.mapping import design, posterior
from pronghorn.mapping.domain import AXES, Array, Domain
from pronghorn.mapping.explore import levels
from pronghorn.mapping.observed import Observation
from pronghorn.mapping.regions import Sides, crossings, sides
from pronghorn.mapping.surface import Surface, fit
from pronghorn.model.summary import Verdict

NODES = (17, 17, 5)
"""Of the grid along round trip, loss and rate."""

VERDICTS: tuple[Verdict, ...] = ("faster", "same", "slower", "undecided")

BAND = (0.025, 0.975)

_POOR_FIT = 1.5
"""From this root mean square of the left-out points' distances on, in standard deviations, the surface
doesn't fit: of a hundred points of a right one it lies within 1 ± 0.15."""


@dataclass(frozen=True)
class Boundary:
    """Where a line along one axis crosses the level beyond which the arm is `level`. `at` are the other axes'
    values by their names; `value`, `low` and `high` are in the axis's own unit, None where there is none
    within the map."""

    level: Literal["faster", "slower"]
    along: str
    at: dict[str, float]
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Fitted:
    """Every array is (rtt, loss, rate) over the `nodes`, which are places in 0..1. `mean`, `low` and `high`
    are log ratios, with the 95 % band of each node by itself; `probability` is of the verdicts faster, same
    and slower; `region` counts into VERDICTS: each level's boundary lies wholly in its undecided zone with
    95 %, and so all regions hold at once with at least 90 %."""

    domain: Domain
    nodes: tuple[Array, Array, Array]
    margin: float
    mean: Array
    low: Array
    high: Array
    probability: dict[str, Array]
    region: npt.NDArray[np.int64]
    faster_sides: Sides
    slower_sides: Sides
    lengths: Array
    signal_sd: float
    nugget_sd: float
    left_out_rms: float

    def values(self, axis: int) -> list[float]:
        """The nodes of an axis in its own unit."""
        return [self.domain[axis].value(float(place)) for place in self.nodes[axis]]

    def share(self, verdict: Verdict) -> float:
        """The share of the grid's nodes that a region has."""
        return float(np.mean(self.region == VERDICTS.index(verdict)))

    @property
    def fits(self) -> bool:
        """Whether the left-out points are where the others foretell them."""
        return self.left_out_rms < _POOR_FIT

    def boundaries(self) -> list[Boundary]:
        """The crossings of both levels along loss at each node of round trip and rate, and along round trip
        at each of loss and rate."""
        found: list[Boundary] = []
        below, above = levels(self.margin)
        kinds: tuple[tuple[Literal["faster", "slower"], float, Sides], ...] = (
            ("faster", below, self.faster_sides),
            ("slower", above, self.slower_sides),
        )
        for level, height, certain in kinds:
            for axis in (1, 0):
                others = [other for other in range(3) if other != axis]
                for spot in np.ndindex(*(len(self.nodes[other]) for other in others)):
                    line: list[slice | int] = [slice(None)] * 3
                    for other, place in zip(others, spot, strict=True):
                        line[other] = place
                    cut = tuple(line)
                    at = {
                        AXES[other]: self.values(other)[place]
                        for other, place in zip(others, spot, strict=True)
                    }
                    on_line = Sides(certain.below[cut], certain.above[cut])
                    for one in crossings(self.nodes[axis], self.mean[cut], on_line, height):
                        value, low, high = (
                            None if place is None else self.domain[axis].value(place) for place in one
                        )
                        found.append(Boundary(level, AXES[axis], at, value, low, high))
        return found


def fitted(
    domain: Domain,
    observations: Sequence[Observation],
    *,
    margin: float,
    seed: int,
    counts: tuple[int, int, int] = NODES,
) -> Fitted:
    """The map of the observations, of which two must be usable; equal arguments give equal maps."""
    rng = generator(seed, "map", "draws")
    data = design.data_of(domain, observations)
    mode = fit(data)
    nodes = domain.nodes(counts)
    shape = tuple(len(one) for one in nodes)
    places = np.stack(np.meshgrid(*nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    drawn = posterior.draws(data, posterior.parameters(data, mode, rng), places, rng)
    below, above = levels(margin)
    faster, slower = sides(drawn, below), sides(drawn, above)
    region = np.full(len(places), VERDICTS.index("undecided"))
    region[faster.below] = VERDICTS.index("faster")
    region[slower.above] = VERDICTS.index("slower")
    region[faster.above & slower.below] = VERDICTS.index("same")
    wins, loses = (drawn < below).mean(axis=0), (drawn > above).mean(axis=0)
    low, high = np.quantile(drawn, BAND, axis=0)
    left_out = Surface(data, mode).left_out()
    return Fitted(
        domain=domain,
        nodes=nodes,
        margin=margin,
        mean=drawn.mean(axis=0).reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        probability={
            "faster": wins.reshape(shape),
            "same": (1 - wins - loses).reshape(shape),
            "slower": loses.reshape(shape),
        },
        region=region.reshape(shape),
        faster_sides=Sides(faster.below.reshape(shape), faster.above.reshape(shape)),
        slower_sides=Sides(slower.below.reshape(shape), slower.above.reshape(shape)),
        lengths=np.exp(mode[:3]),
        signal_sd=float(np.exp(mode[3])),
        nugget_sd=float(np.exp(mode[4])),
        left_out_rms=float(np.sqrt(np.mean(left_out**2))),
    )
