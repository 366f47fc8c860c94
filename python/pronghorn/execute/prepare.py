"""From a command line to a run that may start: the experiment resolved, the host asked, the directory
claimed."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.clients import CLIENTS
from pronghorn.engine import Engine, Hello
from pronghorn.errors import HostError, InputError
from pronghorn.execute import interrupts, loopback
from pronghorn.execute.directory import EXPERIMENT, RunDirectory, default_name
from pronghorn.model import experiment_file
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL
from pronghorn.model.experiment import Experiment, Vocabulary
from pronghorn.model.path import DIRECT
from pronghorn.origins import CONFIGURABLE, ORIGINS
from pronghorn.sites import known


class Request(NamedTuple):
    """What `pronghorn run` was asked: None where an option was not given."""

    experiment: str | None = None
    out: Path | None = None
    resume: Path | None = None
    jobs: int | None = None
    seed: int | None = None
    overrides: Sequence[str] = ()
    command_line: Sequence[str] = ()


def vocabulary() -> Vocabulary:
    """The names that experiments may use in this installation."""
    sites = tuple(name for name in known() if not name.startswith("dir:"))
    return Vocabulary(
        sites, tuple(ORIGINS), tuple(CLIENTS), experiment_file.shipped_paths(), tuple(CONFIGURABLE)
    )


def resolve(request: Request) -> Experiment:
    """The experiment that was asked for; InputError where the request or the experiment is wrong."""
    if request.jobs is not None and request.jobs < 1:
        raise InputError(f"--jobs {request.jobs}: at least 1 trial runs at a time.")
    if request.resume is None:
        return _read(request, request.experiment, None)
    if request.out is not None:
        raise InputError("--out and --resume exclude each other: a resumed run stays in its directory.")
    stored_file = request.resume / EXPERIMENT
    if not stored_file.is_file():
        if request.experiment is None:
            raise InputError(
                f"{request.resume}: holds no run to resume: {EXPERIMENT} is missing.",
                hint=_of_a_map(request.resume),
            )
        return _read(request, request.experiment, None)
    stored = experiment_file.read(str(stored_file), vocabulary(), overrides=[], seed=None, recorded=True)
    again = _read(
        request,
        request.experiment or str(stored_file),
        stored.seed,
        recorded=request.experiment is None,
    )
    if request.experiment is not None and again.digest() != stored.digest():
        again = _as_fallen_back(again, stored).worded_as(stored)
    if again.digest() != stored.digest():
        raise InputError(
            f"{request.resume}: holds another experiment (or seed) than the one asked for.",
            hint="Resume without naming an experiment, --seed or --set; or start a new run with --out.",
        )
    return again


def may_fall_back(request: Request) -> bool:
    """Whether the run may go over loopback on a host without namespaces: only where nobody asked for a path
    by name, or for knobs, of which a path's hosts honour some."""
    asked = any(
        override.partition("=")[0].strip().split(".")[0] in ("paths", "path", "knobs")
        for override in request.overrides
    )
    return request.experiment is None and request.resume is None and not asked


def greet() -> Hello:
    """What the engine says of this host; HostError where there is no engine."""

    async def hello() -> Hello:
        engine = await Engine.start()
        try:
            return await engine.hello()
        finally:
            await engine.stop()

    return interrupts.run(hello())


def fit(experiment: Experiment, hello: Hello, *, fall_back: bool) -> Experiment:
    """The experiment as this host can run it; HostError with the mend where it can't, InputError where a
    folder of its programs is not there."""
    _require_folders(experiment)
    if hello.isolation == "none" and any(path.name != DIRECT for path in experiment.paths):
        if not fall_back:
            asked = ", ".join(path.name for path in experiment.paths if path.name != DIRECT)
            raise HostError(
                f"this host can't emulate a network ({hello.isolation_reason or 'namespaces are denied'}), "
                f"which the paths asked for need: {asked}.",
                hint=f"{(hello.mend or 'look at pronghorn doctor').rstrip('.')}. "
                f"Until then only '{DIRECT}' works.",
            )
        experiment = experiment.on_direct()
    available = hello.congestion_controls
    needed = {arm.congestion_control for arm in experiment.arms if not arm.over_quic} | {
        DEFAULT_CONGESTION_CONTROL
    }
    for control in sorted(needed):
        if available and control not in available:
            raise HostError(
                f"this kernel offers no TCP congestion control '{control}' (it has {', '.join(available)}).",
                hint=f"modprobe tcp_{control}",
            )
    loopback.check(experiment)
    return loopback.fit(experiment) if hello.isolation == "none" else experiment


def claim(request: Request, experiment: Experiment) -> RunDirectory:
    """The run's directory, locked; InputError where it can't be had."""
    if request.resume is not None:
        return RunDirectory(request.resume, resume=True)
    return RunDirectory(request.out or default_name(experiment.name), resume=False)


def _read(
    request: Request, argument: str | None, stored_seed: int | None, *, recorded: bool = False
) -> Experiment:
    return experiment_file.read(
        argument,
        vocabulary(),
        overrides=list(request.overrides),
        seed=request.seed,
        stored_seed=stored_seed,
        recorded=recorded,
    )


def _require_folders(experiment: Experiment) -> None:
    """InputError where programs of one's own would be started in a folder that isn't there: a run may go on
    on another machine than it began on."""
    for kind, stacks in (("origins", experiment.own_origins), ("clients", experiment.own_clients)):
        for name, stack in stacks.items():
            if not Path(stack.directory).is_dir():
                raise InputError(
                    f"key '{kind}.{name}.directory': {stack.directory} is no folder.",
                    hint="The run can be reported as it is; to go on, have the folder there again.",
                )


def _of_a_map(directory: Path) -> str | None:
    """Where to go on in a map's directory, whose batches are the runs."""
    if not (directory / "map.toml").is_file():
        return None
    return f"It holds a map: pronghorn map --resume {directory}; the runs are in {directory / 'batches'}."


def _as_fallen_back(again: Experiment, stored: Experiment) -> Experiment:
    return again.on_direct() if [path.name for path in stored.paths] == [DIRECT] else again
