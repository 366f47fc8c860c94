"""What a link refuses before anything else: packets too long, UDP, everything during an outage."""

from itertools import pairwise

from pronghorn.model import units
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import (
    MtuSpec,
    OutageSpec,
    RandomOutage,
    ScheduledOutage,
    TokenBucketSpec,
    UdpPolicing,
    Window,
)

SHORTEST_MTU, LONGEST_MTU = 68, 65535


def mtu(reader: Reader) -> MtuSpec:
    """The longest packet that passes."""
    reader.allow("bytes", "icmp")
    reader.require("bytes", 'such as "1400B"')
    size = reader.take("bytes", units.size)
    if not SHORTEST_MTU <= size <= LONGEST_MTU:
        raise reader.error("bytes", f"an MTU is {SHORTEST_MTU}B to {LONGEST_MTU}B, not {size}B.")
    return MtuSpec(bytes=size, icmp=reader.flag("icmp", False))


def token_bucket(reader: Reader) -> TokenBucketSpec:
    """A rate, and what may pass at once."""
    reader.allow("rate", "burst")
    reader.require("rate", 'such as "10Mbit"')
    reader.require("burst", 'the bytes that may pass at once, such as "64kB"')
    return TokenBucketSpec(
        rate_bit_per_s=reader.take("rate", units.rate), burst_bytes=reader.take("burst", units.size)
    )


def outage(reader: Reader) -> OutageSpec:
    """Known times (`at`, `for`, `every`), or random ones (`on`, `off`)."""
    reader.allow("at", "for", "every", "on", "off")
    if "on" in reader or "off" in reader:
        return _random(reader)
    reader.require("at", "when it begins, such as [\"5s\"]; or 'on' and 'off' for outages at random")
    reader.require("for", 'how long it lasts, such as "2s"')
    length = reader.take("for", units.mean_time_ns)
    windows = [Window(at_ns=at, for_ns=length) for at in reader.several("at", units.time_ns)]
    for one, two in pairwise(windows):
        if one.at_ns + length > two.at_ns:
            raise reader.error(
                "at", "the outages must be in order of time, each over before the next begins."
            )
    every = reader.take("every", units.mean_time_ns) if "every" in reader else None
    if every is not None and every < windows[-1].at_ns + length:
        raise reader.error("every", "it begins again before the last outage is over.")
    return ScheduledOutage(windows=tuple(windows), repeat_ns=every)


def _random(reader: Reader) -> OutageSpec:
    for key in ("at", "for", "every"):
        if key in reader:
            raise reader.error(key, "an outage has either known times ('at', 'for') or means ('on', 'off').")
    reader.require("on", 'the mean time without an outage, such as "10s"')
    reader.require("off", 'the mean length of an outage, such as "1s"')
    return RandomOutage(
        on_mean_ns=reader.take("on", units.mean_time_ns), off_mean_ns=reader.take("off", units.mean_time_ns)
    )


def udp_policing(reader: Reader) -> UdpPolicing:
    """UDP beyond a token bucket is dropped."""
    return UdpPolicing(police=token_bucket(reader))
