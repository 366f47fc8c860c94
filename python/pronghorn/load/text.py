"""A load's result for a person: how fast, how long each took, what failed, what it ran with."""

import io
from collections.abc import Iterator
from typing import TextIO

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pronghorn.foreign import line
from pronghorn.load import checks, figures, words
from pronghorn.load.measured import Measured
from pronghorn.model import percentiles
from pronghorn.model.knobs import Value
from pronghorn.model.load_report import Distribution, LoadReport
from pronghorn.terminal import Terminal

_NONE = "–"


_WIDTH_ELSEWHERE = 200
"""Columns without a terminal: hardly any line is broken there."""


def render(measured: Measured, file: TextIO) -> None:
    """Prints all of it, of a load in which nothing was sent only what became of it; cautions and checks
    stand last."""
    page = Group(*_parts(measured))
    if file.isatty():
        Terminal(file=file, highlight=False).print(page)
        return
    shown = io.StringIO()
    Terminal(file=shown, highlight=False, width=_WIDTH_ELSEWHERE).print(page)
    file.writelines(f"{line.rstrip()}\n" for line in shown.getvalue().splitlines())


def _parts(measured: Measured) -> Iterator[RenderableType]:
    spec, report = measured.spec, measured.report
    more = f" and {figures.grouped(spec.target_count - 1)} more" if spec.target_count > 1 else ""
    yield Text.assemble((measured.url, "bold"), more, f" over {words.over(spec)}{_tls(report)}")
    yield Text(words.loop(spec), style="dim")
    if report.requests.sent:
        yield Text()
        yield _indented(_rates(report))
        yield Text()
        yield _indented(_latencies(report))
        if (note := _thin(report)) is not None:
            yield _indented(Text(note, style="dim"))
    yield Text()
    yield _indented(_counts(measured))
    for failure in dict.fromkeys(f"{failure.kind}: {line(failure.detail)}" for failure in report.failures):
        yield _indented(Text(failure, style="red"))
    for caution in measured.cautions:
        yield Text(f"! {caution.text} {caution.remedy}", style="yellow")
    for result in measured.results:
        verdict = {True: "holds", False: "FAILS", None: "isn't judged"}[result.holds]
        yield Text(f"check {result.check.text}: {verdict} ({result.found})", style=_colour(result.holds))


def _colour(good: bool | None) -> str:
    return {True: "green", False: "bold red", None: "yellow"}[good]


def _tls(report: LoadReport) -> str:
    if report.tls is None or report.tls.version is None:
        return ""
    cipher = f" ({report.tls.cipher})" if report.tls.cipher else ""
    return f", {report.tls.version}{cipher}"


def _rates(report: LoadReport) -> Table:
    grid = _grid()
    succeeded = report.requests.succeeded
    shown = figures.rate(report.requests_per_second, succeeded) if report.window_s > 0 else _NONE
    grid.add_row("requests", Text(shown, style="bold"), f"in {figures.duration(report.window_s)}")
    for name, per_second, total in (
        ("payload", report.bytes_per_second.payload, report.bytes.payload),
        ("uploaded", report.bytes_per_second.uploaded, report.bytes.uploaded),
        ("received", report.bytes_per_second.wire_received, report.bytes.wire_received),
        ("sent", report.bytes_per_second.wire_sent, report.bytes.wire_sent),
    ):
        if name == "uploaded" and not total:
            continue
        on_the_wire = "" if name in ("payload", "uploaded") else " on the wire"
        grid.add_row(name, f"{figures.size(per_second)}/s", f"{figures.size(total)}{on_the_wire}")
    return grid


def _latencies(report: LoadReport) -> Table:
    """A column a phase, in one unit each."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("latency")
    columns: list[list[str]] = []
    for phase in checks.PHASES:
        found = getattr(report.latency_seconds, phase)
        if phase == "lag" and found is None:
            continue
        unit, cells = _column(found)
        grid.add_column(f"{phase.replace('_', ' ')}{unit}", justify="right")
        columns.append(cells)
    names = [*(percentiles.words(name) for name in checks.STATISTICS), "samples"]
    for name, *cells in zip(names, *columns, strict=True):
        grid.add_row(name, *cells)
    return grid


def _column(found: Distribution | None) -> tuple[str, list[str]]:
    if found is None:
        return "", [_NONE] * len(checks.STATISTICS) + ["0"]
    unit, per_second = figures.time_unit(found.max)
    values = [
        percentiles.told(found, name) if name in percentiles.PERCENTILES else float(getattr(found, name))
        for name in checks.STATISTICS
    ]
    cells = [_NONE if value is None else figures.digits(value * per_second) for value in values]
    return f", {unit}", [*cells, figures.grouped(found.count)]


def _thin(report: LoadReport) -> str | None:
    """Why dashes stand in the table."""
    total = report.latency_seconds.total
    if total is None:
        return None
    absent = [key for key in percentiles.PERCENTILES if percentiles.told(total, key) is None]
    if not absent:
        return None
    return (
        f"–: too few samples; {percentiles.words(absent[0])} needs "
        f"{figures.grouped(percentiles.samples_needed(absent[0]))}."
    )


def _counts(measured: Measured) -> Table:
    spec, report = measured.spec, measured.report
    requests, connections = report.requests, report.connections
    grid = _grid()
    parts = [f"{figures.grouped(requests.sent)} sent", f"{figures.grouped(requests.succeeded)} succeeded"]
    if requests.unsent:
        parts.append(f"{figures.grouped(requests.unsent)} never sent")
    if requests.retried:
        parts.append(f"{figures.grouped(requests.retried)} attempts repeated")
    grid.add_row("requests", ", ".join(parts))
    if requests.failures:
        share = figures.share(requests.failures, requests.sent)
        failed = f"{figures.grouped(requests.failures)} ({share}): {_kinds(requests.failed)}"
        grid.add_row("failed", Text(failed, style="bold red"))
    if set(requests.statuses) - {"200"}:
        statuses = (f"{figures.grouped(number)} × {status}" for status, number in requests.statuses.items())
        grid.add_row("statuses", ", ".join(statuses))
    parts = [f"{figures.grouped(connections.established)} of {connections.attempted} established"]
    if connections.failed:
        parts.append(f"failed: {_kinds(connections.failed)}")
    if connections.closed_by_peer:
        parts.append(f"{figures.grouped(connections.closed_by_peer)} closed by the server")
    if spec.session != "cold":
        parts.append(f"{figures.grouped(connections.resumed)} resumed")
    if spec.session == "0rtt":
        parts.append(f"early data accepted by {figures.grouped(connections.early_data_accepted)}")
    grid.add_row("connections", "; ".join(parts))
    spread = connections.requests_per_second
    if spread is not None and spec.connections > 1 and requests.sent:
        low, middle, high = (figures.digits(value) for value in (spread.min, spread.median, spread.max))
        deviation = figures.digits(spread.sd if spread.sd > 1e-6 * spread.mean else 0)
        grid.add_row("requests/s of each", f"{low} to {high}, median {middle}, sd {deviation}")
    grid.add_row("generator", _generator(measured))
    grid.add_row("ran with", _ran_with(report))
    return grid


def _generator(measured: Measured) -> str:
    report = measured.report
    cpu = report.cpu_s
    of_threads = measured.spec.threads * report.window_s
    busy = f", {100 * cpu.total / of_threads:.0f} % of its threads" if of_threads > 0 else ""
    return (
        f"CPU {figures.duration(cpu.total)} ({figures.duration(cpu.user)} user, "
        f"{figures.duration(cpu.system)} system{busy}); memory {figures.size(report.max_rss_bytes)} at most"
    )


def _ran_with(report: LoadReport) -> str:
    known = {name: value for name, value in report.settings.items() if value is not None}
    control = report.congestion_control
    if not known and control is None:
        return "no connection was established, so nothing could be read back"
    parts = [" of ".join(part for part in (control, report.stack) if part)]
    parts += [f"{name.replace('_', ' ')} {_setting(name, value)}" for name, value in known.items()]
    return ", ".join(parts)


def _setting(name: str, value: Value) -> str:
    """Numbers are bytes, but for `ack_frequency`."""
    if isinstance(value, bool) or not isinstance(value, int):
        return str(value).lower()
    return figures.grouped(value) if name == "ack_frequency" else f"{figures.grouped(value)} B"


def _kinds(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{figures.grouped(number)} {kind}" for kind, number in ordered)


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    return grid


def _indented(what: RenderableType) -> Padding:
    return Padding(what, (0, 0, 0, 2), expand=False)
