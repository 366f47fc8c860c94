"""What bounds a link's rate or its queue: tbf, htb's classes, fifo, codel and fq_codel as a link's keys."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.errors import InputError
from pronghorn.tc import quantities
from pronghorn.tc.commands import Command
from pronghorn.tc.options import OPTION, Options
from pronghorn.tc.quantities import size, size_text, time_text

_HTB_PACKETS = 1000
"""What a class without a discipline of its own holds: a pfifo of the network card's txqueuelen."""


class Shaper(NamedTuple):
    """A rate in bits per second, the queue's keys in front of it, and what is not the same."""

    rate_bit_per_s: int
    queue: dict[str, str]
    overhead: dict[str, str]
    notes: list[str]


def tbf(words: tuple[str, ...]) -> Shaper:
    """tc-tbf(8): a shaper's rate; its limit is the queue, in bytes. Of a `latency` tc makes such a limit:
    rate x latency + burst."""
    options = Options("tbf", words)
    rate = burst = limit = latency_ns = 0
    overhead: dict[str, str] = {}
    while options:
        match keyword := options.keyword(
            ("limit", "latency", "burst", "peakrate", "overhead", "linklayer"),
            exact=("buffer", "maxburst", "mtu", "minburst", "mpu", "rate"),
        ):
            case "limit":
                limit = options.take(keyword, size)
            case "latency":
                latency_ns = options.take(keyword, quantities.time).ns
            case "burst" | "buffer" | "maxburst":
                burst = options.take(keyword, _size_and_cell)
            case "rate":
                rate = options.take(keyword, quantities.rate)
            case "overhead" | "linklayer":
                overhead |= _overhead(options, keyword)
            case "peakrate":
                peak = options.word(keyword)
                raise options.missing(
                    f"peakrate {peak}",
                    "has two rates",
                    "Leave it out: a path sends one packet after the other, so nothing comes in bursts.",
                )
            case _:  # the peak rate's bucket, and the least that a packet counts
                options.take(keyword, _size_and_cell)
    for name, value in (("rate", rate), ("burst", burst), ("limit' or 'latency", limit or latency_ns)):
        if not value:
            raise options.error(f"'{name}' is missing", "tbf rate 1mbit burst 32kb latency 400ms")
    if limit and latency_ns:
        raise options.error("'limit' and 'latency' exclude each other")
    queued = limit or rate * latency_ns // (8 * 10**9) + burst
    return Shaper(rate, {"queue.limit": size_text(queued)}, overhead, [_no_burst("tbf", burst)])


class Htb:
    """The classes of one htb (tc-htb(8)). A path has one queue a link, so one of them has to take all
    packets: the default one."""

    def __init__(self, root: Command, classes: Sequence[Command]) -> None:
        options = Options("htb", root.words)
        self._default = "0"
        while options:
            match keyword := options.keyword(("r2q", "default", "debug", "direct_qlen", "offload")):
                case "default":
                    self._default = options.word(keyword).removeprefix("0x")
                case "offload":
                    pass
                case _:
                    options.word(keyword)
        self._classes = {minor(each.classid): each for each in classes}
        self._parents = {
            minor(each.classid): minor(each.parent) if each.parent != "root" else "" for each in classes
        }

    def leaf(self) -> str:
        """The class that takes all packets, as `major:minor` of its command."""
        leaves = [name for name in self._classes if name not in self._parents.values()]
        options = Options("htb", ())
        if not leaves:
            raise options.error(
                "no class, so nothing has a rate",
                "Add one: tc class add dev eth0 parent 1: classid 1:10 htb rate 1mbit",
            )
        if len(leaves) > 1:
            raise options.missing(
                f"{len(leaves)} classes",
                "divides packets into classes",
                "Name the class for all packets.",
            )
        if leaves[0] != self._default.lstrip("0"):
            raise options.missing(
                f"default {self._default}",
                "selects some packets",
                f"If class {self._classes[leaves[0]].classid} is for all packets: default {leaves[0]}.",
            )
        return self._classes[leaves[0]].classid

    def shaper(self) -> Shaper:
        """What its class may send: its rate, or what it may borrow from those above it, up to its ceil."""
        rate, burst, overhead = self._allowed(minor(self.leaf()), 0)
        return Shaper(rate, {"queue.limit": f"{_HTB_PACKETS}packets"}, overhead, [_no_burst("htb", burst)])

    def _allowed(self, name: str, depth: int) -> tuple[int, int, dict[str, str]]:
        """Bits per second, burst in bytes (0: tc's own) and overhead of a class."""
        rate, ceil, burst, overhead = _class_terms(self._classes[name])
        above = self._parents[name]
        if above in self._classes and depth < len(self._classes):
            rate = max(rate, min(ceil, self._allowed(above, depth + 1)[0]))
        return rate, burst, overhead


def queue(command: Command) -> dict[str, str]:
    """A queue's keys: how much it holds, and its management. Defaults are Linux's."""
    if command.discipline in ("pfifo", "bfifo"):
        return _fifo(command)
    return _codel(command)


def _fifo(command: Command) -> dict[str, str]:
    options = Options(command.discipline, command.words)
    limit = 0
    while options:
        limit = options.take(options.keyword(("limit",)), size)
    packets = command.discipline == "pfifo"
    if not limit and not packets:
        raise options.error("'limit' is missing; Linux's own depends on the network card", "bfifo limit 64kb")
    return {"queue.limit": f"{limit or _HTB_PACKETS}packets" if packets else size_text(limit)}


def _codel(command: Command) -> dict[str, str]:
    """codel: 1000 packets, without ECN; fq_codel: 10240, with ECN, a quantum of the card's MTU and header."""
    options = Options(command.discipline, command.words)
    fair = command.discipline == "fq_codel"
    keys = {
        "queue.discipline": "fq-codel" if fair else "codel",
        "queue.limit": f"{10240 if fair else 1000}packets",
        "queue.ecn": "true" if fair else "false",
    }
    own = ("flows", "quantum", "memory_limit", "drop_batch") if fair else ()
    while options:
        match keyword := options.keyword(
            (), exact=("limit", "target", "interval", "ecn", "noecn", "ce_threshold", *own)
        ):
            case "limit":
                keys["queue.limit"] = f"{options.take(keyword, quantities.whole)}packets"
            case "target" | "interval":
                keys[f"queue.{keyword}"] = time_text(options.take(keyword, quantities.time).ns)
            case "ecn" | "noecn":
                keys["queue.ecn"] = "true" if keyword == "ecn" else "false"
            case "flows":
                keys["queue.flows"] = str(options.take(keyword, quantities.whole))
            case "quantum":
                keys["queue.quantum"] = f"{options.take(keyword, quantities.whole)}B"
            case "ce_threshold":
                raise options.missing(keyword, "marks by a threshold of its own")
            case _:
                options.word(keyword)
    return keys


def _class_terms(command: Command) -> tuple[int, int, int, dict[str, str]]:
    options = Options(f"htb class {command.classid}", command.words)
    rate = ceil = burst = 0
    overhead: dict[str, str] = {}
    while options:
        match keyword := options.keyword(
            ("prio", "mtu", "mpu", "overhead", "linklayer", "quantum", "burst", "cburst"),
            exact=("buffer", "maxburst", "cbuffer", "cmaxburst", "ceil", "rate"),
        ):
            case "rate":
                rate = options.take(keyword, quantities.rate)
            case "ceil":
                ceil = options.take(keyword, quantities.rate)
            case "burst" | "buffer" | "maxburst":
                burst = options.take(keyword, _size_and_cell)
            case "overhead" | "linklayer":
                overhead |= _overhead(options, keyword)
            case _:
                options.word(keyword)
    if not rate:
        raise options.error("'rate' is missing", f"class add … classid {command.classid} htb rate 1mbit")
    return rate, ceil or rate, burst, overhead


def _overhead(options: Options, keyword: str) -> dict[str, str]:
    """What a packet takes beside its bytes; of ATM, cells of 48 bytes that cost 53."""
    if keyword == "overhead":
        size_bytes = options.take(keyword, quantities.whole)
        return {"overhead.packet": f"{size_bytes}B"} if size_bytes else {}
    if options.word(keyword) in ("atm", "adsl"):
        return {"overhead.cell": "48B", "overhead.cell_overhead": "5B"}
    return {}


def _no_burst(kind: str, burst: int) -> str:
    held = f"its bucket lets {size_text(burst)} pass at once" if burst else "its bucket lets bursts pass"
    return f"{kind}: {held}; a path sends one packet after the other"


def minor(identity: str) -> str:
    """`10` of a class `1:10`."""
    if ":" not in identity:
        raise InputError(f"{OPTION}: htb: {identity!r} names no class, such as 1:10.")
    return identity.partition(":")[2].lstrip("0")


def _size_and_cell(word: str) -> int:
    """`burst 6000/16`: behind the slash stands the resolution of a table."""
    return size(word.partition("/")[0])
