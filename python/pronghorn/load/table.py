"""A load as one line of a CSV file (RFC 4180), below a head line: loads of many settings make one table."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pronghorn import __version__, reading
from pronghorn.errors import InputError
from pronghorn.load import checks
from pronghorn.load.measured import Measured
from pronghorn.model import percentiles

_LONGEST_HEAD = 2**16

_Cell = Callable[[Measured], object]


def refuse(file: Path) -> None:
    """InputError where `file` holds something else than such a table, to which no line can be added."""
    try:
        if not file.is_file():
            return
        with reading.opened(file) as lines:
            head = lines.readline(_LONGEST_HEAD).decode().rstrip()
    except (reading.Unreadable, OSError, UnicodeDecodeError) as error:
        raise InputError(f"--csv {file}: {getattr(error, 'strerror', None) or error}.") from None
    if head and head != ",".join(COLUMNS):
        raise InputError(
            f"--csv {file}: its first line is another version's, so no line can be appended.",
            hint="Name another file, or remove this one.",
        )


def add(file: Path, measured: Measured) -> None:
    """Adds the load's line, before it the head where the file is new; OSError where it can't be written."""
    new = not file.is_file() or file.stat().st_size == 0
    with file.open("a", encoding="utf-8", newline="") as table:
        table.write(text(measured, head=new))


def text(measured: Measured, *, head: bool) -> str:
    """The load's line, with the `head` line before it where that is asked."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    if head:
        writer.writerow(COLUMNS)
    writer.writerow([_shown(cell(measured)) for cell in COLUMNS.values()])
    return lines.getvalue()


def _shown(value: object) -> object:
    """Nothing where there is no such value."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else value


def _of_spec(key: str) -> _Cell:
    return lambda measured: getattr(measured.spec, key)


def _of_arrivals(key: str) -> _Cell:
    return lambda measured: getattr(measured.spec.arrivals, key, None)


def _of_report(key: str) -> _Cell:
    return lambda measured: getattr(measured.report, key)


def _of(part: str, key: str) -> _Cell:
    """A figure of a part of the report that may be missing."""
    return lambda measured: getattr(getattr(measured.report, part), key, None)


def _failed(kind: str) -> _Cell:
    return lambda measured: measured.report.requests.failed.get(kind, 0)


def _latency(phase: str, statistic: str) -> _Cell:
    def cell(measured: Measured) -> object:
        found = getattr(measured.report.latency_seconds, phase)
        if statistic in percentiles.PERCENTILES:
            return percentiles.told(found, statistic)
        return getattr(found, statistic, None)

    return cell


_VOLUMES = ("payload", "uploaded", "wire_received", "wire_sent")

COLUMNS: Mapping[str, _Cell] = MappingProxyType(
    {
        "began": lambda measured: measured.began.isoformat(timespec="seconds"),
        "url": lambda measured: measured.url,
        "targets": lambda measured: measured.spec.target_count,
        "protocol": _of_report("protocol"),
        "tls": _of("tls", "version"),
        "cipher": _of("tls", "cipher"),
        "congestion_control": _of_report("congestion_control"),
        **{key: _of_spec(key) for key in ("session", "connect", "connections", "streams", "threads")},
        "rate_asked_per_s": _of_arrivals("rate_per_s"),
        "distribution": _of_arrivals("distribution"),
        "window_s": _of_report("window_s"),
        "finished": lambda measured: measured.report.finished and not measured.interrupted,
        "requests_per_second": _of_report("requests_per_second"),
        **{f"{key}_bytes_per_second": _of("bytes_per_second", key) for key in _VOLUMES},
        **{
            key: _of("requests", key)
            for key in ("planned", "sent", "unsent", "retried", "succeeded", "warm_up")
        },
        "failed": lambda measured: measured.report.requests.failures,
        **{f"failed_{kind}": _failed(kind) for kind in checks.FAILURES},
        "connections_attempted": _of("connections", "attempted"),
        "connections_established": _of("connections", "established"),
        "connections_failed": lambda measured: sum(measured.report.connections.failed.values()),
        "connections_failed_local": lambda measured: measured.report.connections.refused_here,
        "connections_resumed": _of("connections", "resumed"),
        "early_data_accepted": _of("connections", "early_data_accepted"),
        "closed_by_peer": _of("connections", "closed_by_peer"),
        **{f"{key}_bytes": _of("bytes", key) for key in (*_VOLUMES, "headers")},
        **{
            f"{phase}_{statistic}{'' if statistic == 'count' else '_s'}": _latency(phase, statistic)
            for phase in checks.PHASES
            for statistic in ("count", *checks.STATISTICS)
        },
        "stood_still_s": _of_report("stood_still_s"),
        "server_drops": _of_report("server_drops"),
        "cpu_user_s": _of("cpu_s", "user"),
        "cpu_system_s": _of("cpu_s", "system"),
        "max_rss_bytes": _of_report("max_rss_bytes"),
        "stack": _of_report("stack"),
        "pronghorn": lambda _: __version__,
    }
)
"""The columns in their order. Times are seconds, sizes bytes. A change of the names is one of the format."""
