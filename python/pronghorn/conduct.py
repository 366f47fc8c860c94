"""One execution of an experiment, from its directory to its report."""

import datetime
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pronghorn import __version__, certificates, fairness, guest, manifest, plan
from pronghorn.cautions.of_run import cautions, label
from pronghorn.certificates import Certificates, Settled
from pronghorn.conclude.finished import Outcome, conclude, now
from pronghorn.costs import cell_cost, cost
from pronghorn.engine import Engines, Hello
from pronghorn.errors import InputError
from pronghorn.execute import preflight, same_knobs
from pronghorn.execute.calibrate import calibrate
from pronghorn.execute.observer import Observer, Outlook
from pronghorn.execute.slots import Slots
from pronghorn.execute.stage import Site
from pronghorn.execute.trial import Conditions
from pronghorn.fairness import first_flight
from pronghorn.host import interrupts
from pronghorn.host.temporary_folders import memory_folder, no_room, work_folder
from pronghorn.model import belonging, toml_text
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import RunHeader, Trial
from pronghorn.runs import directory as files
from pronghorn.runs import journal
from pronghorn.runs.directory import RunDirectory
from pronghorn.runs.header import check_header
from pronghorn.runs.journal import Journal
from pronghorn.runs.noted import PREFLIGHT
from pronghorn.sites import build


def execute(
    experiment: Experiment,
    hello: Hello,
    directory: RunDirectory,
    observer: Observer,
    *,
    jobs: int | None,
    command_line: Iterable[str],
) -> Outcome:
    """Runs what `directory` has not yet recorded of `experiment`, and writes the run's files.

    Interrupted, a HostError or a full disk leave a directory from which the run can be resumed; so does
    NothingMeasured, where an arm fails before the first trial.
    """
    engines = guest.engines(experiment)
    recorded = _recorded(experiment, directory, observer)
    jobs = jobs or experiment.jobs or (cost.cores() if experiment.virtual else cost.default_jobs())
    earlier = _earlier_manifest(directory, observer)
    finished = earlier.get("ended") is not None
    notes = _opening(experiment, hello, directory, list(command_line), jobs, earlier, engines)
    if not finished and GUEST in earlier and earlier[GUEST] != _noted(engines):
        observer.warns(
            f"{directory.path}: this run began with another guest kernel, so trials may differ. "
            f"manifest.json has both kernels, under '{GUEST}' and 'resumed'."
        )
    if not finished:
        notes["calibration"] = [*notes.get("calibration", []), *calibrate(experiment, engines)]
        files.write_manifest(directory, notes)
    with work_folder() as work, memory_folder() as memory:
        sites = _build_sites(experiment, work)
        identity = _identity(experiment, work, engines, sites)
        sites = _with_leaves(sites, identity)
        if not experiment.live:
            notes["certificate"] = first_flight.describe(
                experiment.certificate.key, certificates.sizes(identity)
            )
        if (starts_at := _starts_at(engines)) is not None:
            _settle_times(work, starts_at)
        if not experiment.live:
            notes["sites"] = {name: dict(site.notes) for name, site in sites.items()}
            files.write_manifest(directory, notes)
        trials = _measure(
            experiment, directory, observer, jobs, recorded, work, memory, identity, sites, notes, engines
        )
        return conclude(experiment, hello, directory, notes, trials, work)


def _recorded(experiment: Experiment, directory: RunDirectory, observer: Observer) -> list[Trial]:
    contents = journal.read(directory.path, belonging.of(experiment))
    for warning in contents.warnings:
        observer.warns(warning)
    check_header(contents.header, experiment, directory)
    same_knobs.check(contents.trials, experiment, directory.file(journal.JOURNAL))
    if contents.header is None and contents.trials:
        journal.restore_header(directory.path, _header(experiment, {}))
    return contents.trials


def _opening(
    experiment: Experiment,
    hello: Hello,
    directory: RunDirectory,
    command_line: list[str],
    jobs: int,
    earlier: dict[str, Any],
    engines: Mapping[str, Engines],
) -> dict[str, Any]:
    text = toml_text.dumps(experiment.resolved())
    _keep_texts(experiment, directory)
    journal.replace(directory.file(files.EXPERIMENT), text.encode())
    notes = manifest.opening(experiment, hello, command_line=command_line, jobs=jobs, started=now())
    if noted := _noted(engines):
        notes[GUEST] = noted
    notes["label"] = label(experiment, hello)
    unfair = fairness.examine(experiment, [], notes)
    notes["fairness"] = unfair.to_manifest()
    found = cautions(experiment, hello, [], notes, unfair.cautions)
    notes["warnings"] = [caution._asdict() for caution in found]
    if "started" in earlier:
        notes = _resumed(earlier, notes)
    notes["calibration"] = earlier.get("calibration", [])
    if PREFLIGHT in earlier:
        notes[PREFLIGHT] = earlier[PREFLIGHT]
    files.write_manifest(directory, notes)
    return notes


def _keep_texts(experiment: Experiment, directory: RunDirectory) -> None:
    """Writes the files that the experiment and its paths name to where the resolved experiment names
    them."""
    for texts in (experiment.texts, *(path.texts for path in experiment.paths)):
        for name, text in texts.items():
            file = directory.file(name)
            try:
                file.parent.mkdir(exist_ok=True)
                journal.replace(file, text.encode())
            except OSError as error:
                raise no_room(file, error) from error


GUEST = "guest"
"""What a manifest says about the kernel of a run's guests; with several, by the kernel of their cells."""


def _noted(engines: Mapping[str, Engines]) -> dict[str, Any]:
    noted = {kernel: dict(of_kernel.noted()) for kernel, of_kernel in engines.items() if of_kernel.virtual}
    return noted.get("", noted)


def _starts_at(engines: Mapping[str, Engines]) -> datetime.datetime | None:
    """When the clock of a run's guests starts; None where it has none."""
    return next((one.starts_at for one in engines.values() if one.starts_at is not None), None)


_SESSION = (
    "started",
    "commit",
    "host",
    "sysctls",
    "isolation",
    "engine",
    "libraries",
    "origins",
    "clients",
    "jobs",
    "command_line",
    GUEST,
)
"""The parts of a manifest that may change from one session of a run to the next."""


def _resumed(earlier: dict[str, Any], notes: dict[str, Any]) -> dict[str, Any]:
    """The manifest of a run that goes on: as its first session began, with the later ones under `resumed`."""
    session = {key: notes[key] for key in _SESSION if key in notes}
    first = {key: earlier[key] for key in _SESSION if key in earlier}
    return notes | first | {"resumed": [*earlier.get("resumed", []), session]}


def _measure(
    experiment: Experiment,
    directory: RunDirectory,
    observer: Observer,
    jobs: int,
    recorded: list[Trial],
    work: Path,
    memory: Path | None,
    identity: Certificates,
    sites: dict[str, Site],
    notes: dict[str, Any],
    engines: Mapping[str, Engines],
) -> list[Trial]:
    header = _header(experiment, sites)
    _check_sites(header, directory)
    expected = {
        cell: cell_cost.trial_s(experiment, cell, sites[cell.site].total_bytes) for cell in experiment.cells()
    }
    beside = {
        cell: cell_cost.beside(experiment, cell, sites[cell.site].total_bytes, jobs) for cell in expected
    }
    blocks = plan.make(experiment, expected)
    with Journal(directory.path, header) as record:
        observer.begins(Outlook(experiment, recorded, jobs, expected, beside))
        conditions = Conditions(
            experiment, sites, identity, work, directory.path, memory=memory, engines=engines
        )
        if checked := preflight.check(conditions, recorded):
            notes[PREFLIGHT] = [one.noted() for one in checked]
            files.write_manifest(directory, notes)
            if experiment.preflight != "warn":
                preflight.refuse(checked)
        slots = Slots(conditions, jobs, record, observer)
        return interrupts.run(slots.run(blocks, recorded))


def _identity(
    experiment: Experiment, work: Path, engines: Mapping[str, Engines], sites: Mapping[str, Site]
) -> Certificates:
    settled = None
    if (starts_at := _starts_at(engines)) is not None:
        settled = Settled(starts_at, plan.derive(experiment.seed, "certificates"))
    try:
        names = [face.names for site in sites.values() for face in site.faces]
        six = any(path.spec is not None and path.spec.ip == 6 for path in experiment.paths)
        return certificates.make(work, experiment.certificate, settled=settled, names=names, ipv6=six)
    except OSError as error:
        raise no_room(work, error) from error


def _with_leaves(sites: Mapping[str, Site], identity: Certificates) -> dict[str, Site]:
    """The sites with the certificates of their recorded hosts, made in the same order."""
    leaves = iter(identity.leaves)
    return {
        name: site._replace(leaves=tuple(next(leaves) for _ in site.faces)) for name, site in sites.items()
    }


def _build_sites(experiment: Experiment, work: Path) -> dict[str, Site]:
    sites = {}
    for number, name in enumerate(experiment.sites):
        folder = work / f"site-{number}"
        try:
            folder.mkdir()
            if experiment.live:
                sites[name] = Site(folder, "/", 0)
                continue
            built = build(
                name,
                plan.derive(experiment.seed, "site", name),
                folder,
                compressed=experiment.compression == "static",
                hosts=experiment.hosts,
            )
        except ValueError as error:
            raise InputError(f"site '{name}': {error}") from error
        except OSError as error:
            raise no_room(folder, error) from error
        sites[name] = Site(built.root, built.document, built.total_bytes, built.to_manifest(), built.replay)
    return sites


def _settle_times(folder: Path, at: datetime.datetime) -> None:
    """Makes all files in `folder` a day older than `at`: servers tell their age in headers, and in tags."""
    seconds = (at - datetime.timedelta(days=1)).timestamp()
    for path in folder.rglob("*"):
        os.utime(path, (seconds, seconds), follow_symlinks=False)


def _check_sites(header: RunHeader, directory: RunDirectory) -> None:
    """InputError where a site's content is not that of the trials in the journal."""
    earlier = journal.read(directory.path).header
    if earlier is None:
        return
    for name, digest in header.sites.items():
        if earlier.sites.get(name, digest) != digest:
            raise InputError(
                f"{directory.path}: the content of site '{name}' has changed since this run began.",
                hint="Restore it, or start a new run with --out.",
            )


def _digest(root: Path) -> str:
    """The SHA-256 of a site: every file's path and content."""
    digest = hashlib.sha256()
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _header(experiment: Experiment, sites: Mapping[str, Site]) -> RunHeader:
    return RunHeader(
        program=__version__,
        seed=experiment.seed,
        experiment=experiment.digest(),
        sites={name: _digest(site.root) for name, site in sites.items()},
    )


def _earlier_manifest(directory: RunDirectory, observer: Observer) -> dict[str, Any]:
    """What the manifest of the run's earlier sessions notes. One of which something can't be used is kept
    beside the new one."""
    file, aside = directory.file(files.MANIFEST), directory.file(files.CORRUPT_MANIFEST)
    if not file.exists():
        return {}
    earlier = files.read_manifest(directory.path)
    for warning in earlier.warnings:
        observer.warns(f"{warning} The whole file is kept as {aside.name}.")
    if earlier.warnings:
        try:
            file.replace(aside)
        except OSError as error:
            raise journal.refused(aside, error, f"pronghorn run --resume {directory.path}") from error
    return earlier.notes
