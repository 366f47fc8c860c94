"""Whether a run's journal is of its experiment."""

from pronghorn.errors import InputError
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import RunHeader
from pronghorn.runs import directory as files
from pronghorn.runs import journal
from pronghorn.runs.directory import RunDirectory


def check_header(header: RunHeader | None, experiment: Experiment, directory: RunDirectory) -> None:
    """InputError where the journal's trials are of another experiment than `experiment`."""
    if header is not None and header.experiment != experiment.digest():
        raise InputError(
            f"{directory.file(journal.JOURNAL)}, line 1: these trials belong to another experiment than "
            f"{files.EXPERIMENT} describes.",
            hint="Start a new run with --out.",
        )
