"""From maps to a policy: the maps' surfaces at a few nodes, and the noise that the gateway is to expect.

Each map's surface is fitted anew from its points by the map's own code, and drawn jointly at the nodes: a
node's ratio is the exponential of the draws' mean, its sd theirs. Maps of the same TCP congestion control and
of different sites are averaged with weights; by how much they differ goes into the sd, for the site behind a
gateway is none of theirs.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.analysis.numbers import count
from pronghorn.analysis.seeds import generator
from pronghorn.errors import InputError, unknown
from pronghorn.mapping import design, posterior
from pronghorn.mapping.domain import LOSS_BEND, Array, Domain, Point
from pronghorn.mapping.surface import fit
from pronghorn.model.arm import TCP_CONGESTION_CONTROLS
from pronghorn.policy import axes, between_clients, scatter, unseen
from pronghorn.policy.axes import Nodes
from pronghorn.policy.between_clients import Spread
from pronghorn.policy.maps import SeenMap
from pronghorn.policy.measured import MeasuredCell
from pronghorn.policy.scatter import Scatter
from pronghorn.policy.unseen import Error

RESPONSE = 0.4
"""The standard deviation of ln(time / reference) between responses of one page and stratum, where the maps'
journals are gone that would tell: a guess."""

BETWEEN_CLIENTS = 0.15
"""The standard deviation of the ln ratio between clients whose round trip, loss and rate are alike: a guess;
a map has one client."""

VISIT = 0.2
"""The standard deviation of ln(time) that the responses of one visit share: a guess for what a client's
network is like at the hour; the lab's paths have no moods."""

LEAST_SD = 0.005

ABOUT_MOST = 400
"""The most characters of a policy file's `about`."""


class Noise(NamedTuple):
    """As the file's `[noise]`; `is_response_measured` says whether `response` is of the maps' page loads or a
    guess. `alike` is what was measured of clients' differences, by congestion control; without it
    `between_clients` is a guess."""

    response: float
    visit: float
    between_clients: float
    between_clients_slope: float
    surface: float
    is_response_measured: bool
    alike: dict[str, Spread]


class Prior(NamedTuple):
    """h3's load time relative to h2's with one TCP congestion control: arrays (rtt, loss, rate) of the ln
    ratio's mean and standard deviation at the policy's nodes."""

    control: str
    mean: Array
    sd: Array


class Policy(NamedTuple):
    """What is written to a policy file, and beside it `unseen`: by congestion control and site, how well the
    surfaces foretell points that are left out, one at a time."""

    about: str
    margin: float
    nodes: Nodes
    noise: Noise
    priors: tuple[Prior, ...]
    scatters: tuple[Scatter, ...]
    unseen: dict[tuple[str, str], Error]


def policy(
    maps: Sequence[SeenMap], weights: Mapping[str, float], like: Sequence[MeasuredCell] = ()
) -> Policy:
    """The policy of the maps; `weights` are those of sites, 1 where none is said, `like` cells some of which
    look alike to a gateway. Equal maps give equal policies, in whatever order. InputError where the maps
    don't go together, or the cells don't go with them."""
    ordered = sorted(maps, key=lambda one: (TCP_CONGESTION_CONTROLS.index(one.control), one.site))
    _check(ordered, weights)
    _check_alike(ordered, like)
    nodes = axes.nodes(axes.common([one.domain for one in ordered]))
    surfaces = [_surface(one, nodes) for one in ordered]
    priors, scatters = [], []
    for control in dict.fromkeys(one.control for one in ordered):
        mine = [place for place, one in enumerate(ordered) if one.control == control]
        of_sites = _shares([ordered[place] for place in mine], weights)
        priors.append(_averaged(control, [surfaces[place] for place in mine], np.array(of_sites)))
        scatters.append(scatter.at_nodes(control, [ordered[place] for place in mine], of_sites, nodes))
    return Policy(
        about=_about(ordered, weights),
        margin=max(one.margin for one in ordered),
        nodes=nodes,
        noise=_noise(ordered, weights, [one.surface_sd for one in surfaces], _alike(nodes, priors, like)),
        priors=tuple(priors),
        scatters=tuple(scatters),
        unseen={
            (one.control, one.site): fitted.unseen for one, fitted in zip(ordered, surfaces, strict=True)
        },
    )


class _Fitted(NamedTuple):
    mean: Array
    sd: Array
    surface_sd: float
    unseen: Error


def _surface(seen: SeenMap, nodes: Nodes) -> _Fitted:
    data = design.data_of(seen.domain, seen.observations)
    mode = fit(data)
    rng = generator(seen.seed, "policy", seen.control, seen.site)
    drawn = posterior.draws(data, posterior.parameters(data, mode, rng), places(seen.domain, nodes), rng)
    shape = tuple(len(values) for values in nodes)
    return _Fitted(
        mean=drawn.mean(axis=0).reshape(shape),
        sd=drawn.std(axis=0, ddof=1).reshape(shape),
        surface_sd=unseen.surface_sd(seen, mode),
        unseen=unseen.left_out(seen, mode),
    )


def places(domain: Domain, nodes: Nodes) -> Array:
    """The nodes in the map's unit cube, (n, 3), the rate's index running fastest."""
    return np.array(
        [
            domain.unit(Point(rtt, loss, rate))
            for rtt in nodes.rtt_s
            for loss in nodes.loss
            for rate in nodes.rate_bit_per_s
        ]
    )


def _averaged(control: str, surfaces: Sequence[_Fitted], shares: Array) -> Prior:
    means = np.stack([one.mean for one in surfaces])
    mean = np.tensordot(shares, means, axes=1)
    own = np.tensordot(shares**2, np.stack([one.sd**2 for one in surfaces]), axes=1)
    apart = np.tensordot(shares, (means - mean) ** 2, axes=1)
    return Prior(control, mean, np.maximum(np.sqrt(own + apart), LEAST_SD))


def at(nodes: Nodes, prior: Prior, point: Point) -> float:
    """The ln ratio of a policy's surface at a point: linear between nodes by the logarithms of round trip and
    rate and by log(1 + loss / 0.1 %); beyond the ends it is the end."""
    values = prior.mean
    for axis_nodes, value, bent in zip(nodes, point, (False, True, False), strict=True):
        scaled = [_scaled(one, bent=bent) for one in axis_nodes]
        place = float(np.interp(_scaled(value, bent=bent), scaled, np.arange(len(scaled))))
        below = min(int(place), len(scaled) - 2)
        values = values[below] + (place - below) * (values[below + 1] - values[below])
    return float(values)


def _scaled(value: float, *, bent: bool) -> float:
    return math.log1p(value / LOSS_BEND) if bent else math.log(value)


def _alike(nodes: Nodes, priors: Sequence[Prior], cells: Sequence[MeasuredCell]) -> dict[str, Spread]:
    by_control = {prior.control: prior for prior in priors}
    known = [
        cell._replace(times={name: pairs for name, pairs in cell.times.items() if name in by_control})
        for cell in cells
    ]
    if not cells:
        return {}
    return between_clients.of_cells(known, lambda control, point: at(nodes, by_control[control], point))


def _shares(maps: Sequence[SeenMap], weights: Mapping[str, float]) -> list[float]:
    """How much each map counts, by its site's weight."""
    given = [weights.get(one.site, 1.0) for one in maps]
    return [one / sum(given) for one in given]


def _noise(
    maps: Sequence[SeenMap],
    weights: Mapping[str, float],
    rough: Sequence[float],
    spreads: dict[str, Spread],
) -> Noise:
    if not any(one.scatter.freedom for one in maps):
        raise InputError("no point of the maps has two blocks that loaded, so their noise is unknown.")
    told = [one for one in maps if one.responses.freedom]
    variances = [
        share * (one.responses.sd or 0.0) ** 2
        for one, share in zip(told, _shares(told, weights), strict=True)
    ]
    measured = math.sqrt(sum(variances)) if told else None
    between, slope = between_clients.pooled(list(spreads.values())) if spreads else (BETWEEN_CLIENTS, 0.0)
    return Noise(
        response=RESPONSE if measured is None else measured,
        visit=VISIT,
        between_clients=between,
        between_clients_slope=slope,
        surface=math.sqrt(sum(one**2 for one in rough) / len(rough)),
        is_response_measured=measured is not None,
        alike=spreads,
    )


def _check_alike(maps: Sequence[SeenMap], cells: Sequence[MeasuredCell]) -> None:
    mapped = {one.control for one in maps}
    if cells and not any(mapped & cell.times.keys() for cell in cells):
        raise InputError("--alike: the run has none of the maps' congestion controls of TCP.")


def _check(maps: Sequence[SeenMap], weights: Mapping[str, float]) -> None:
    sites = {one.site for one in maps}
    for site in weights:
        if site not in sites:
            raise InputError(f"--site-weight {site}: {unknown('site', site, sites)}")
    for kind, values in (
        ("h3 arms", {one.h3 for one in maps}),
        ("origins", {one.origin for one in maps}),
        ("clients", {one.client for one in maps}),
        ("congestion controls of h3", {one for seen in maps for one in seen.h3_control}),
    ):
        if len(values) > 1:
            raise InputError(
                f"the maps are of different {kind} ({', '.join(sorted(values))}); a policy is for one.",
                hint="Fit a policy for each of them.",
            )
    seen: dict[tuple[str, str], SeenMap] = {}
    for one in maps:
        other = seen.setdefault((one.control, one.site), one)
        if other is not one:
            raise InputError(
                f"{other.folder} and {one.folder} are both maps of {one.site} with {one.control}; a "
                "policy takes one map per site and congestion control.",
                hint="Continue one of them instead: pronghorn map --resume DIR --budget N.",
            )


def _about(maps: Sequence[SeenMap], weights: Mapping[str, float]) -> str:
    named = dict.fromkeys(one.site for one in maps)
    several = len(named) > 1
    sites = ", ".join(f"{site} (weight {weights.get(site, 1.0):g})" if several else site for site in named)
    controls = ", ".join(f"h2@{control}" for control in dict.fromkeys(one.control for one in maps))
    trials = sum(one.trials for one in maps)
    h3 = ", ".join((maps[0].h3, *dict.fromkeys(one for seen in maps for one in seen.h3_control)))
    text = (
        f"{sites} from {maps[0].origin}, {maps[0].client} client; {h3} against {controls}; "
        f"{count(len(maps), 'map')}, {trials} trials"
    )
    return text if len(text) <= ABOUT_MOST else text[: ABOUT_MOST - 1] + "…"
