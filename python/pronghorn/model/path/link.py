"""One direction of a path from its TOML table."""

from typing import Literal

from pronghorn.model import units
from pronghorn.model.path import bottleneck, delays, gates, losses
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import LinkSpec, UdpPolicing

PLAIN = {
    "mtu": "bytes",
    "outage": None,
    "udp": None,
    "delay": None,
    "jitter": "spread",
    "reorder": "probability",
    "loss": "probability",
    "duplicate": "probability",
    "corrupt": "probability",
    "police": None,
    "rate": None,
    "overhead": "packet",
    "trace": "file",
    "queue": "limit",
    "schedule": "file",
}
"""A link's keys, each with the key of its table that a plain value stands for."""

_EXAMPLES = {
    "outage": '{ at = ["5s"], for = "2s" }',
    "police": '{ rate = "10Mbit", burst = "64kB" }',
    "udp": '{ rate = "1Mbit", burst = "64kB" }',
}


def parse(reader: Reader) -> LinkSpec:
    """The link in the reader's table; InputError with its place where something is wrong."""
    reader.allow(*PLAIN)
    bottlenecked = "rate" in reader or "trace" in reader
    varies = "schedule" in reader
    _check_together(reader)
    duplicate, duplicate_correlation = _chance(reader, "duplicate")
    corrupt, corrupt_correlation = _chance(reader, "corrupt")
    jitter = _sub(reader, "jitter")
    reorder, loss, mtu, outage = (_sub(reader, key) for key in ("reorder", "loss", "mtu", "outage"))
    police, overhead, trace, schedule = (
        _sub(reader, key) for key in ("police", "overhead", "trace", "schedule")
    )
    queue = _sub(reader, "queue")
    bound, aqm = bottleneck.queue(queue) if queue else (None, None)
    if bound is None and bottlenecked:
        bound = bottleneck.DEFAULT_QUEUE
    return LinkSpec(
        mtu=gates.mtu(mtu) if mtu else None,
        udp=_udp(reader),
        outage=gates.outage(outage) if outage else None,
        delay_ns=reader.read("delay", units.time_ns, 0),
        jitter=delays.jitter(jitter, bottleneck=bottlenecked, varies=varies) if jitter else None,
        reorder=delays.reorder(reorder, varies=varies) if reorder else None,
        loss=losses.loss(loss, varies=varies) if loss else None,
        duplicate=duplicate,
        duplicate_correlation=duplicate_correlation,
        corrupt=corrupt,
        corrupt_correlation=corrupt_correlation,
        police=gates.token_bucket(police) if police else None,
        rate_bit_per_s=reader.take("rate", units.rate) if "rate" in reader else None,
        overhead=bottleneck.overhead(overhead) if overhead else None,
        trace=bottleneck.trace(trace) if trace else None,
        queue=bound,
        aqm=aqm,
        schedule=bottleneck.schedule(schedule) if schedule else None,
    )


def _check_together(reader: Reader) -> None:
    if "rate" in reader and "trace" in reader:
        raise reader.error("trace", "a link has either a 'rate' or a 'trace'.")
    if "queue" in reader and not any(key in reader for key in ("rate", "trace", "schedule")):
        raise reader.error("queue", "only a link with a rate has a queue. Give the link a 'rate' as well.")
    if "overhead" in reader and not any(key in reader for key in ("rate", "trace", "schedule")):
        raise reader.error("overhead", "overhead only affects a rate. Give the link a 'rate' as well.")
    if "reorder" in reader and not any(key in reader for key in ("delay", "jitter", "schedule")):
        raise reader.error("reorder", "reordered packets skip the delay. Give the link a 'delay' as well.")


def _sub(reader: Reader, key: str) -> Reader | None:
    if key not in reader:
        return None
    return reader.sub(key, plain=PLAIN[key], example=_EXAMPLES.get(key, ""))


def _chance(reader: Reader, key: str) -> tuple[float, float | None]:
    chance = _sub(reader, key)
    if chance is None:
        return 0.0, None
    chance.allow("probability", "correlation")
    chance.require("probability", 'such as "1%"')
    correlation = chance.read("correlation", units.share, 0.0) or None
    return chance.take("probability", units.share), correlation


def _udp(reader: Reader) -> UdpPolicing | Literal["block"] | None:
    if "udp" not in reader:
        return None
    if isinstance(reader.table["udp"], str):
        reader.choice("udp", ("block",), "block", "rule for UDP")
        return "block"
    return gates.udp_policing(reader.sub("udp", example=f'{_EXAMPLES["udp"]}, or the word "block"'))
