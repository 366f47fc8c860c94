"""A capture of a client's packets with its secrets, read by tshark."""

import os
import shutil
import subprocess
import tempfile
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
from pronghorn.model.trial import Connection
from pronghorn.traps.facts import Facts, Visit

_FIELDS = (
    "frame.time_relative", "frame.interface_name", "ip.src", "ipv6.src", "ip.dst", "ipv6.dst",
    "udp.srcport", "udp.dstport", "udp.length", "quic.packet_number", "quic.long.packet_type",
    "quic.frame_type", "tcp.srcport", "tcp.dstport", "tcp.len", "tcp.analysis.initial_rtt",
    "tcp.analysis.out_of_order", "tcp.analysis.retransmission", "tcp.flags.syn",
    "tls.quic.parameter.initial_max_stream_data_bidi_local", "tls.quic.parameter.initial_max_data",
)  # fmt: skip
_LONG = {"0": "initial", "1": "0RTT", "2": "handshake", "3": "retry"}
_BLOCKED = {"20": "data_blocked", "21": "stream_data_blocked"}
_MOST_S = 300.0
_CLIENT = "client"
"""The interface at the client's end in our own captures, which have both ends."""

_UDP_HEADER = 8

_WINDOWS = ("initial_max_stream_data_bidi_local", "initial_max_data")
"""The client's transport parameters (RFC 9000 §18.2), in its first packet, which needs no secret."""


class _Row(NamedTuple):
    at_s: float
    source: str
    to: str
    field: dict[str, str]


def facts(file: Path, keys: Path | None) -> Facts:
    """What a capture tells of its largest QUIC connection and of its largest one over TCP; InputError where
    it can't be used, HostError without tshark."""
    udp: defaultdict[frozenset[str], list[_Row]] = defaultdict(list)
    tcp: defaultdict[frozenset[str], list[_Row]] = defaultdict(list)
    for row in _rows(file, keys):
        kind = udp if row.field["udp.length"] else tcp
        kind[frozenset((row.source, row.to))].append(row)
    lacks = ["A capture tells nothing of DNS and of requests' priorities."]
    visits = []
    quic = _largest([rows for rows in udp.values() if any(_is_quic(row) for row in rows)], "udp.length")
    if quic:
        visits.append(_over_quic(quic, lacks))
    else:
        lacks.append("The capture has no QUIC connection.")
    stream = _largest(list(tcp.values()), "tcp.len")
    if stream and (visit := _over_tcp(stream)) is not None:
        visits.append(visit)
    else:
        lacks.append("The capture has no TCP connection with content, so nothing is compared.")
    return Facts(str(file), [one for one in visits if one is not None], lacks=lacks)


def _rows(file: Path, keys: Path | None) -> Iterator[_Row]:
    for one in filter(None, (file, keys)):
        try:
            reading.opened(one).close()
        except reading.Unreadable as error:
            raise InputError(f"{one}: {error}.") from None
    found = [dict(zip(_FIELDS, text.split("\t"), strict=False)) for text in _tshark(file, keys)]
    ours = any(one.get("frame.interface_name") == _CLIENT for one in found)
    for fields in found:
        if len(fields) < len(_FIELDS) or (ours and fields["frame.interface_name"] != _CLIENT):
            continue
        source = fields["ip.src"] or fields["ipv6.src"], fields["udp.srcport"] or fields["tcp.srcport"]
        to = fields["ip.dst"] or fields["ipv6.dst"], fields["udp.dstport"] or fields["tcp.dstport"]
        if all((*source, *to)):
            yield _Row(float(fields["frame.time_relative"]), " ".join(source), " ".join(to), fields)


def _tshark(file: Path, keys: Path | None) -> list[str]:
    program = shutil.which("tshark")
    if program is None:
        raise HostError("--pcap needs tshark, which is not on PATH.", hint="As root: apt-get install tshark")
    wanted = [word for field in _FIELDS for word in ("-e", field)]
    argv = [program, "-n", "-r", str(file), "-o", f"tls.keylog_file:{keys.absolute() if keys else ''}"]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "LC_ALL": "C"}
        try:
            done = subprocess.run(
                [*argv, "-Y", "udp or tcp", "-T", "fields", *wanted],
                env=environment, capture_output=True, timeout=_MOST_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HostError(f"tshark could not read {file}: {error}.") from error
    if done.returncode != 0:
        said = line(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
        raise InputError(f"{file}: tshark can't read it: {said}")
    return done.stdout.decode(errors="replace").splitlines()


def _largest(groups: list[list[_Row]], length: str) -> list[_Row]:
    return max(groups, key=lambda rows: sum(_number(row, length) for row in rows), default=[])


def _is_quic(row: _Row) -> bool:
    return bool(row.field["quic.packet_number"] or row.field["quic.long.packet_type"])


def _over_quic(rows: list[_Row], lacks: list[str]) -> Visit | None:
    """The connection as a qlog of its client would have it."""
    client = rows[0].source
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
            header["packet_number"] = int(numbers[place])
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
    opening = next((row for row in rows if row.field["tcp.flags.syn"] in ("1", "True")), rows[0])
    client = opening.source
    down = [row for row in rows if row.source != client and _number(row, "tcp.len") > 0]
    if not down:
        return None
    disordered = sum(
        bool(row.field["tcp.analysis.out_of_order"] or row.field["tcp.analysis.retransmission"])
        for row in down
    )
    times = np.array([row.at_s - rows[0].at_s for row in down])
    page = as_page(times, sum(_number(row, "tcp.len") for row in down))
    told = next(filter(None, (row.field["tcp.analysis.initial_rtt"] for row in rows)), None)
    if told:
        page.connections.append(Connection(start_s=0.0, connected_s=float(told)))
    return Visit("h2", page, disordered=disordered)


def _number(row: _Row, field: str) -> int:
    return sum(int(one) for one in row.field[field].split(",") if one.isdecimal())
