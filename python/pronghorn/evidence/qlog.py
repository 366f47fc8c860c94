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
_MOST_BYTES = 256 * 2**20
_MOST_S = 86_400.0
"""A day: what is further from the first event is no time of a page load."""

_LONGEST = 65_535
"""Bytes of a UDP datagram."""

_MOST_NUMBER = 2**62
_FULL = 600
"""Bytes: a packet of content is longer, one of acknowledgements alone is not."""

_FLIGHT_S = 0.005
"""Packets that left within so much left together; a first packet is sent again after 0.2 s or more."""

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
    """A connection's events in order of time. `base_monotonic_s` is where their times count from, where the
    file tells. `cut`: its last record is incomplete, as of a program that was killed, and left out."""

    events: tuple[Event, ...]
    by_server: bool
    base_monotonic_s: float | None
    cut: bool = False


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
    said = reading.asked(file, _MOST_BYTES, "a qlog")
    try:
        head, trace, events, cut = _parts(said)
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
    in_order = sorted(_events(events, form), key=lambda one: one.at_s)
    return Log(tuple(in_order), by_server, base, cut)


def flow(log: Log, since_s: float = 0.0, content: int | None = None) -> Flow:
    """What a log tells of the data from the server, on an axis on which its own zero is `since_s`. `content`
    is how many bytes all of it had, where that is known and packets have no lengths."""
    carried = [
        one for one in log.events if one.name == ("packet_sent" if log.by_server else "packet_received")
    ]
    data = [one for one in carried if _kind(one) == "1RTT"]
    if log.by_server:
        dead = {_number(one) for one in _declared(log)}
        data = [one for one in data if _number(one) is None or _number(one) not in dead]
    sizes = [_length(one) for one in data]
    if any(size is None for size in sizes):
        each = content / len(data) if content and data else _USUAL
        kept = [(one.at_s, float(each)) for one in data]
    else:
        kept = [(one.at_s, size) for one, size in zip(data, sizes, strict=True) if size and size >= _FULL]
    long = [one for one in carried if _kind(one) in _LONG]
    shake = Handshake(
        np.array([one.at_s + since_s for one in long if _kind(one) != "retry"]),
        _handshake_s(log),
        _retry(log),
        _lengths(one for one in long if _kind(one) != "retry"),
        _answer_s(log),
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


def _parts(said: str) -> tuple[dict[str, Any], dict[str, Any], list[Any], bool]:
    """The head of a file, its first trace's, the events, and whether the last one is cut off."""
    if not said.startswith("\x1e"):
        try:
            whole = foreign.json_table(said, most_bytes=_MOST_BYTES, most_items=_MOST_EVENTS)
        except foreign.Malformed:
            pass
        else:
            trace = table(next(iter(items(whole.get("traces"))), None))
            return whole, trace, items(trace.get("events")), False
    records = said.split("\x1e") if said.startswith("\x1e") else said.splitlines()
    (head, *events), cut = _records([one for one in records if one.strip()] or [said])
    return table(head), table(head, "trace"), events, cut


def _records(texts: list[str]) -> tuple[list[Any], bool]:
    """What each text holds, at least one; without the last where that is incomplete."""
    if len(texts) > _MOST_EVENTS:
        raise foreign.Malformed(f"it has more than {_MOST_EVENTS} records")
    found = []
    for place, one in enumerate(texts):
        try:
            found.append(foreign.json(one))
        except foreign.Malformed:
            if found and place == len(texts) - 1:
                return found, True
            raise
    return found, False


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
        at_s = (now - base) / 1e3
        if not abs(at_s) <= _MOST_S:
            continue
        yield Event(at_s, name.removeprefix("recovery_"), table(table(one).get("data")))


def _kind(one: Event) -> str:
    """A packet's type, which drafts spell differently."""
    told = text(table(one.data, "header").get("packet_type") or one.data.get("packet_type"))
    return {"1rtt": "1RTT", "0rtt": "0RTT", "onertt": "1RTT"}.get(told.lower(), told)


def _round_trip_s(log: Log) -> float | None:
    """The least that the log's end told last; where it tells none, from the first packet of the server back
    to the client's last before it, as the first may have been lost."""
    told = [
        at for one in log.events if one.name == "metrics_updated"
        if (at := number(one.data.get("min_rtt"))) is not None and 0 < at <= _MOST_S
    ]  # fmt: skip
    if told:
        return told[-1] / 1e3
    if log.by_server:
        return None
    heard = next((one.at_s for one in log.events if one.name == "packet_received"), None)
    if heard is None:
        return None
    sent = [one.at_s for one in log.events if one.name == "packet_sent" and one.at_s < heard]
    # Datagrams of one flight leave within a moment: its first counts.
    flight = [at_s for at_s in sent if sent[-1] - at_s < _FLIGHT_S]
    return heard - flight[0] if flight else None


def _retry(log: Log) -> bool | None:
    """Whether a Retry came; None without one, as some stacks don't tell."""
    return (
        True if any(one.name == "packet_received" and _kind(one) == "retry" for one in log.events) else None
    )


def _answer_s(log: Log) -> float | None:
    sent = next((one.at_s for one in log.events if one.name == "packet_sent"), None)
    heard = next(
        (one.at_s for one in log.events if one.name == "packet_received" and _kind(one) == "initial"), None
    )
    return heard - sent if sent is not None and heard is not None and heard > sent else None


def _length(one: Event) -> float | None:
    found = number(table(one.data, "raw").get("length"))
    return found if found is not None and 0 < found <= _LONGEST else None


def _lengths(packets: Iterable[Event]) -> tuple[float, ...] | None:
    """How many bytes each has; None where one doesn't tell."""
    found = tuple(map(_length, packets))
    return tuple(one for one in found if one is not None) if found and None not in found else None


def _handshake_s(log: Log) -> float | None:
    """From the client's first packet to its first with data that no early data is."""
    sent = [one for one in log.events if one.name == "packet_sent"]
    ready = next((one.at_s for one in sent if _kind(one) == "1RTT"), None)
    return ready - sent[0].at_s if ready is not None else None


def _losses(log: Log, data: list[Event]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The lengths of the runs of packet numbers that never came, or that the sender declared lost, and when
    the one after each came."""
    if log.by_server:
        data = _declared(log)
    first = {found: one.at_s for one in reversed(data) if (found := _number(one)) is not None}
    numbers = np.array(sorted(first), dtype=np.int64)
    gaps = np.diff(numbers) - 1
    if not log.by_server:
        after = np.flatnonzero(gaps > 0)
        return tuple(gaps[after].tolist()), tuple(first[one] for one in numbers[after + 1].tolist())
    runs = [one for one in np.split(numbers, np.flatnonzero(gaps > 0) + 1) if len(one)]
    return tuple(len(one) for one in runs), tuple(first[int(one[0])] for one in runs)


def _declared(log: Log) -> list[Event]:
    """What the sender took for lost."""
    return [one for one in log.events if one.name == "packet_lost" and _kind(one) in ("1RTT", "")]


def _number(one: Event) -> int | None:
    found = number(table(one.data, "header").get("packet_number"))
    return int(found) if found is not None and 0 <= found < _MOST_NUMBER else None


def _windows(log: Log) -> tuple[int | None, int | None]:
    """What the client allowed at first, of a stream that it opened and of the connection."""
    mine = "remote" if log.by_server else "local"
    for one in log.events:
        if one.name == "parameters_set" and text(one.data.get("owner") or one.data.get("initiator")) == mine:
            stream = number(one.data.get("initial_max_stream_data_bidi_local"))
            whole = number(one.data.get("initial_max_data"))
            return _window(stream), _window(whole)
    return None, None


def _window(told: float | None) -> int | None:
    return int(told) if told is not None and 0 < told < _MOST_NUMBER else None


def _lacks(log: Log, found: Flow) -> tuple[str, ...]:
    lacks = ["A qlog of one connection tells nothing of HTTP/2, DNS and Alt-Svc."]
    if not any(one.name == "metrics_updated" for one in log.events):
        if found.round_trip_s is None:
            lacks.append("The file has no recovery metrics and no handshake, so no round trip is known.")
        else:
            lacks.append("The file has no recovery metrics; the round trip is the handshake's.")
    if log.cut:
        lacks.append("The file's last record is incomplete, and left out.")
    if found.largest is None:
        lacks.append(f"The file has no packet lengths; {_USUAL} bytes each are assumed.")
    if found.blocked is None:
        lacks.append("The file has no frames, so windows are seen by their effect alone.")
    return tuple(lacks)
