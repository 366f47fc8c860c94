"""`pronghorn load`: requests per second and latency of a server, over HTTP/1.1, 2 and 3."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO

import typer

from pronghorn.cli import load_options as options
from pronghorn.cli.load_progress import watching
from pronghorn.cli.results import refuse_unwritable, writing_results
from pronghorn.engine import EngineError
from pronghorn.errors import EXIT_CHECK_FAILED, HostError, Interrupted
from pronghorn.load import (
    cautions,
    checks,
    extents,
    fruitless,
    generator,
    prometheus,
    record,
    refusals,
    text,
    transport,
    where,
)
from pronghorn.load import table as csv_table
from pronghorn.load import targets as target_words
from pronghorn.load.bodies import Spool
from pronghorn.load.measured import Measured
from pronghorn.load.spec import LoadSpec

_INSIDE_A_PATH = "PRONGHORN_LEVEL"
"""Set for commands behind `pronghorn path`: TCP's congestion control there."""


def load(
    urls: options.Urls = None,
    input_file: options.InputFile = None,
    method: options.Method = None,
    headers: options.Headers = None,
    body: options.Body = None,
    data: options.Data = None,
    connections: options.Connections = 1,
    streams: options.Streams = 1,
    threads: options.Threads = 1,
    requests: options.Requests = None,
    duration: options.Duration = None,
    warm_up: options.WarmUp = None,
    ramp: options.Ramp = None,
    rate: options.Rate = None,
    poisson: options.Poisson = False,
    seed: options.Seed = None,
    timeout: options.Timeout = None,
    connect_timeout: options.ConnectTimeout = "10s",
    limit: options.Limit = None,
    http: options.Http = None,
    connect: options.Connect = "keep",
    no_keep_alive: options.NoKeepAlive = False,
    resume: options.Resume = False,
    early: options.Early = False,
    tls: options.Tls = None,
    ca: options.Ca = None,
    insecure: options.Insecure = False,
    certificate: options.Certificate = None,
    key: options.Key = None,
    control: options.Control = None,
    knobs: options.Knobs = None,
    address: options.Address = None,
    port: options.Port = None,
    connect_to: options.ConnectTo = None,
    unix_socket: options.UnixSocket = None,
    check_words: options.CheckWords = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    csv_file: options.CsvFile = None,
    histogram_log: options.HistogramLog = None,
    prometheus_file: options.PrometheusFile = None,
    quiet: options.Quiet = False,
) -> None:
    """Load a server and say how many requests a second it answers, and how long each takes.

    Without --rate the loop is closed: each of -c connections keeps -m requests under way. Ctrl-C ends the
    load early; what was measured by then is printed.
    """
    spool = Spool()
    listed = target_words.read(
        target_words.Wanted(
            urls=urls or (),
            input_file=input_file,
            method=method,
            headers=headers or (),
            body=body,
            data=data,
        ),
        spool,
    )
    host = listed.host
    over = transport.read(
        transport.Wanted(
            http=http,
            tls=tls,
            ca=_text_of(ca),
            insecure=insecure,
            certificate=_text_of(certificate),
            key=_text_of(key),
            resume=resume,
            early=early,
            control=control,
            knobs=knobs or (),
            hosts_control=_INSIDE_A_PATH in os.environ,
            unix_socket=unix_socket is not None,
        ),
        host.scheme,
    )
    target_words.refuse_over(listed.targets, over.protocol)
    much = extents.read(
        extents.Wanted(
            connections=connections,
            streams=streams,
            threads=threads,
            requests=requests,
            duration=duration,
            warm_up=warm_up,
            ramp=ramp,
            rate=rate,
            poisson=poisson,
            seed=seed,
            timeout=timeout,
            connect_timeout=connect_timeout,
            limit=limit,
            connect="each" if no_keep_alive else connect,
        )
    )
    refuse_unwritable(output, csv_file, histogram_log, prometheus_file)
    if csv_file is not None:
        csv_table.refuse(csv_file)
    spec = LoadSpec(
        targets=listed.targets,
        target_file=listed.file,
        listed=listed.number if listed.file else None,
        protocol=over.protocol,
        tls=over.tls,
        session=over.session,
        congestion_control=over.control,
        knobs=over.offered,
        progress_s=1.0,
        histogram_log=_text_of(histogram_log),
        **much,
    )
    wanted = [checks.parse(words, spec) for words in check_words or ()]
    place = where.Wanted(address=address, port=port, connect_to=connect_to, unix_socket=unix_socket)
    spec = spec.model_copy(update=where.read(place, host, over.protocol))
    if listed.left is not None:
        print(_left_out(*listed.left), file=sys.stderr)
    measured = _measure(spec, wanted, quiet=quiet)
    faults = list(_tell(measured, as_json, output, csv_file, prometheus_file))
    _end(measured, faults)


def _left_out(number: int, first: str) -> str:
    more = "" if number == 1 else f" and {number - 1} more"
    return f"note: {first}{more}: left out, since this is no GET, HEAD or OPTIONS that can be sent again."


def _text_of(file: Path | None) -> str | None:
    return None if file is None else str(file.absolute())


def _measure(spec: LoadSpec, wanted: Sequence[checks.Check], *, quiet: bool) -> Measured:
    url = spec.targets[0].url
    began = datetime.now().astimezone()
    try:
        with watching(spec, url, quiet=quiet) as observer:
            outcome = generator.run(spec, observer)
    except EngineError as refused:
        if refused.kind == "input":
            raise refusals.typed(refused, spec) from None
        raise
    report = outcome.report
    found = cautions.cautions(spec, report, interrupted=outcome.interrupted)
    found += cautions.hidden_stalls([check.text for check in wanted if check.hides_stalls(spec)])
    results = [checks.evaluate(check, report) for check in wanted]
    return Measured(url, began, spec, report, outcome.series, found, results, outcome.interrupted)


def _tell(
    measured: Measured, as_json: bool, output: Path | None, csv_file: Path | None, metrics: Path | None
) -> Iterable[str]:
    """Writes all that was asked for; what of it could not be written, and why."""
    if output is None:
        with writing_results():
            _write(measured, sys.stdout, as_json=as_json)
    else:
        try:
            with output.open("w", encoding="utf-8") as file:
                _write(measured, file, as_json=as_json)
        except OSError as error:
            yield f"{output}: {error.strerror}"
    if csv_file is not None:
        try:
            csv_table.add(csv_file, measured)
        except OSError as error:
            yield f"{csv_file}: {error.strerror}"
    if metrics is not None:
        try:
            prometheus.save(metrics, measured)
        except OSError as error:
            yield f"{metrics}: {error.strerror}"
    if as_json or output is not None:
        for caution in measured.cautions:
            print(f"warning ({caution.code}): {caution.text} {caution.remedy}", file=sys.stderr)


def _write(measured: Measured, file: TextIO, *, as_json: bool) -> None:
    if as_json:
        file.write(record.write(measured))
    else:
        text.render(measured, file)


def _end(measured: Measured, faults: Sequence[str]) -> None:
    """The exit status, and why on stderr."""
    broken = [result for result in measured.results if result.holds is False]
    open_ = [result for result in measured.results if result.holds is None]
    for result in broken:
        print(f"check failed: {result.check.text} ({result.found})", file=sys.stderr)
    if faults:
        raise HostError(f"{'; '.join(faults)}.", hint="Free some space, or name another file.")
    if measured.interrupted:
        raise Interrupted("interrupted; the results so far follow.")
    if not measured.report.requests.succeeded:
        raise fruitless.error(measured.report)
    if open_:
        raise fruitless.of_this_host(measured.report)
    if broken:
        raise typer.Exit(EXIT_CHECK_FAILED)
