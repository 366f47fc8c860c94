"""A run as a person names it: the directory, or what else it may have been meant for."""

from pathlib import Path

from pronghorn.errors import InputError, nearest
from pronghorn.model import recorded_site
from pronghorn.runs import catalogue

_RUNS = Path("runs")


def check(run: Path) -> None:
    """InputError where it is no directory of a run, with what to type."""
    if not run.exists():
        known = {each.name: each.path for each in catalogue.found(_RUNS)}
        meant = nearest(run.name, known)
        hint = (
            f"Did you mean {known[meant]}?" if meant else f"The last one: {_last(_RUNS)}" if known else None
        )
        raise InputError(f"{run}: no such run.", hint=hint)
    if not run.is_dir():
        of = run.absolute().parent
        hint = f"Name the run: {run.parent}" if catalogue.kind_of(of) else None
        raise InputError(f"{run}: this is a file, not a run's directory.", hint=hint)
    if (run / catalogue.MAP).exists() or (run / "experiment.toml").exists():
        return
    if last := _last(run):
        raise InputError(
            f"{run}: this folder holds runs but is not one.", hint=f"Name one of them, such as {last}."
        )
    if recorded_site.is_archive(run):
        raise InputError(
            f"{run}: this folder holds a recorded site, not a run.",
            hint=f"Measure it first: pronghorn run --set sites={run}",
        )
    if (run / "index.html").is_file():
        raise InputError(
            f"{run}: this folder holds a page, not a run.",
            hint=f"Measure it first: pronghorn run --set sites=dir:{run}",
        )
    raise InputError(f"{run}: this is no run: experiment.toml is missing.")


def _last(folder: Path) -> Path | None:
    found = catalogue.found(folder)
    return found[0].path if found else None
