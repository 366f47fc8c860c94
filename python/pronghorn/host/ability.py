"""What this host can do for a run."""

from pronghorn.engine import Engine, Hello
from pronghorn.errors import HostError
from pronghorn.host import interrupts, loopback
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import DIRECT


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
    """The experiment as this host can run it; HostError with the mend where it can't."""
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
