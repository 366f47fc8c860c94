"""What a finished run leaves in its directory beside its journal."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn import fairness, manifest
from pronghorn.cautions.of_run import cautions, label
from pronghorn.conclude.summarised import summarise
from pronghorn.engine import Hello
from pronghorn.host.temporary_folders import no_room
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial
from pronghorn.report import html
from pronghorn.runs import directory as files
from pronghorn.runs import journal, parquet
from pronghorn.runs.directory import RunDirectory


class Outcome(NamedTuple):
    """What a finished run leaves: its summary, its warnings and its report; when it was `started` (UTC in ISO
    8601), and its trials."""

    summary: Summary
    cautions: list[Caution]
    report: Path
    started: str
    trials: list[Trial]


def conclude(
    experiment: Experiment,
    hello: Hello,
    directory: RunDirectory,
    notes: dict[str, Any],
    trials: list[Trial],
    work: Path,
) -> Outcome:
    """Writes what the `trials` come to, and the manifest with what is known at the end; a HostError where
    there is no room for it."""
    notes |= manifest.closing(experiment, trials, ended=now())
    unfair = fairness.examine(experiment, trials, notes, directory.path)
    notes["fairness"] = unfair.to_manifest()
    found = cautions(experiment, hello, trials, notes, unfair.cautions, directory.path)
    notes["warnings"] = [caution._asdict() for caution in found]
    notes["label"] = label(experiment, hello)
    summary = summarise(experiment, trials, notes)
    files.write_manifest(directory, notes)
    journal.replace(directory.file(files.PARQUET), parquet.encode(trials))
    journal.replace(directory.file(files.SUMMARY), (summary.model_dump_json(indent=2) + "\n").encode())
    draft = work / files.REPORT
    try:
        html.write(summary, trials, notes, draft, directory.path)
    except OSError as error:
        raise no_room(draft, error) from error
    report = directory.file(files.REPORT)
    journal.replace(report, draft.read_bytes())
    return Outcome(summary, found, report, notes["started"], trials)


def now() -> str:
    """UTC in ISO 8601, to a second."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
