"""A capture of a client's packets with its secrets, read by tshark."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pronghorn import reading
from pronghorn.errors import HostError, InputError
from pronghorn.evidence import qlog
from pronghorn.evidence.qlog import as_page
from pronghorn.foreign import line
from pronghorn.importing.har.values import number
from pronghorn.model.trial import Connection
from pronghorn.traps.facts import Facts, Visit

_FIELDS = (
    "frame.time_relative", "frame.interface_name", "ip.src", "ipv6.src", "ip.dst", "ipv6.dst",
    "udp.srcport", "udp.dstport", "udp.length", "quic.packet_number", "quic.long.packet_type",
    "quic.frame_type", "tcp.srcport", "tcp.dstport", "tcp.len", "tcp.analysis.initial_rtt",
    "tcp.analysis.out_of_order", "tcp.analysis.retransmission", "tcp.flags.syn", "tcp.flags.ack",
    "tls.quic.parameter.initial_max_stream_data_bidi_local", "tls.quic.parameter.initial_max_data",
)  # fmt: skip
_LONG = {"0": "initial", "1": "0RTT", "2": "handshake", "3": "retry"}
_BLOCKED = {"20": "data_blocked", "21": "stream_data_blocked"}
_MOST_S = 300.0
_MOST_BYTES, _MOST_PACKETS = 256 * 2**20, 500_000
_CUT = "Cut it to one load: editcap -r IN OUT 1-500000"
_ALIKE = 1.5
"""By how much the content of both connections may differ where it is to be the same page."""

_WELL_KNOWN = 1024
_AT_SERVER = (5.0, 0.005)
"""The client's next packet comes so many times later after the server's first than that one after the
client's first, and so many seconds: then the round trip lies between them, and it is the server's capture."""

_CLIENT = "client"
"""The interface at the client's end in our own captures, which have both ends."""

_UDP_HEADER = 8
_TRUE = ("1", "True")
_LONGEST_S = 86_400.0

_WINDOWS = ("initial_max_stream_data_bidi_local", "initial_max_data")
"""The client's transport parameters (RFC 9000 §18.2), in its first packet, which needs no secret."""


class _Fields(dict[str, str]):
    """What tshark told of a packet: without the empty ones, of which most are."""

    def __missing__(self, name: str) -> str:
        return ""


class _Row(NamedTuple):
    at_s: float
    source: str
    to: str
    field: _Fields


def facts(file: Path, keys: Path | None) -> Facts:
    """What a capture tells of its largest QUIC connection, and of one over TCP that brought as much from the
    same address; InputError where it can't be used, HostError without tshark."""
    udp: defaultdict[frozenset[str], list[_Row]] = defaultdict(list)
    tcp: defaultdict[frozenset[str], list[_Row]] = defaultdict(list)
    for row in _rows(file, keys):
        kind = udp if row.field["udp.length"] else tcp
        kind[frozenset((row.source, row.to))].append(row)
    lacks = ["A capture tells nothing of DNS and of requests' priorities."]
    visits = []
    quic = _largest([rows for rows in udp.values() if any(_is_quic(row) for row in rows)], "udp.length")
    over_quic = _over_quic(file, quic, lacks) if quic else None
    if over_quic is None:
        lacks.append("The capture has no QUIC connection with content.")
    else:
        visits.append(over_quic)
        server = _server(quic).partition(" ")[0]
        beside = [rows for rows in tcp.values() if _server(rows).partition(" ")[0] == server]
        content = over_quic.page.resources[0].bytes
        alike = [one for one in map(_over_tcp, beside) if one is not None and _is_alike(one, content)]
        if alike:
            visits.append(max(alike, key=lambda one: one.page.resources[0].bytes))
        else:
            lacks.append(
                "The capture has no TCP connection to the same address with as much content, so nothing is "
                "compared."
            )
    return Facts(str(file), [one for one in visits if one is not None], lacks=lacks)


def _rows(file: Path, keys: Path | None) -> Iterator[_Row]:
    for one in filter(None, (file, keys)):
        try:
            with reading.opened(one) as opened:
                length = os.fstat(opened.fileno()).st_size
        except reading.Unreadable as error:
            raise InputError(f"{one}: {error}.") from None
        if length > _MOST_BYTES:
            raise InputError(f"{one}: {length} bytes are too many; {_MOST_BYTES} are allowed.", hint=_CUT)
    found = []
    for text in _tshark(file, keys):
        told = text.split("\t")
        if len(told) == len(_FIELDS):
            found.append(_Fields((name, one) for name, one in zip(_FIELDS, told, strict=True) if one))
        if len(found) > _MOST_PACKETS:
            raise InputError(f"{file}: it has more than {_MOST_PACKETS} packets.", hint=_CUT)
    ours = any(one["frame.interface_name"] == _CLIENT for one in found)
    begin_s: float | None = None
    for fields in found:
        if ours and fields["frame.interface_name"] != _CLIENT:
            continue
        source = fields["ip.src"] or fields["ipv6.src"], fields["udp.srcport"] or fields["tcp.srcport"]
        to = fields["ip.dst"] or fields["ipv6.dst"], fields["udp.dstport"] or fields["tcp.dstport"]
        at_s = number(fields["frame.time_relative"])
        if not all((*source, *to)) or at_s is None:
            continue
        begin_s = at_s if begin_s is None else begin_s
        if abs(at_s - begin_s) > _LONGEST_S:
            raise InputError(f"{file}: its packets' times are more than a day apart.", hint=_CUT)
        yield _Row(at_s, " ".join(source), " ".join(to), fields)


def _tshark(file: Path, keys: Path | None) -> Iterator[str]:
    """tshark's lines, one a packet. It is ended where it takes too long, or nobody reads on."""
    program = shutil.which("tshark")
    if program is None:
        raise HostError("--pcap needs tshark, which is not on PATH.", hint="As root: apt-get install tshark")
    wanted = [word for field in _FIELDS for word in ("-e", field)]
    argv = [program, "-n", "-r", str(file), "-o", f"tls.keylog_file:{keys.absolute() if keys else ''}"]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "LC_ALL": "C"}
        said = Path(home) / "said"
        with said.open("wb") as errors, contextlib.ExitStack() as stack:
            try:
                running = subprocess.Popen(
                    [*argv, "-Y", "udp or tcp", "-T", "fields", *wanted],
                    env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                    text=True, errors="replace",
                )  # fmt: skip
            except OSError as error:
                raise HostError(f"tshark can't be started: {error.strerror}.") from error
            stack.enter_context(running)
            stack.callback(running.kill)
            late = threading.Timer(_MOST_S, running.kill)
            stack.callback(late.cancel)
            late.start()
            if running.stdout is None:
                raise ValueError("no pipe")
            for text in running.stdout:
                yield text.rstrip("\n")
            status = running.wait()
            if status < 0:
                raise HostError(f"tshark did not read {file} within {_MOST_S:.0f} s.", hint=_CUT)
        told = line(said.read_text(errors="replace").strip().rpartition("\n")[2])
    if status != 0:
        raise InputError(f"{file}: tshark can't read it: {told}")


def _largest(groups: list[list[_Row]], length: str) -> list[_Row]:
    return max(groups, key=lambda rows: sum(_number(row, length) for row in rows), default=[])


def _is_quic(row: _Row) -> bool:
    return bool(row.field["quic.packet_number"] or row.field["quic.long.packet_type"])


def _server(rows: list[_Row]) -> str:
    """Which end is the server: that with a well-known port, the one to which the opening packet goes, or the
    one with the lower port."""
    ends = sorted({rows[0].source, rows[0].to}, key=_port)
    if _port(ends[0]) < _WELL_KNOWN <= _port(ends[-1]):
        return ends[0]
    opening = next((row for row in rows if _is_opening(row)), None)
    return opening.to if opening is not None else ends[0]


def _port(end: str) -> int:
    port = end.rpartition(" ")[2]
    return int(port) if port.isdecimal() else 0


def _is_opening(row: _Row) -> bool:
    if row.field["tcp.flags.syn"] in _TRUE:
        return row.field["tcp.flags.ack"] not in _TRUE
    return row.field["quic.long.packet_type"].split(",")[0] == "0"


def _is_at_server(rows: list[_Row], client: str) -> bool:
    """Whether the round trip lies behind the server's first packet, not before it."""
    own = [row.at_s for row in rows if row.source == client]
    heard_s = next((row.at_s for row in rows if row.source != client), None)
    if not own or heard_s is None or own[0] >= heard_s:
        return False
    after_s = next((at_s for at_s in own if at_s > heard_s), heard_s) - heard_s
    before_s = heard_s - max(at_s for at_s in own if at_s < heard_s)
    return after_s > max(_AT_SERVER[0] * before_s, _AT_SERVER[1])


def _is_alike(one: Visit, content: int) -> bool:
    own = one.page.resources[0].bytes
    return max(own, content) <= _ALIKE * min(own, content)


def _over_quic(file: Path, rows: list[_Row], lacks: list[str]) -> Visit | None:
    """The connection as a qlog of its client would have it; InputError for one of its server."""
    server = _server(rows)
    client = next(
        one for one in (rows[0].source, rows[0].to) if one != server or rows[0].source == rows[0].to
    )
    if rows[0].field["frame.interface_name"] != _CLIENT and _is_at_server(rows, client):
        raise InputError(
            f"{file}: it was captured at the server, where the client's times can't be seen.",
            hint="Capture at the client, such as: tcpdump -w client.pcap udp port 443 or tcp port 443",
        )
    events = tuple(event for row in rows for event in _events(row, client))
    base_s = rows[0].at_s
    events = tuple(one._replace(at_s=one.at_s - base_s) for one in events)
    short = [one for one in events if one.name == "packet_received" and _kind(one) == "1RTT"]
    if not any("packet_number" in one.data["header"] for one in short):
        lacks.append("QUIC's packets can't be decrypted, so losses are not known: give --keys FILE.")
    found = qlog.flow(qlog.Log(events, by_server=False, base_monotonic_s=None))
    if not any("packet_number" in one.data["header"] for one in short):
        found = found._replace(lost_runs=None)
    stream, whole = (_told(rows, client, f"tls.quic.parameter.{one}") for one in _WINDOWS)
    found = found._replace(windows=(stream, whole))
    if not len(found.arrived_s):
        return None
    return Visit("h3", as_page(found.arrived_s, int(found.sizes.sum())), found)


def _events(row: _Row, client: str) -> Iterator[qlog.Event]:
    name = "packet_sent" if row.source == client else "packet_received"
    length = _number(row, "udp.length") - _UDP_HEADER
    numbers = [one for one in row.field["quic.packet_number"].split(",") if one]
    longs = [one for one in row.field["quic.long.packet_type"].split(",") if one]
    frames = [
        {"frame_type": _BLOCKED[one]} for one in row.field["quic.frame_type"].split(",") if one in _BLOCKED
    ]
    kinds = [_LONG.get(one, "unknown") for one in longs]
    if not kinds or len(numbers) > len(kinds):
        kinds.append("1RTT")
    for place, kind in enumerate(kinds):
        header: dict[str, object] = {"packet_type": kind}
        if place < len(numbers):
            header["packet_number"] = numbers[place]
        data: dict[str, object] = {"header": header, "raw": {"length": length / len(kinds)}}
        if kind == "1RTT":
            data["frames"] = frames
        yield qlog.Event(row.at_s, name, data)


def _told(rows: list[_Row], client: str, field: str) -> int | None:
    """The first figure that the client told."""
    told = (one for row in rows if row.source == client for one in row.field[field].split(","))
    return next((int(one) for one in told if one.isdecimal()), None)


def _kind(event: qlog.Event) -> str:
    return str(event.data["header"]["packet_type"])


def _over_tcp(rows: list[_Row]) -> Visit | None:
    server = _server(rows)
    down = [row for row in rows if row.source == server and _number(row, "tcp.len") > 0]
    if not down:
        return None
    resent = sum(
        bool(row.field["tcp.analysis.out_of_order"] or row.field["tcp.analysis.retransmission"])
        for row in down
    )
    times = np.array([row.at_s - rows[0].at_s for row in down])
    page = as_page(times, sum(_number(row, "tcp.len") for row in down))
    told = next(filter(None, (row.field["tcp.analysis.initial_rtt"] for row in rows)), None)
    trip_s = number(told.split(",")[0]) if told else None
    if trip_s is not None and 0 < trip_s <= _LONGEST_S:
        page.connections.append(Connection(start_s=0.0, connected_s=trip_s))
    return Visit("h2", page, resent=resent)


def _number(row: _Row, field: str) -> int:
    return sum(int(one) for one in row.field[field].split(",") if one.isdecimal())
