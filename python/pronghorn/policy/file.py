"""A policy as its file: TOML that a person can read, and that `crates/policy` reads.

Its numbers have three significant digits, so that equal maps give equal bytes on every machine.
"""

import json
import math
from collections.abc import Sequence

from pronghorn.mapping.domain import LOSS_BEND, Array
from pronghorn.policy.fit import LEAST_SD, Policy

FORMAT = 1

STEERING: dict[str, tuple[float, str]] = {
    "enter": (0.02, "h3 is offered where its expected ln ratio is below minus this"),
    "leave": (0.02, "and let go where it is above this; in between things stay as they are"),
    "explore": (0.3, "further visits expected for each one made, by which tries of h3 are valued; 0: none"),
    "dwell_s": (60, "a client's steering changes no faster"),
    "lease_s": (300, "Alt-Svc's ma"),
    "lease_most_s": (86400, "the same where h3 is expected to be faster and h2 isn't worth another look"),
    "cool_down_s": (600, "after a downgrade no offer for so long, doubled each time"),
    "cool_down_most_s": (604800, "at most, and where nothing ever came by QUIC"),
    "blocked_after": (3, "times over TCP in spite of an offer, before a client counts as UDP-blocked"),
    "half_life_s": (259200, "of outcomes: visitors come back after days"),
    "epoch_s": (604800, "pins are drawn again each epoch: a week, in which visitors have all of their days"),
    "holdout": (0.05, "share of clients pinned to each protocol"),
}
"""What is written, each with what it means; every one of them is optional in a file. `cool_down_most_s`,
`blocked_after`, `half_life_s` and `epoch_s` differ from the decision core's defaults: they were chosen by
simulation (docs/policy.md)."""


def text(policy: Policy) -> str:
    """The file's text."""
    noise = policy.noise
    lines = [
        "# Where HTTP/3 pays, for the gateway: by 'pronghorn policy fit', explained in docs/policy.md.",
        f"format = {FORMAT}",
        f"about = {json.dumps(policy.about, ensure_ascii=False)}",
        f"margin = {_number(policy.margin)}  # differences below count as none",
        "",
        "[axes]",
        f"rtt_ms = {_row([value * 1e3 for value in policy.nodes.rtt_s])}",
        f"loss = {_row(policy.nodes.loss)}  # share of packets",
        f"loss_share = {_row(loss_shares(policy.nodes.loss))}  # how common they are: a guess",
        f"rate_mbit = {_row([value / 1e6 for value in policy.nodes.rate_bit_per_s])}",
        "",
        "[noise]  # standard deviations of logarithms",
        f"response = {_number(noise.response)}  # of a response's time beside others of its page: "
        + ("measured" if noise.is_response_measured else "a guess"),
        f"visit = {_number(noise.visit)}  # of what the responses of one visit share: a guess",
        *_between_clients(
            noise.between_clients,
            noise.between_clients_slope,
            "of the ratio, on like networks: " + ("measured" if noise.alike else "a guess"),
        ),
        f"surface = {_number(noise.surface)}  # what the surface can't follow, by points left out",
        "",
        "[steering]",
        *(f"{name} = {value}  # {meaning}" for name, (value, meaning) in STEERING.items()),
        "",
        "# h3's load time by h2's: a row for each rtt_ms, a column for each loss; sd of its logarithm.",
    ]
    for prior in policy.priors:
        for place, rate in enumerate(policy.nodes.rate_bit_per_s):
            lines += [
                "",
                "[[prior]]",
                f'tcp = "{prior.control}"',
                f"rate_mbit = {_number(rate / 1e6)}",
                *_grid("ratio", [[math.exp(one) for one in row] for row in _slice(prior.mean, place)]),
                *_grid("sd", [[max(one, LEAST_SD) for one in row] for row in _slice(prior.sd, place)]),
            ]
    lines += [
        "",
        "# How one page's load time scatters: a row for each rate_mbit, a column for each loss; standard",
        "# deviations of its logarithm, measured.",
    ]
    for one in policy.scatters:
        over_h2, over_h3 = one.pages.tolist()
        lines += [
            "",
            "[[scatter]]",
            f'tcp = "{one.control}"',
            *_grid("h2", over_h2),
            *_grid("h3", over_h3),
        ]
        if spread := noise.alike.get(one.control):
            lines += _between_clients(*spread.between(), "instead of [noise]'s: measured")
    return "\n".join(lines) + "\n"


def _between_clients(sd: float, slope: float, meaning: str) -> list[str]:
    more = f"between_clients_slope = {_number(slope)}  # what a unit of the ln ratio adds, as variances add"
    return [f"between_clients = {_number(sd)}  # {meaning}", *([more] if slope else [])]


def loss_shares(losses: Sequence[float]) -> list[float]:
    """How common each loss is, relative to none: from 0.1 % on half as common for each doubling, which is a
    guess. It counts until packets were seen."""
    return [1 / (1 + loss / LOSS_BEND) for loss in losses]


def _slice(values: Array, rate: int) -> list[list[float]]:
    found: list[list[float]] = values[:, :, rate].tolist()
    return found


def _grid(name: str, rows: Sequence[Sequence[float]]) -> list[str]:
    return [f"{name} = [", *(f"    {_row(row)}," for row in rows), "]"]


def _row(values: Sequence[float]) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _number(value: float) -> str:
    """Three significant digits, and no exponent."""
    rounded = float(f"{value:.3g}")
    if rounded == int(rounded):
        return str(int(rounded))
    return f"{rounded:.12f}".rstrip("0")
