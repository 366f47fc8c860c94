"""What this host can do for a run."""

from collections.abc import Iterable
from pathlib import Path

from pronghorn.engine import HERE, Engines, Hello
from pronghorn.errors import HostError, InputError
from pronghorn.host import interrupts, loopback
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import DIRECT


def greet(engines: Engines = HERE) -> Hello:
    """What the engine says of this host; HostError where there is no engine."""

    async def hello() -> Hello:
        engine = await engines.start(0)
        try:
            return await engine.hello()
        finally:
            await engine.stop()

    return interrupts.run(hello())


def greet_all(engines: Iterable[Engines]) -> Hello:
    """As `greet`, of all of a run's engines: what the first say, with what all of them can."""
    first, *others = [greet(each) for each in engines]
    controls = [
        name for name in first.congestion_controls if all(name in one.congestion_controls for one in others)
    ]
    return first.model_copy(update={"congestion_controls": controls})


def fit(experiment: Experiment, hello: Hello, *, fall_back: bool) -> Experiment:
    """The experiment as this host can run it; HostError with the mend where it can't, InputError where a
    folder of its programs is not there."""
    _require_folders(experiment)
    if hello.isolation == "none" and any(path.name != DIRECT for path in experiment.paths):
        if not fall_back:
            asked = ", ".join(path.name for path in experiment.paths if path.name != DIRECT)
            raise HostError(
                "this host can't emulate a network "
                f"({hello.isolation_reason or 'namespaces are denied'}), but these paths need it: "
                f"{asked}.",
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


def _require_folders(experiment: Experiment) -> None:
    """InputError where programs of one's own would be started in a folder that isn't there: a run may go on
    on another machine than it began on."""
    for kind, stacks in (("origins", experiment.own_origins), ("clients", experiment.own_clients)):
        for name, stack in stacks.items():
            if not Path(stack.directory).is_dir():
                raise InputError(
                    f"key '{kind}.{name}.directory': {stack.directory} is no folder.",
                    hint="The run can be reported as it is. To continue it, restore the folder.",
                )
