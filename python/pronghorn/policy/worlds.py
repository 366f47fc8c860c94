"""What is true in a simulation: surfaces of h3's times to h2's that no rule is told."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.errors import InputError
from pronghorn.mapping import design, posterior
from pronghorn.mapping.domain import Array
from pronghorn.mapping.surface import fit
from pronghorn.policy import axes, scatter
from pronghorn.policy.fit import places
from pronghorn.policy.maps import SeenMap
from pronghorn.policy.parsed import Parsed
from pronghorn.policy.population import Noise

_COUNTS = (9, 9, 6)
"""Nodes of a map's surface."""


def of_policy(policy: Parsed, noise: Noise) -> dict[str, Any]:
    """The policy's own surfaces; how wrong they are is drawn by the engine, at each node by its sd and by
    what the surface can't follow."""
    rough = policy.noise["surface"]
    return {
        "rtt_ms": policy.rtt_ms,
        "loss": policy.loss,
        "rate_mbit": policy.rate_mbit,
        "surfaces": {
            tcp: {
                "ln_ratio": one.mean.tolist(),
                "sd": np.hypot(one.sd, rough).tolist(),
                "pages": None if one.pages is None else one.pages.tolist(),
            }
            for tcp, one in policy.surfaces.items()
        },
        "between_clients": noise.between_clients,
        "between_clients_slope": noise.between_clients_slope,
    }


def of_maps(maps: Sequence[SeenMap], noise: Noise, seed: int) -> dict[str, Any]:
    """One joint draw of each map's surface, that is one that could be the true one given what the map
    measured; the engine adds what the surface can't follow. InputError for two maps of one congestion
    control."""
    nodes = axes.nodes(axes.common([one.domain for one in maps]), _COUNTS)
    shape = tuple(len(values) for values in nodes)
    surfaces: dict[str, Any] = {}
    for one in maps:
        if one.control in surfaces:
            raise InputError(f"--map {one.folder}: a second map with {one.control}; one is allowed.")
        data = design.data_of(one.domain, one.observations)
        mode = fit(data)
        rng = generator(seed, "policy truth", one.control)
        drawn = posterior.draws(data, posterior.parameters(data, mode, rng), places(one.domain, nodes), rng)
        truth: Array = drawn[int(rng.integers(len(drawn)))].reshape(shape)
        surfaces[one.control] = {
            "ln_ratio": truth.tolist(),
            "sd": np.full(shape, np.exp(mode[4])).tolist(),
            "pages": scatter.at_nodes(one.control, [one], [1.0], nodes).pages.tolist(),
        }
    return {
        "rtt_ms": [value * 1e3 for value in nodes.rtt_s],
        "loss": list(nodes.loss),
        "rate_mbit": [value / 1e6 for value in nodes.rate_bit_per_s],
        "surfaces": surfaces,
        "between_clients": noise.between_clients,
        "between_clients_slope": noise.between_clients_slope,
    }


def between_nodes(policy: Parsed) -> list[dict[str, Any]]:
    """Networks midway between the policy's nodes, each as large a share as any other: what its fit did not
    see."""
    rtts = [float(np.sqrt(low * high)) for low, high in zip(policy.rtt_ms, policy.rtt_ms[1:], strict=False)]
    bent = np.log1p(np.array(policy.loss) / 1e-3)
    losses = (np.expm1((bent[1:] + bent[:-1]) / 2) * 1e-3).tolist()
    rates = [
        float(np.sqrt(low * high)) for low, high in zip(policy.rate_mbit, policy.rate_mbit[1:], strict=False)
    ]
    return [
        {
            "name": f"{rtt:.3g}ms {loss * 100:.2g}% {rate:.3g}Mbit",
            "share": 1.0,
            "rtt_ms": [rtt, rtt],
            "loss": [loss, loss],
            "rate_mbit": [rate, rate],
        }
        for rtt in rtts
        for loss in losses
        for rate in rates
    ]
