"""A policy for a person: where HTTP/3 is offered, what a client of whom little is known gets."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from pronghorn.mapping.domain import Array
from pronghorn.policy.file import STEERING
from pronghorn.policy.parsed import BETWEEN_CLIENTS, Client, Judged, Parsed, judge

OFFERED, LET_GO = "*", " "


def document(policy: Parsed, asked: Sequence[Client]) -> dict[str, Any]:
    """All of it as data: times in milliseconds, rates in Mbit/s, ratios of h3's times to h2's: `ratio` of
    what is typical, `of_means` of mean times, by which is decided."""
    strangers = [Client(tcp) for tcp in policy.surfaces]
    return {
        "file": policy.place,
        "about": policy.about,
        "axes": {"rtt_ms": policy.rtt_ms, "loss": policy.loss, "rate_mbit": policy.rate_mbit},
        "noise": policy.noise,
        "steering": steering(policy),
        "priors": [
            {
                "tcp": tcp,
                "rate_mbit": rate,
                "ratio": _ratios(surface.mean, place),
                "of_means": _ratios(surface.of_means, place),
                "sd": [[_digits(one) for one in row] for row in surface.sd[:, :, place].tolist()],
            }
            for tcp, surface in policy.surfaces.items()
            for place, rate in enumerate(policy.rate_mbit)
        ],
        "scatter": [
            {
                "tcp": tcp,
                "h2": surface.pages[0].tolist(),
                "h3": surface.pages[1].tolist(),
                **{key: surface.between_clients.get(key) for key in BETWEEN_CLIENTS},
            }
            for tcp, surface in policy.surfaces.items()
            if surface.pages is not None
        ],
        "unknown": [_told(*one) for one in _judged(policy, strangers)],
        "keys": [_told(*one) for one in _judged(policy, asked)],
    }


def text(policy: Parsed, asked: Sequence[Client]) -> str:
    """A table a rate and congestion control, then what strangers and the `asked` clients get."""
    return "\n".join(_lines(policy, asked)) + "\n"


def steering(policy: Parsed) -> dict[str, float]:
    """The file's figures, and the decision core's of those that it leaves out."""
    core = {name: value for name, (value, _) in STEERING.items()} | {"half_life_s": 86400}
    return {name: policy.steering.get(name, value) for name, value in core.items()}


def _lines(policy: Parsed, asked: Sequence[Client]) -> Iterator[str]:
    enter = math.exp(-steering(policy)["enter"])
    yield policy.about
    yield (
        f"h3's mean time relative to h2's by round trip and loss. {OFFERED} marks networks whose clients "
        f"are offered h3 (below {enter:.2f})."
    )
    for tcp, surface in policy.surfaces.items():
        for place, rate in enumerate(policy.rate_mbit):
            yield ""
            yield f"TCP with {tcp}, {rate:g} Mbit/s"
            yield _row("", [f"{loss * 100:g} %" for loss in policy.loss])
            for rtt, row in zip(policy.rtt_ms, surface.of_means[:, :, place].tolist(), strict=True):
                yield _row(f"{rtt:g} ms", [_cell(math.exp(one), enter) for one in row])
    yield ""
    for client, judged in _judged(policy, [Client(tcp) for tcp in policy.surfaces]):
        yield f"An unknown client, TCP with {client.tcp}: {_words(judged)}"
    for client, judged in _judged(policy, asked):
        yield f"{_named(client)}: {_words(judged)}"


def _judged(policy: Parsed, clients: Sequence[Client]) -> list[tuple[Client, Judged]]:
    return list(zip(clients, judge(policy.place, policy.text, clients), strict=True))


def _row(first: str, cells: Sequence[str]) -> str:
    return (f"{first:>8}" + "".join(f"{cell:>9}" for cell in cells)).rstrip()


def _cell(ratio: float, enter: float) -> str:
    return f"{ratio:.2f}{OFFERED if ratio < enter else LET_GO}"


def _words(judged: Judged) -> str:
    low, high = (math.exp(judged.gain + sign * 1.96 * judged.sd) for sign in (-1, 1))
    offered = "h3 is offered" if judged.action == "advertise" else "h3 is not offered"
    expected = f"{math.exp(judged.gain):.2f}, 95 % of such clients {low:.2f} to {high:.2f}"
    return f"{offered} ({judged.reason}); expected ratio {expected}."


def _named(client: Client) -> str:
    known = [
        f"TCP with {client.tcp}",
        *([f"{client.rtt_ms:g} ms"] if client.rtt_ms is not None else []),
        *([f"{client.loss * 100:g} % of loss"] if client.loss is not None else []),
        *([f"{client.rate_mbit:g} Mbit/s"] if client.rate_mbit is not None else []),
    ]
    return ", ".join(known)


def _told(client: Client, judged: Judged) -> dict[str, Any]:
    return {
        **client._asdict(),
        "ratio": _digits(math.exp(judged.gain)),
        "sd": _digits(judged.sd),
        "action": judged.action,
        "reason": judged.reason,
    }


def _ratios(logarithms: Array, rate: int) -> list[list[float]]:
    return [[_digits(math.exp(one)) for one in row] for row in logarithms[:, :, rate].tolist()]


def _digits(value: float) -> float:
    return float(f"{value:.3g}")
