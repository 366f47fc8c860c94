"""How much is loaded, how fast and for how long: the command line's words, checked against each other."""

import re
import secrets
from fractions import Fraction
from typing import Any, NamedTuple

from pronghorn.errors import InputError, unknown
from pronghorn.load.spec import Arrivals, Extent, Step
from pronghorn.model import units

DEFAULT_DURATION = "10s"
MOST_CONNECTIONS = 100_000
MOST_STREAMS = 65_536
MOST_REQUESTS = 10**15
MOST_RATE_PER_S = 10_000_000
LEAST_RATE_PER_S = Fraction(1, 10**6)
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/(s|min))?")
_MOST_STEPS = 1000
_CONNECT = ("keep", "each")


class Wanted(NamedTuple):
    """The words; None: as the default is. Times stand as they were written."""

    connections: int = 1
    streams: int = 1
    threads: int = 1
    requests: int | None = None
    duration: str | None = None
    warm_up: str | None = None
    ramp: str | None = None
    rate: str | None = None
    poisson: bool = False
    seed: int | None = None
    timeout: str | None = None
    connect_timeout: str = "10s"
    limit: str | None = None
    connect: str = "keep"


def read(wanted: Wanted) -> dict[str, Any]:
    """What of a LoadSpec they say; InputError where they contradict themselves or each other."""
    if wanted.requests is not None and wanted.duration is not None:
        raise InputError(
            "-n and -d exclude each other: a load ends after a number of requests or after a time."
        )
    arrivals, lasts_s = _arrivals(wanted)
    if wanted.requests is not None:
        stop = Extent(requests=wanted.requests)
    elif wanted.duration is None and lasts_s is not None:
        stop = Extent(duration_s=lasts_s)
    else:
        stop = Extent(duration_s=_time("-d", wanted.duration or DEFAULT_DURATION))
    ramp_s = 0.0 if wanted.ramp is None else _time("--ramp", wanted.ramp)
    warm_up = None if wanted.warm_up is None else _warm_up(wanted.warm_up)
    limit_s = None if wanted.limit is None else _time("--limit", wanted.limit)
    _refuse_contradictions(wanted, arrivals)
    if arrivals is not None and arrivals.steps and ramp_s > arrivals.steps[0].duration_s:
        raise InputError(f"--ramp {wanted.ramp}: the first step of --rate ends before that.")
    if stop.duration_s is not None:
        before_s = warm_up.duration_s or 0.0 if warm_up is not None else 0.0
        if ramp_s >= before_s + stop.duration_s:
            raise InputError(f"--ramp {wanted.ramp}: the load ends before that. Write a shorter ramp.")
        if limit_s is not None and limit_s < before_s + stop.duration_s:
            raise InputError(f"--limit {wanted.limit}: the load itself lasts longer. Write a longer limit.")
    return {
        "connections": wanted.connections,
        "streams": wanted.streams,
        "threads": wanted.threads,
        "stop": stop,
        "limit_s": limit_s,
        "warm_up": warm_up,
        "connect": wanted.connect,
        "arrivals": arrivals,
        "ramp_s": ramp_s,
        "request_timeout_s": None if wanted.timeout is None else _time("--timeout", wanted.timeout),
        "connect_timeout_s": _time("--connect-timeout", wanted.connect_timeout),
    }


def _refuse_contradictions(wanted: Wanted, arrivals: Arrivals | None) -> None:
    if wanted.connections > MOST_CONNECTIONS:
        raise InputError(f"-c {wanted.connections}: at most {MOST_CONNECTIONS} connections at a time.")
    if wanted.streams > MOST_STREAMS:
        raise InputError(f"-m {wanted.streams}: at most {MOST_STREAMS} requests at a time on a connection.")
    if wanted.requests is not None and wanted.requests > MOST_REQUESTS:
        raise InputError(f"-n {wanted.requests}: at most {MOST_REQUESTS} requests.")
    if wanted.threads > wanted.connections:
        raise InputError(
            f"-t {wanted.threads} with -c {wanted.connections}: each connection belongs to one thread, "
            "so some threads would have none. Write at most as many threads as connections."
        )
    if arrivals is None and wanted.requests is not None and wanted.requests < wanted.connections:
        raise InputError(
            f"-n {wanted.requests} with -c {wanted.connections}: some connections would have no request. "
            "Write at least as many requests as connections."
        )
    if wanted.connect not in _CONNECT:
        raise InputError("--connect: " + unknown("way to connect", wanted.connect, _CONNECT))
    if wanted.connect == "each" and wanted.streams > 1:
        raise InputError(
            f"-m {wanted.streams} with a new connection for each request: each has one request. -c sets "
            "how many are made at a time."
        )


def _arrivals(wanted: Wanted) -> tuple[Arrivals | None, float | None]:
    """The open loop that is asked for, and how long its steps last, where the last one's time stands too."""
    if wanted.rate is None:
        for flag, asked in (("--poisson", wanted.poisson), ("--seed", wanted.seed is not None)):
            if asked:
                raise InputError(f"{flag}: only an open loop has arrivals. Write --rate R as well.")
        return None, None
    if wanted.seed is not None and not wanted.poisson:
        raise InputError("--seed: evenly spaced arrivals need no seed. Write --poisson as well.")
    *before, (last, lasts) = _steps(wanted.rate)
    steps = tuple(Step(rate_per_s=rate, duration_s=duration or 0.0) for rate, duration in before)
    total = None if lasts is None else sum(step.duration_s for step in steps) + lasts
    if not wanted.poisson:
        return Arrivals(rate_per_s=last, steps=steps), total
    seed = wanted.seed if wanted.seed is not None else secrets.randbelow(2**32)
    return Arrivals(rate_per_s=last, steps=steps, distribution="poisson", seed=seed), total


def _steps(text: str) -> list[tuple[float, float | None]]:
    """The rates of `--rate`, per second, each with the seconds for which it holds; only the last may go on
    without an end."""
    words = text.split(",")
    if len(words) > _MOST_STEPS:
        raise InputError(f"--rate: {len(words)} steps; at most {_MOST_STEPS}.")
    found: list[tuple[float, float | None]] = []
    for number, word in enumerate(words, 1):
        rate, colon, time = word.partition(":")
        match = _RATE.fullmatch(rate)
        per_s = Fraction(match[1]) / (60 if match[2] == "min" else 1) if match else Fraction(0)
        if not LEAST_RATE_PER_S <= per_s <= MOST_RATE_PER_S:
            raise InputError(
                f"--rate {text}: {'this' if len(words) == 1 else repr(word)} is no rate; write requests per "
                f"second, such as 1000, or 90/min (at most {MOST_RATE_PER_S}/s)."
            )
        if not colon and number < len(words):
            raise InputError(
                f"--rate {text}: {word!r} doesn't say for how long; write RATE:TIME, such as {word}:10s. "
                "Only the last step may go on."
            )
        found.append((float(per_s), _time("--rate", time) if colon else None))
    return found


def _warm_up(text: str) -> Extent:
    if text.isdecimal():
        if int(text) == 0:
            raise InputError("--warm-up 0: this is no warm-up. Leave it out.")
        if int(text) > MOST_REQUESTS:
            raise InputError(f"--warm-up {text}: at most {MOST_REQUESTS} requests.")
        return Extent(requests=int(text))
    return Extent(duration_s=_time("--warm-up", text))


def _time(flag: str, text: str) -> float:
    try:
        found = units.time_ns(text)
        if found == 0:
            raise units.UnitError(f"{text!r}: a time must be greater than zero")
    except units.UnitError as error:
        raise InputError(f"{flag} {text}: {error}.") from None
    return found / 1e9
