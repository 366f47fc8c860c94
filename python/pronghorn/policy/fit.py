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
from pronghorn.mapping.domain import Array, Domain, Point
from pronghorn.mapping.surface import Surface, fit
from pronghorn.model.arm import TCP_CONGESTION_CONTROLS
from pronghorn.policy import axes
from pronghorn.policy.axes import Nodes
from pronghorn.policy.maps import SeenMap

ALLOWANCE = 0.3
"""The standard deviation of ln(time) that one response has beyond a page load's in the lab: a guess for what
the lab holds still (sizes within a bucket, the time of day, other traffic, the server's load)."""

BETWEEN_CLIENTS = 0.15
"""The standard deviation of the ln ratio between clients whose round trip, loss and rate are alike: a guess;
a map has one client."""

LEAST_SD = 0.005

ABOUT_MOST = 400
"""The most characters of a policy file's `about`."""


class Noise(NamedTuple):
    """As the file's `[noise]`; `page` is what of `response` was measured: the maps' page loads."""

    response: float
    between_clients: float
    surface: float
    page: float


class Prior(NamedTuple):
    """h3's load time relative to h2's with one TCP congestion control: arrays (rtt, loss, rate) of the ln
    ratio's mean and standard deviation at the policy's nodes."""

    control: str
    mean: Array
    sd: Array


class Policy(NamedTuple):
    """What is written to a policy file."""

    about: str
    margin: float
    nodes: Nodes
    noise: Noise
    priors: tuple[Prior, ...]


def policy(maps: Sequence[SeenMap], weights: Mapping[str, float]) -> Policy:
    """The policy of the maps; `weights` are those of sites, 1 where none is said. Equal maps give equal
    policies, in whatever order. InputError where the maps don't go together."""
    ordered = sorted(maps, key=lambda one: (TCP_CONGESTION_CONTROLS.index(one.control), one.site))
    _check(ordered, weights)
    nodes = axes.nodes(axes.common([one.domain for one in ordered]))
    surfaces = [_surface(one, nodes) for one in ordered]
    priors = []
    for control in dict.fromkeys(one.control for one in ordered):
        mine = [place for place, one in enumerate(ordered) if one.control == control]
        shares = np.array([weights.get(ordered[place].site, 1.0) for place in mine])
        priors.append(_averaged(control, [surfaces[place] for place in mine], shares / shares.sum()))
    return Policy(
        about=_about(ordered, weights),
        margin=max(one.margin for one in ordered),
        nodes=nodes,
        noise=_noise(ordered, [one.nugget_sd for one in surfaces]),
        priors=tuple(priors),
    )


class _Fitted(NamedTuple):
    mean: Array
    sd: Array
    nugget_sd: float


def _surface(seen: SeenMap, nodes: Nodes) -> _Fitted:
    data = design.data_of(seen.domain, seen.observations)
    mode = fit(data)
    rng = generator(seen.seed, "policy", seen.control, seen.site)
    drawn = posterior.draws(data, posterior.parameters(data, mode, rng), places(seen.domain, nodes), rng)
    shape = tuple(len(values) for values in nodes)
    return _Fitted(
        mean=drawn.mean(axis=0).reshape(shape),
        sd=drawn.std(axis=0, ddof=1).reshape(shape),
        nugget_sd=math.exp(Surface(data, mode).theta[4]),
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


def _noise(maps: Sequence[SeenMap], nuggets: Sequence[float]) -> Noise:
    freedom = sum(one.scatter.freedom for one in maps)
    if not freedom:
        raise InputError("no point of the maps has two blocks that loaded; nothing says how noisy they are.")
    page = math.sqrt(sum(one.scatter.squares for one in maps) / freedom)
    return Noise(
        response=math.hypot(page, ALLOWANCE),
        between_clients=BETWEEN_CLIENTS,
        surface=math.sqrt(sum(one**2 for one in nuggets) / len(nuggets)),
        page=page,
    )


def _check(maps: Sequence[SeenMap], weights: Mapping[str, float]) -> None:
    sites = {one.site for one in maps}
    for site in weights:
        if site not in sites:
            raise InputError(f"--site-weight {site}: {unknown('site', site, sites)}")
    for kind, values in (
        ("h3 arms", {one.h3 for one in maps}),
        ("origins", {one.origin for one in maps}),
        ("clients", {one.client for one in maps}),
    ):
        if len(values) > 1:
            raise InputError(
                f"the maps are of different {kind} ({', '.join(sorted(values))}); a policy is of one.",
                hint="Fit a policy for each of them.",
            )
    seen: dict[tuple[str, str], SeenMap] = {}
    for one in maps:
        other = seen.setdefault((one.control, one.site), one)
        if other is not one:
            raise InputError(
                f"{other.folder} and {one.folder} are both maps of {one.site} with {one.control}; a policy "
                "takes one map a site and congestion control.",
                hint="Go on with one of them instead: pronghorn map --resume DIR --budget N.",
            )


def _about(maps: Sequence[SeenMap], weights: Mapping[str, float]) -> str:
    named = dict.fromkeys(one.site for one in maps)
    several = len(named) > 1
    sites = ", ".join(f"{site} (weight {weights.get(site, 1.0):g})" if several else site for site in named)
    controls = ", ".join(f"h2@{control}" for control in dict.fromkeys(one.control for one in maps))
    trials = sum(one.trials for one in maps)
    text = (
        f"{sites} from {maps[0].origin}, {maps[0].client} client; {maps[0].h3} against {controls}; "
        f"{count(len(maps), 'map')}, {trials} trials"
    )
    return text if len(text) <= ABOUT_MOST else text[: ABOUT_MOST - 1] + "…"
