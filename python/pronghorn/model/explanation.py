"""Which differences between arms an experiment wants explained: `[[explain]]`, a chain of arms whose steps
each change one thing."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.errors import InputError, unknown
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.source import Source
from pronghorn.model.summary import Metric

KEY = "explain"
EXAMPLE = '[[explain]] with from = "h2@bbr", through = ["h2@cubic"], to = "h3@cubic", steps = ["…", "…"]'

_KEYS = ("name", "metric", "from", "through", "to", "steps")
_END = {"from": "beginning", "to": "end"}
_METRICS: tuple[Metric, ...] = ("load", "ttfb")


class Explanation(BaseModel):
    """What makes the last arm of `chain` differ from its first, taken apart at the arms between.

    `steps` names what changes from each arm to the next, so there is one fewer of them than arms."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    metric: Metric
    chain: tuple[str, ...]
    steps: tuple[str, ...]

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to it again."""
        return {
            "name": self.name,
            "metric": self.metric,
            "from": self.chain[0],
            "through": list(self.chain[1:-1]),
            "to": self.chain[-1],
            "steps": list(self.steps),
        }


def parse(table: dict[str, Any], source: Source, arms: tuple[str, ...]) -> tuple[Explanation, ...]:
    """The explanations that the experiment in `table` asks for; InputError where one is wrong.

    `arms` are the names of the experiment's arms, which a chain may go over."""
    entries = table.get(KEY, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise source.error((KEY,), f"each explanation is a table of its own: {EXAMPLE}.")
    found: list[Explanation] = []
    for number, entry in enumerate(entries, 1):
        reader = ExperimentReader(entry, source, (KEY, str(number)))
        explanation = _explanation(reader, arms)
        if any(explanation.name == earlier.name for earlier in found):
            raise reader.error(
                "name" if "name" in reader else None,
                f"{explanation.name!r} is the name of an earlier explanation; choose another name.",
            )
        found.append(explanation)
    return tuple(found)


def _explanation(reader: ExperimentReader, arms: tuple[str, ...]) -> Explanation:
    reader.allow(*_KEYS)
    chain = _chain(reader, arms)
    steps = reader.names("steps")
    if len(steps) != len(chain) - 1:
        raise reader.error(
            "steps",
            f"{len(steps)} named, but from {' over '.join(chain[:-1])} to {chain[-1]} there are "
            f"{len(chain) - 1}: one from each arm to the next.",
        )
    if not all(step.strip() for step in steps):
        raise reader.error("steps", "a step without a name. Name what changes in it.")
    metric = reader.choice("metric", "metric", _METRICS, "load")
    return Explanation(
        name=reader.text("name", ", then ".join(steps)),
        metric=next(each for each in _METRICS if each == metric),
        chain=chain,
        steps=steps,
    )


def _chain(reader: ExperimentReader, arms: tuple[str, ...]) -> tuple[str, ...]:
    chain = (
        _arm(reader, "from", arms),
        *_between(reader, arms),
        _arm(reader, "to", arms),
    )
    for place, name in enumerate(chain):
        if name in chain[:place]:
            key = "to" if place == len(chain) - 1 else "through"
            raise reader.error(key, f"{name!r} stands twice in the chain {' → '.join(chain)}.", element=name)
    return chain


def _arm(reader: ExperimentReader, key: str, arms: tuple[str, ...]) -> str:
    if key not in reader:
        raise reader.error(None, f"key '{key}' is missing: the arm at the chain's {_END[key]}.")
    name = reader.text(key, "")
    if name not in arms:
        raise _stranger(reader, key, name, arms)
    return name


def _between(reader: ExperimentReader, arms: tuple[str, ...]) -> tuple[str, ...]:
    if "through" not in reader:
        raise reader.error(
            None,
            "key 'through' is missing: a list of arms, each of which differs in one thing from the arm "
            "before it.",
        )
    names = reader.names("through")
    for name in names:
        if name not in arms:
            raise _stranger(reader, "through", name, arms)
    return names


def _stranger(reader: ExperimentReader, key: str, name: str, arms: tuple[str, ...]) -> InputError:
    return reader.error(
        key,
        f"{unknown('arm', name, arms)} An explanation uses the experiment's own arms (--set {KEY}=[] "
        "leaves all explanations out).",
        element=name,
    )
