"""What trials leave beside the journal where the experiment asks for it: RUN/artifacts/TRIAL/path.pcapng and
others."""

import shutil
from pathlib import Path
from typing import NamedTuple

from pronghorn.errors import HostError
from pronghorn.model.artifacts import FILES, FOLDER, OF_A_PATH, PRIVATE, trial_name
from pronghorn.model.path import DIRECT
from pronghorn.model.trial import TrialKey


class Artifacts(NamedTuple):
    """The artifacts of one trial: the run's directory, the trial's folder in it, and which are wanted."""

    run: Path
    folder: Path
    wanted: tuple[str, ...]

    @classmethod
    def of(cls, run: Path, key: TrialKey, wanted: tuple[str, ...]) -> "Artifacts":
        """Those that there can be: over loopback there is neither a path to capture nor a host of its own."""
        possible = tuple(name for name in wanted if name not in OF_A_PATH or key.cell.path != DIRECT)
        return cls(run, Path(FOLDER) / trial_name(key), possible)

    def prepare(self) -> None:
        """Makes the trial's folder, empty and nobody else's; HostError where that can't be."""
        if not self.wanted:
            return
        self.discard()
        try:
            (self.run / self.folder).parent.mkdir(parents=True, exist_ok=True)
            (self.run / self.folder).mkdir(mode=0o700)
        except OSError as error:
            raise HostError(
                f"{self.run / self.folder}: can't be made: {error.strerror}.",
                hint="Free some space, or name another directory with --out.",
            ) from error

    def discard(self) -> None:
        """Removes what a trial left that was not finished."""
        shutil.rmtree(self.run / self.folder, ignore_errors=True)

    def file(self, name: str) -> Path | None:
        """Where an artifact goes, as an absolute path (of QLOG a folder's); None where it isn't wanted."""
        return (self.run / self.folder / FILES[name]).absolute() if name in self.wanted else None

    def found(self) -> dict[str, str]:
        """The artifacts that are there, each with its path within the run's directory. Whoever may read that
        may read them from now on, but for those with secrets, which are their owner's alone."""
        paths = {name: self.folder / FILES[name] for name in self.wanted}
        found = {name: str(path) for name, path in paths.items() if (self.run / path).exists()}
        for name in found.keys() & PRIVATE:
            (self.run / paths[name]).chmod(0o600)
        if self.wanted:
            (self.run / self.folder).chmod(self.run.stat().st_mode & 0o777)
        return found
