"""Files that a person asks for beside the results: exports and JUnit XML. They are refused before a
measurement where they can't be written, and written whole or not at all."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn import __version__, export
from pronghorn.checks import cases
from pronghorn.checks.cases import Case
from pronghorn.checks.result import Result
from pronghorn.cli.results import refuse_unwritable
from pronghorn.errors import HostError, InputError, unknown
from pronghorn.model.summary import Summary

EXPORT_HELP = (
    "Write the figures as a table: csv, json or parquet, one row per cell, arm, metric and statistic. "
    "The file is export.FORMAT in the run's directory, or FILE with FORMAT=FILE. Repeatable."
)
JUNIT_HELP = "Write checks and verdicts as JUnit XML, for a pipeline to show."


class Export(NamedTuple):
    """An export: in which format, and into which file, None: the run's own."""

    form: str
    file: Path | None


class Outputs(NamedTuple):
    """What is to be written; `junit` is None where it wasn't asked for."""

    exports: tuple[Export, ...] = ()
    junit: Path | None = None


def asked(exports: Iterable[str] | None, junit: Path | None = None) -> Outputs:
    """What the options `--export` and `--junit` say; InputError where a format isn't known or a file can't be
    written."""
    wanted = tuple(dict.fromkeys(_export(text) for text in exports or ()))
    refuse_unwritable(junit, *(one.file for one in wanted))
    return Outputs(wanted, junit)


def write(
    outputs: Outputs, run: Path, summary: Summary, results: Sequence[Result], started: str | None
) -> None:
    """Writes what was asked of the run in the directory `run`; HostError where a file can't be written."""
    if outputs.exports:
        table = export.table(summary)
        for form, file in outputs.exports:
            write_whole(file or run / f"export.{form}", export.encode(table, form))
    told = {"seed": str(summary.seed), "baseline": summary.baseline}
    if summary.label is not None:
        told["label"] = summary.label
    write_junit(outputs.junit, summary.name, results, cases.of_run(summary), started=started, properties=told)


def write_junit(
    file: Path | None,
    name: str,
    results: Sequence[Result],
    verdicts: Sequence[Case],
    *,
    started: str | None,
    properties: Mapping[str, str],
) -> None:
    """Writes checks and verdicts as JUnit XML where a `file` for it was named; HostError where it can't be
    written. `started` is UTC in ISO 8601, `properties` what else to tell."""
    if file is None:
        return
    from pronghorn.checks import junit

    groups = {cases.CHECKS: cases.of_checks(results), cases.VERDICTS: verdicts}
    told = {"program": f"pronghorn {__version__}", **properties}
    write_whole(file, junit.document(name, groups, started=started, properties=told))


def write_whole(file: Path, content: bytes) -> None:
    """Writes a file so that a reader finds the old one or the new one, never a part; into what is no file,
    such as a pipe, as it comes. HostError where it can't be written."""
    target = Path(os.path.realpath(file))
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        draft.write_bytes(content)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise HostError(
            f"{file}: can't be written: {error.strerror}.",
            hint="The run itself is recorded. Free some space, then: pronghorn report RUN, with the same "
            "options.",
        ) from error


def _export(text: str) -> Export:
    form, equals, file = text.partition("=")
    if form not in export.FORMATS:
        raise InputError(f"--export {text!r}: " + unknown("format", form, export.FORMATS))
    if equals and not file:
        raise InputError(f"--export {text!r}: names no file; write {form}=FILE, or {form} alone.")
    return Export(form, Path(file) if file else None)
