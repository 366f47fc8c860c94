"""A run's directory, opened for reading."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pronghorn.before_after import recorded
from pronghorn.before_after.recorded import RecordedRun
from pronghorn.conclude.summarised import summarise
from pronghorn.errors import InputError
from pronghorn.model.experiment import Experiment
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial
from pronghorn.runs import directory as files

if TYPE_CHECKING:
    import polars


class Run:
    """A run, finished or not. All of it is read when it is first asked for."""

    def __init__(self, path: Path) -> None:
        """`path`: its directory. Use `open_run`."""
        self.path = path

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    @cached_property
    def _recorded(self) -> RecordedRun:
        return recorded.read(self.path)

    @property
    def experiment(self) -> Experiment:
        """What was measured: sites, paths, arms, seed."""
        return self._recorded.experiment

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The conditions: host, versions, settings, warnings. Without entries that can't be used."""
        return self._recorded.manifest

    @property
    def records(self) -> list[Trial]:
        """The trials as the journal has them, with each request and connection."""
        return self._recorded.trials

    @cached_property
    def summary(self) -> Summary:
        """What the trials come to: figures, intervals and verdicts, of an unfinished run so far."""
        return summarise(self.experiment, self.records, dict(self.manifest))

    @property
    def headline(self) -> list[str]:
        """A sentence for each arm that is compared."""
        return self.summary.headline

    @property
    def trials(self) -> "polars.DataFrame":
        """A row a trial; see docs/trials.md for the columns."""
        from pronghorn.face import frames

        return frames.trials(self.records)

    @property
    def requests(self) -> "polars.DataFrame":
        """A row a request of each page load: cell, arm, block, attempt, `trial_status`, and what the client
        tells: `url_path`, `protocol`, `status`, `bytes`, and times in seconds since the load began."""
        from pronghorn.face import frames

        return frames.requests(self.records)

    @property
    def comparisons(self) -> "polars.DataFrame":
        """A row for each cell, arm, metric and statistic: value, ratio and difference to the baseline with
        their intervals, and the verdict; see docs/ci.md for the columns."""
        from pronghorn.face import frames

        return frames.comparisons(self.summary)


def open_run(directory: str | Path) -> Run:
    """The run in a directory. InputError where there is none."""
    path = Path(directory)
    if not (path / files.EXPERIMENT).is_file():
        raise InputError(f"{path}: holds no run: {files.EXPERIMENT} is missing.")
    return Run(path)
