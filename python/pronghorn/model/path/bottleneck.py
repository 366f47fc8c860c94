"""A link's bottleneck: overhead on the wire, the queue and its management, traces and schedules."""

from pronghorn.errors import unknown
from pronghorn.model import units
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import (
    AqmSpec,
    CodelSpec,
    FqCodelSpec,
    OverheadSpec,
    ScheduleSpec,
    TraceSpec,
)

DEFAULT_QUEUE = {"packets": 1000}
"""The queue of a bottleneck without one: netem's default `limit`."""

OVERHEADS = {
    "ethernet": OverheadSpec(packet_bytes=38),
    "docsis": OverheadSpec(packet_bytes=18),
    "bridged-ptm": OverheadSpec(packet_bytes=22),
    "pppoe-ptm": OverheadSpec(packet_bytes=30),
    "pppoa-vcmux": OverheadSpec(packet_bytes=10, cell_bytes=48, cell_overhead_bytes=5),
    "pppoe-vcmux": OverheadSpec(packet_bytes=32, cell_bytes=48, cell_overhead_bytes=5),
    "pppoe-llcsnap": OverheadSpec(packet_bytes=40, cell_bytes=48, cell_overhead_bytes=5),
}
"""Overheads by name, as in tc-cake(8). Without its minimum packet sizes and its 64b/65b coding of PTM (take
64/65 of the rate instead). The last three are over ATM, in cells of 48 bytes that cost 53 (ITU-T I.361)."""

DISCIPLINES = ("drop-tail", "codel", "fq-codel")
_AQM_KEYS = {
    "drop-tail": (),
    "codel": ("target", "interval", "ecn"),
    "fq-codel": ("target", "interval", "ecn", "flows", "quantum"),
}

_MOST_OVERHEAD = 65535


def overhead(reader: Reader) -> OverheadSpec:
    """Bytes a packet and a cell, or the name of a kind of link."""
    reader.allow("packet", "cell", "cell_overhead")
    name = reader.table.get("packet")
    if isinstance(name, str) and name in OVERHEADS and len(reader.table) == 1:
        return OVERHEADS[name]
    if isinstance(name, str) and name[:1].isalpha():
        raise reader.error("packet", unknown("overhead", name, OVERHEADS) + " Or bytes, such as '26B'.")
    packet = reader.read("packet", units.signed_size, 0)
    cell = reader.take("cell", units.size) if "cell" in reader else None
    cell_overhead = reader.read("cell_overhead", units.size_or_none, 0)
    for key, size in (("packet", abs(packet)), ("cell", cell or 0), ("cell_overhead", cell_overhead)):
        if size > _MOST_OVERHEAD:
            raise reader.error(key, f"{size} bytes are too much; at most {_MOST_OVERHEAD}B are allowed.")
    if cell_overhead and cell is None:
        raise reader.error(
            "cell_overhead", 'there are no cells. Give their payload too, such as cell = "48B".'
        )
    return OverheadSpec(packet_bytes=packet, cell_bytes=cell, cell_overhead_bytes=cell_overhead)


def queue(reader: Reader) -> tuple[dict[str, int], AqmSpec | None]:
    """The buffer's bound and its management."""
    reader.allow("limit", "discipline", "target", "interval", "ecn", "flows", "quantum")
    discipline = reader.choice("discipline", DISCIPLINES, "drop-tail", "discipline")
    for key in reader.table:
        if key not in ("limit", "discipline", *_AQM_KEYS[discipline]):
            takes = ", ".join(_AQM_KEYS[discipline]) or "nothing but a limit"
            raise reader.error(key, f"a {discipline} queue has no {key!r}; it has {takes}.")
    bound = reader.read("limit", units.queue, DEFAULT_QUEUE)
    if discipline == "drop-tail":
        return bound, None
    target = reader.read("target", units.mean_time_ns, 5_000_000)
    interval = reader.read("interval", units.mean_time_ns, 100_000_000)
    ecn = reader.flag("ecn", False)
    if discipline == "codel":
        return bound, CodelSpec(target_ns=target, interval_ns=interval, ecn=ecn)
    quantum = reader.read("quantum", units.size, 1514)
    if quantum > 10**6:
        raise reader.error("quantum", f"{quantum} bytes are too much; a quantum is at most 1000000B.")
    return bound, FqCodelSpec(
        target_ns=target,
        interval_ns=interval,
        flows=reader.whole("flows", 1024, least=1, most=65536),
        quantum_bytes=quantum,
        ecn=ecn,
    )


def trace(reader: Reader) -> TraceSpec:
    """The deliveries of a Mahimahi trace."""
    reader.allow("file", "repeat")
    return TraceSpec(text=reader.file("file", "a trace of Mahimahi's"), repeat=reader.flag("repeat", True))


def schedule(reader: Reader) -> ScheduleSpec:
    """Values that change over time, from a CSV file."""
    reader.allow("file", "repeat")
    repeat = reader.take("repeat", units.mean_time_ns) if "repeat" in reader else None
    return ScheduleSpec(text=reader.file("file", "a CSV schedule"), repeat_ns=repeat)
