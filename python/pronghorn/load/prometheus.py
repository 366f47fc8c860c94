"""A load in Prometheus's text exposition format 0.0.4, as node_exporter's textfile collector reads it."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pronghorn.load.measured import Measured
from pronghorn.model import percentiles

_PREFIX = "pronghorn_load_"

Labels = Mapping[str, str]


def save(file: Path, measured: Measured) -> None:
    """Replaces `file` at one stroke, so that no collector reads half of it; OSError where it can't be
    written. What is no regular file is written to."""
    if file.exists() and not file.is_file():
        file.write_text(write(measured), encoding="utf-8")
        return
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_text(write(measured), encoding="utf-8")
        beside.replace(file)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def write(measured: Measured) -> str:
    """The metrics as text."""
    return "".join(f"{line}\n" for line in _lines(measured))


def _lines(measured: Measured) -> Iterator[str]:
    report = measured.report
    common = {"url": measured.url, "protocol": report.protocol}

    def metric(name: str, kind: str, told: str, samples: list[tuple[Labels, float]]) -> Iterator[str]:
        yield f"# HELP {_PREFIX}{name} {told}"
        yield f"# TYPE {_PREFIX}{name} {kind}"
        for labels, value in samples:
            yield f"{_PREFIX}{name}{_labels({**common, **labels})} {value!r}"

    def one(name: str, kind: str, told: str, value: float) -> Iterator[str]:
        yield from metric(name, kind, told, [({}, value)])

    yield from one(
        "began_timestamp_seconds", "gauge", "When the load began, in Unix time.", measured.began.timestamp()
    )
    yield from one("window_seconds", "gauge", "The time that was measured.", report.window_s)
    finished = float(report.finished and not measured.interrupted)
    yield from one("finished", "gauge", "1 unless the load was cut or interrupted.", finished)
    yield from one(
        "requests_per_second",
        "gauge",
        "Requests that succeeded in the window, by its length.",
        report.requests_per_second,
    )
    requests = report.requests
    outcomes = {"succeeded": requests.succeeded, **requests.failed}
    yield from metric(
        "requests_total",
        "counter",
        "Requests sent, by how they ended.",
        [({"outcome": outcome}, number) for outcome, number in outcomes.items()],
    )
    yield from one("requests_unsent_total", "counter", "Requests never sent.", requests.unsent)
    yield from one("requests_retried_total", "counter", "Attempts made again.", requests.retried)
    yield from metric(
        "responses_total",
        "counter",
        "Responses, by status.",
        [({"status": status}, number) for status, number in requests.statuses.items()],
    )
    made = {"established": report.connections.established, **report.connections.failed}
    yield from metric(
        "connections_total",
        "counter",
        "Connections, by how their handshake ended.",
        [({"outcome": outcome}, number) for outcome, number in made.items()],
    )
    volume = report.bytes
    yield from one("payload_bytes_total", "counter", "Bytes of responses' bodies.", volume.payload)
    yield from one(
        "uploaded_bytes_total", "counter", "Bytes of the bodies of requests that succeeded.", volume.uploaded
    )
    yield from metric(
        "wire_bytes_total",
        "counter",
        "Bytes of IP packets, by direction.",
        [({"direction": "received"}, volume.wire_received), ({"direction": "sent"}, volume.wire_sent)],
    )
    yield from _latencies(measured, common)
    yield from metric(
        "cpu_seconds_total",
        "counter",
        "CPU time of the load generator's threads.",
        [({"mode": "user"}, report.cpu_s.user), ({"mode": "system"}, report.cpu_s.system)],
    )
    yield from one(
        "max_resident_bytes", "gauge", "The most memory of the load generator.", report.max_rss_bytes
    )


def _latencies(measured: Measured, common: Labels) -> Iterator[str]:
    name = f"{_PREFIX}latency_seconds"
    yield f"# HELP {name} Times of connections and requests, by phase."
    yield f"# TYPE {name} summary"
    for phase in ("connect", "first_byte", "total", "lag"):
        found = getattr(measured.report.latency_seconds, phase)
        if found is None:
            continue
        labels = {**common, "phase": phase}
        for key, quantile in percentiles.PERCENTILES.items():
            value = percentiles.told(found, key)
            if value is not None:
                yield f"{name}{_labels({**labels, 'quantile': str(quantile)})} {value!r}"
        yield f"{name}_sum{_labels(labels)} {found.mean * found.count!r}"
        yield f"{name}_count{_labels(labels)} {found.count}"


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
