"""A policy file as the control plane reads it: for showing, and as one of the worlds that it is judged in.
Whether it may be used is said by the decision core."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from pronghorn import reading
from pronghorn.engine import Engine, EngineError
from pronghorn.errors import InputError
from pronghorn.host import interrupts
from pronghorn.mapping.domain import Array
from pronghorn.model import foreign

BETWEEN_CLIENTS = ("between_clients", "between_clients_slope")
"""Keys of [noise], and of a [[scatter]] that differs from it."""

_PACKETS = 2000
"""How many packets stand for a known loss."""


class Surface(NamedTuple):
    """Of one TCP congestion control: the ln ratio of typical times and its sd at the nodes (rtt, loss, rate);
    how much pages scatter over h2 and over h3 at the nodes (2, rate, loss), None where the file doesn't say,
    and what the file says there of clients."""

    mean: Array
    sd: Array
    pages: Array | None = None
    between_clients: Mapping[str, float] = MappingProxyType({})

    @property
    def of_means(self) -> Array:
        """The ln ratio of mean times at the nodes, by which is decided: of a lognormal time with variance s²
        the mean is e^(s²/2) times what is typical."""
        if self.pages is None:
            return self.mean
        over_h2, over_h3 = np.square(self.pages).transpose(0, 2, 1)
        return np.asarray(self.mean + (over_h3 - over_h2) / 2)


class Parsed(NamedTuple):
    """A file that the decision core takes. `strangers` is what it makes of clients of which only the
    congestion control is known."""

    place: str
    text: str
    about: str
    margin: float
    rtt_ms: tuple[float, ...]
    loss: tuple[float, ...]
    rate_mbit: tuple[float, ...]
    noise: dict[str, float]
    steering: dict[str, float]
    surfaces: dict[str, Surface]


class Client(NamedTuple):
    """What is known of a client, None where it isn't."""

    tcp: str
    rtt_ms: float | None = None
    loss: float | None = None
    rate_mbit: float | None = None


class Judged(NamedTuple):
    """What the decision core makes of a client: expected ln ratio of h3's times to h2's with its standard
    deviation, and whether h3 is offered."""

    gain: float
    sd: float
    action: str
    reason: str


def read(file: Path) -> Parsed:
    """The policy in `file`; InputError with the line where the decision core refuses it."""
    return of_text(str(file), reading.asked(file, reading.MOST_TOML, "a policy"))


def of_text(place: str, text: str) -> Parsed:
    """The policy whose text stands in `place`; InputError with the line where the decision core refuses
    it."""
    judge(place, text, [])
    table = foreign.toml(text)
    axes = table["axes"]
    rates = [float(one) for one in axes["rate_mbit"]]
    return Parsed(
        place=place,
        text=text,
        about=str(table.get("about", "")),
        margin=float(table["margin"]),
        rtt_ms=tuple(float(one) for one in axes["rtt_ms"]),
        loss=tuple(float(one) for one in axes["loss"]),
        rate_mbit=tuple(rates),
        noise={name: float(value) for name, value in table["noise"].items()},
        steering={name: float(value) for name, value in table.get("steering", {}).items()},
        surfaces={
            control: _surface(
                [one for one in table["prior"] if one["tcp"] == control],
                rates,
                [one for one in table.get("scatter", []) if one["tcp"] == control],
            )
            for control in dict.fromkeys(one["tcp"] for one in table["prior"])
        },
    )


def judge(place: str, text: str, clients: Sequence[Client]) -> list[Judged]:
    """What the decision core makes of clients that it meets for the first time; InputError where it refuses
    the policy's text, which stands in `place`."""
    asked = [
        {
            "tcp": one.tcp,
            "rtt_ms": one.rtt_ms,
            "sent": 0 if one.loss is None else _PACKETS,
            "lost": 0 if one.loss is None else round(one.loss * _PACKETS),
            "rate_mbit": one.rate_mbit,
        }
        for one in clients
    ]
    answer = asked_of_engine(place, "policy", text=text, clients=asked)
    return [Judged(one["gain"], one["sd"], one["action"], one["reason"]) for one in answer["clients"]]


def asked_of_engine(place: str, op: str, patience_s: float = 60.0, **parameters: Any) -> dict[str, Any]:
    """The engine's answer; InputError, with the line, where it refuses what stands in `place`."""

    async def ask() -> dict[str, Any]:
        engine = await Engine.start()
        try:
            return await engine.request(op, patience_s=patience_s, **parameters)
        finally:
            await engine.stop()

    try:
        return interrupts.run(ask())
    except EngineError as error:
        if error.kind != "input":
            raise
        where = f"{place}, line {error.line}" if error.line else place
        raise InputError(f"{where}: {error.message}") from None


def _surface(
    priors: Sequence[dict[str, Any]], rates: Sequence[float], scatter: Sequence[dict[str, Any]]
) -> Surface:
    by_rate = {float(one["rate_mbit"]): one for one in priors}
    ordered = [by_rate[rate] for rate in rates]
    ratios = np.stack([np.array(one["ratio"], dtype=np.float64) for one in ordered], axis=-1)
    sds = np.stack([np.array(one["sd"], dtype=np.float64) for one in ordered], axis=-1)
    if not scatter:
        return Surface(np.log(ratios), sds)
    (told,) = scatter
    pages = np.array([told["h2"], told["h3"]], dtype=np.float64)
    between = {key: told[key] for key in BETWEEN_CLIENTS if key in told}
    return Surface(np.log(ratios), sds, pages, between)


def ratio_text(gain: float) -> str:
    """A ln ratio as a ratio of times."""
    return f"{math.exp(gain):.2f}"
