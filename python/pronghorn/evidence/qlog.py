"""qlogs of one QUIC connection, of whichever stack: JSON text sequences, lines of JSON, or one JSON text with
traces (qlog 0.3 and later; draft-ietf-quic-qlog-main-schema)."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pronghorn import reading
from pronghorn.errors import InputError
from pronghorn.importing.har.values import items, number, table, text
from pronghorn.model import bounds, foreign
from pronghorn.model.trial import PageLoad, Resource
from pronghorn.traps.facts import Facts, Flow, Handshake, Times, Visit

_MOST_EVENTS = 10**7
_FULL = 600
"""Bytes: a packet of content is longer, one of acknowledgements alone is not."""

_USUAL = 1350
"""Bytes of content in a full packet where a file has no lengths: between those of 1200 and of 1452."""

_LONG = ("initial", "handshake", "0RTT", "retry")
_BLOCKED = ("stream_data_blocked", "data_blocked")
_LEAST_BLOCKED = 2
"""A sender may say so once as a precaution."""


class Event(NamedTuple):
    """An event: seconds since the first, its name without the category, and its data."""

    at_s: float
    name: str
    data: dict[str, Any]


class Log(NamedTuple):
    """A connection's events. `base_monotonic_s` is where their times count from, where the file tells."""

    events: tuple[Event, ...]
    by_server: bool
    base_monotonic_s: float | None


def facts(file: Path) -> Facts:
    """What a file that somebody names tells of a connection; InputError where it can't be used."""
    log = read(file)
    found = flow(log)
    lacks = _lacks(log, found)
    if not len(found.arrived_s):
        why = "the file has no packets with content from the server"
        return Facts(str(file), lacks=(*lacks, why))
    page = as_page(found.arrived_s, int(found.sizes.sum()))
    return Facts(str(file), (Visit("h3", page, found),), lacks=lacks)


def as_page(arrived_s: Times, content: int) -> PageLoad:
    """What packets alone tell of a load: one response, from the first to the last that brought content."""
    first, last = float(arrived_s[0]), float(arrived_s[-1])
    one = Resource(path="/", start_s=0.0, request_s=0.0, first_byte_s=first, last_byte_s=last, bytes=content)
    return PageLoad(outcome="ok", load_s=max(last, bounds.LEAST_S), resources=[one])


def read(file: Path) -> Log:
    """The events of a file; InputError where it is no qlog."""
    said = reading.asked(file, reading.MOST_ARTIFACT, "a qlog")
    try:
        head, trace, events = _parts(said)
    except foreign.Malformed as error:
        raise InputError(f"{file}: this is no qlog: {error}.") from None
    if not head.get("qlog_version") and not head.get("file_schema"):
        raise InputError(
            f"{file}: this is no qlog: it has neither qlog_version nor file_schema.",
            hint="A qlog is of QUIC; of a browser's page load give a HAR file: --har FILE",
        )
    base = number(table(trace, "configuration").get("clock_base_monotonic_s"))
    by_server = text(table(trace, "vantage_point").get("type")) == "server"
    form = text(table(trace, "common_fields").get("time_format"))
    return Log(tuple(_events(events, form)), by_server, base)


def flow(log: Log, since_s: float = 0.0, content: int | None = None) -> Flow:
    """What a log tells of the data from the server, on an axis on which its own zero is `since_s`. `content`
    is how many bytes all of it had, where that is known and packets have no lengths."""
    carried = [
        one for one in log.events if one.name == ("packet_sent" if log.by_server else "packet_received")
    ]
    data = [one for one in carried if _kind(one) == "1RTT"]
    sizes = [number(table(one.data, "raw").get("length")) for one in data]
    if any(size is None for size in sizes):
        each = content / len(data) if content and data else _USUAL
        kept = [(one.at_s, float(each)) for one in data]
    else:
        kept = [(one.at_s, size) for one, size in zip(data, sizes, strict=True) if size and size >= _FULL]
    long = [one for one in carried if _kind(one) in _LONG]
    shake = Handshake(
        np.array([one.at_s + since_s for one in long if _kind(one) != "retry"]),
        _handshake_s(log),
        True if any(_kind(one) == "retry" for one in long) else None,
    )
    lengths = [int(size) for size in sizes if size]
    frames = [frame for one in carried for frame in items(one.data.get("frames")) if isinstance(frame, dict)]
    runs, after_s = _losses(log, data)
    said = sum(text(frame.get("frame_type")) in _BLOCKED for frame in frames)
    return Flow(
        _round_trip_s(log),
        np.array([at for at, _ in kept]) + since_s,
        np.array([size for _, size in kept]),
        runs,
        tuple(at_s + since_s for at_s in after_s),
        None if log.by_server else shake,
        max(lengths, default=None),
        _windows(log),
        said >= _LEAST_BLOCKED if frames else None,
    )


def _parts(said: str) -> tuple[dict[str, Any], dict[str, Any], Iterable[Any]]:
    """The head of a file, its first trace's, and the events."""
    if said.startswith("\x1e"):
        records = (foreign.json(one, most_items=_MOST_EVENTS) for one in said.split("\x1e") if one.strip())
        head = next(records, None)
        return table(head), table(head, "trace"), records
    try:
        whole = foreign.json_table(said, most_bytes=reading.MOST_ARTIFACT, most_items=_MOST_EVENTS)
    except foreign.Malformed:
        lines = (foreign.json(one) for one in said.splitlines() if one.strip())
        head = next(lines, None)
        return table(head), table(head, "trace"), lines
    trace = table(next(iter(items(whole.get("traces"))), None))
    return whole, trace, items(trace.get("events"))


def _events(events: Iterable[Any], form: str) -> Iterator[Event]:
    base: float | None = None
    now = 0.0
    for one in events:
        at = number(table(one).get("time"))
        if at is None:
            continue
        now = now + at if form == "delta" else at
        if base is None:
            base = 0.0 if form in ("relative", "delta") else now
        name = text(table(one).get("name")).rpartition(":")[2]
        yield Event((now - base) / 1e3, name.removeprefix("recovery_"), table(table(one).get("data")))


def _kind(one: Event) -> str:
    """A packet's type, which drafts spell differently."""
    told = text(table(one.data, "header").get("packet_type") or one.data.get("packet_type"))
    return {"1rtt": "1RTT", "0rtt": "0RTT", "onertt": "1RTT"}.get(told.lower(), told)


def _round_trip_s(log: Log) -> float | None:
    """The least that the log's end told last; where it tells none, from the first packet of the client to
    the first of the server."""
    told = [
        at for one in log.events if one.name == "metrics_updated"
        if (at := number(one.data.get("min_rtt"))) is not None
    ]  # fmt: skip
    if told:
        return told[-1] / 1e3
    if log.by_server:
        return None
    sent = next((one.at_s for one in log.events if one.name == "packet_sent"), None)
    heard = next((one.at_s for one in log.events if one.name == "packet_received"), None)
    return heard - sent if sent is not None and heard is not None and heard > sent else None


def _handshake_s(log: Log) -> float | None:
    """From the client's first packet to its first with data that no early data is."""
    sent = [one for one in log.events if one.name == "packet_sent"]
    ready = next((one.at_s for one in sent if _kind(one) == "1RTT"), None)
    return ready - sent[0].at_s if ready is not None else None


def _losses(log: Log, data: list[Event]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The lengths of the runs of packet numbers that never came, or that the sender declared lost, and when
    the one after each came."""
    if log.by_server:
        data = [one for one in log.events if one.name == "packet_lost" and _kind(one) in ("1RTT", "")]
    first = {found: one.at_s for one in reversed(data) if (found := _number(one)) is not None}
    numbers = np.array(sorted(first), dtype=np.int64)
    gaps = np.diff(numbers) - 1
    if not log.by_server:
        after = np.flatnonzero(gaps > 0)
        return tuple(gaps[after].tolist()), tuple(first[one] for one in numbers[after + 1].tolist())
    runs = [one for one in np.split(numbers, np.flatnonzero(gaps > 0) + 1) if len(one)]
    return tuple(len(one) for one in runs), tuple(first[int(one[0])] for one in runs)


def _number(one: Event) -> int | None:
    found = number(table(one.data, "header").get("packet_number"))
    return int(found) if found is not None else None


def _windows(log: Log) -> tuple[int | None, int | None]:
    """What the client allowed at first, of a stream that it opened and of the connection."""
    mine = "remote" if log.by_server else "local"
    for one in log.events:
        if one.name == "parameters_set" and text(one.data.get("owner") or one.data.get("initiator")) == mine:
            stream = number(one.data.get("initial_max_stream_data_bidi_local"))
            whole = number(one.data.get("initial_max_data"))
            return int(stream) if stream else None, int(whole) if whole else None
    return None, None


def _lacks(log: Log, found: Flow) -> tuple[str, ...]:
    lacks = ["A qlog of one connection tells nothing of HTTP/2, DNS and Alt-Svc."]
    if not any(one.name == "metrics_updated" for one in log.events):
        if found.round_trip_s is None:
            lacks.append("The file has no recovery metrics and no handshake, so no round trip is known.")
        else:
            lacks.append("The file has no recovery metrics; the round trip is the handshake's.")
    if found.largest is None:
        lacks.append(f"The file has no packet lengths; {_USUAL} bytes each are assumed.")
    if found.blocked is None:
        lacks.append("The file has no frames, so windows are seen by their effect alone.")
    return tuple(lacks)
