"""A load that is asked for, in a sentence."""

from pronghorn.load import figures
from pronghorn.load.spec import Extent, LoadSpec
from pronghorn.load.transport import SPOKEN


def over(spec: LoadSpec) -> str:
    """What is spoken: `HTTP/2`, `HTTP/1.1 in the clear`."""
    clear = " in the clear" if spec.targets[0].url.startswith("http:") else ""
    return SPOKEN[spec.protocol] + clear


def loop(spec: LoadSpec) -> str:
    """`closed loop: 10 connections × 100 streams, 1 thread, for 10 s`."""
    parts = [
        f"{counted(spec.connections, 'connection')} × {_at_once(spec)}",
        counted(spec.threads, "thread"),
        extent(spec.stop),
    ]
    if spec.connect == "each":
        parts.append("a new connection for each request")
    if spec.session != "cold":
        parts.append("resumed, with 0-RTT data" if spec.session == "0rtt" else "resumed")
    if spec.ramp_s:
        parts.append(f"ramped over {figures.duration(spec.ramp_s)}")
    if spec.warm_up is not None:
        parts.append(f"after a warm-up of {extent(spec.warm_up).removeprefix('for ')}")
    if spec.arrivals is None:
        return f"closed loop: {', '.join(parts)}"
    arrivals = spec.arrivals
    regular = "evenly" if arrivals.distribution == "constant" else f"as Poisson's, seed {arrivals.seed}"
    steps = "".join(
        f"{step.rate_per_s:g}/s for {figures.duration(step.duration_s)}, then " for step in arrivals.steps
    )
    return f"open loop: {steps}{arrivals.rate_per_s:g}/s, {regular}; {', '.join(parts)}"


def extent(asked: Extent) -> str:
    """`10 000 requests`, `for 10 s`."""
    if asked.requests is not None:
        return counted(asked.requests, "request")
    return f"for {figures.duration(asked.duration_s or 0)}"


def counted(number: int, noun: str) -> str:
    """`1 request`, `10 000 requests`."""
    return f"{figures.grouped(number)} {noun if number == 1 else f'{noun}s'}"


def _at_once(spec: LoadSpec) -> str:
    """How many requests a connection has under way."""
    if spec.protocol == "h1":
        return "1 request" if spec.streams == 1 else f"{spec.streams} pipelined requests"
    return counted(spec.streams, "stream")
