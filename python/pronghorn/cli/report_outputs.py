"""What `pronghorn report` writes besides summary.json and report.html, where it is asked to."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.cli.results import refuse_unwritable
from pronghorn.errors import HostError, InputError
from pronghorn.model.summary import Summary
from pronghorn.runs import directory as files
from pronghorn.runs import journal, left_out
from pronghorn.runs.directory import RunDirectory
from pronghorn.runs.skim import Skimmed, Unusable

STDOUT = Path("-")


class Outputs(NamedTuple):
    """The files that are wanted, None where they aren't: `markdown` (`-` is stdout), `notebook`, and the
    folder of `charts`."""

    markdown: Path | None = None
    notebook: Path | None = None
    charts: Path | None = None

    @property
    def takes_stdout(self) -> bool:
        """Whether stdout is the Markdown's."""
        return self.markdown == STDOUT

    def check(self, *, as_json: bool) -> None:
        """InputError for what can't be written, HostError for what this host lacks, before anything is
        done."""
        if self.takes_stdout and as_json:
            raise InputError("--json and --markdown - both use stdout. Name a file for one of them.")
        refuse_unwritable(None if self.takes_stdout else self.markdown, self.notebook)
        if self.charts is not None:
            _refuse_folder(self.charts)
        if self.notebook is not None:
            from pronghorn.report import notebook

            notebook.require()

    def write(
        self, summary: Summary, skimmed: Skimmed, manifest: Mapping[str, Any], run: RunDirectory
    ) -> list[Path]:
        """Writes the files, those that stand already anew; which they are. The run's summary.json is written
        before. HostError where one can't be."""
        written: list[Path] = []
        if self.charts is not None:
            from pronghorn.report import pictures

            with _told(self.charts):
                drawn = pictures.pictures(summary, skimmed.trials, run.path, skimmed.whole)
                pictures.write(drawn, self.charts)
            written.append(self.charts)
        if self.notebook is not None:
            from pronghorn.report import notebook

            _keep_table(run)
            folder = self.notebook.absolute().parent
            written.append(_replaced(self.notebook, notebook.executed(summary, run.path, folder)))
        if self.markdown is not None:
            from pronghorn.report.markdown import markdown

            text = markdown(summary, manifest)
            if self.takes_stdout:
                sys.stdout.write(text)
            else:
                written.insert(0, _replaced(self.markdown, text))
        return written


def _keep_table(run: RunDirectory) -> None:
    """The table of trials, which a run that wasn't finished hasn't, or not with all of them."""
    from pronghorn.runs import parquet

    table, record = run.file(files.PARQUET), run.file(journal.JOURNAL)
    if not table.exists() or table.stat().st_mtime_ns < record.stat().st_mtime_ns:
        contents = journal.read(run.path)
        if contents.warnings:
            left_out.say(contents.warnings)
            raise Unusable(str(record))
        journal.replace(table, parquet.encode(contents.trials))


def _replaced(file: Path, text: str) -> Path:
    """Writes a file so that there is the old one or the new one, whole."""
    draft = file.with_name(f"{file.name}.draft")
    with _told(file):
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    return file


@contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise HostError(
            f"{file}: can't be written: {error.strerror}.", hint="Free some space, or name another place."
        ) from error


def _refuse_folder(folder: Path) -> None:
    standing = folder.absolute()
    while not standing.exists():
        standing = standing.parent
    if not standing.is_dir() or not os.access(standing, os.W_OK):
        raise InputError(f"{folder}: this is not a writable folder.")
