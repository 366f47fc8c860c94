"""Asking the engine, before a run, whether its paths can be, and what they are on the whole."""

from pronghorn.engine import Engine, EngineError, record
from pronghorn.errors import InputError
from pronghorn.host import interrupts
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import PathFigures, PathProfile


def describe(experiment: Experiment) -> Experiment:
    """The experiment with the figures of each emulated path; InputError for the first path that can't be."""
    if all(path.spec is None for path in experiment.paths):
        return experiment

    async def ask() -> tuple[PathProfile, ...]:
        engine = await Engine.start()
        try:
            return tuple([await described(engine, path) for path in experiment.paths])
        finally:
            await engine.stop()

    return experiment.model_copy(update={"paths": interrupts.run(ask())})


async def described(engine: Engine, path: PathProfile) -> PathProfile:
    """The path with its figures; InputError where it can't be."""
    if path.spec is None:
        return path
    try:
        answer = await engine.request("describe_path", path=path.spec.to_engine())
    except EngineError as error:
        if error.kind != "input":
            raise
        raise refusal(error, path) from error
    return path.model_copy(update={"figures": record(PathFigures, answer)})


def refusal(error: EngineError, path: PathProfile) -> InputError:
    """The engine's refusal of `path` as a person meets it: a text's file and line, else where the path is
    defined."""
    keys = (error.key or "").split(".")
    key = ".".join(keys[:4] if keys[0] == "handover" else keys[:2])
    file = next((name for at, name in path.files.items() if at == key or at.startswith(f"{key}.")), None)
    if file is not None:
        line = f", line {error.line}" if error.line else ""
        return InputError(f"{file}{line}: {error.message.rstrip('.')} (key '{key}' of path '{path.name}').")
    place = path.name if path.place in ("", path.name) else f"{path.place}: path '{path.name}'"
    return InputError(f"{place}: {error.message.rstrip('.')}.")
