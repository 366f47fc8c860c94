"""What happens to a server in a load: `[[events]]` of an experiment."""

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from pronghorn.model import units
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.load import LoadSettings, time
from pronghorn.model.source import Source

KEY = "events"
EXAMPLE = '[[events]] with at = "2s", do = "reload"'

Action = Literal["reload", "restart", "kill-worker"]
RELOAD: Action = "reload"
RESTART: Action = "restart"
KILL_WORKER: Action = "kill-worker"
ACTIONS: tuple[Action, ...] = (RELOAD, RESTART, KILL_WORKER)

LEAVES_S = 1.0
"""How long before the load's end the last event may begin, in seconds: what it costs has to be seen."""

_KEYS = ("at", "do", "every")
_LEAST_EVERY_S = 1.0
_MOST = 1000


class ServerEvent(BaseModel):
    """An event `at` a time after the window's beginning, and again `every` so often; None: once. Times are as
    written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    at: str
    do: Action
    every: str | None = None

    @property
    def at_s(self) -> float:
        """When it is first due, in seconds."""
        return units.time_ns(self.at) / 1e9

    @property
    def every_s(self) -> float | None:
        """After how long it is due again, in seconds; None: never."""
        return None if self.every is None else units.time_ns(self.every) / 1e9

    def times_s(self, duration_s: float) -> list[float]:
        """When it is due in a load that lasts so long, in seconds."""
        last_s, every_s = duration_s - LEAVES_S, self.every_s
        if every_s is None:
            return [self.at_s] if self.at_s <= last_s else []
        return [self.at_s + n * every_s for n in range(int((last_s - self.at_s) / every_s + 1e-9) + 1)]

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to it again."""
        return self.model_dump(exclude_none=True)


class Due(NamedTuple):
    """An event that is due so many seconds after the window's beginning."""

    at_s: float
    do: Action


def schedule(events: tuple[ServerEvent, ...], load: LoadSettings) -> list[Due]:
    """All events in a load, earliest first."""
    found = [Due(at_s, one.do) for one in events for at_s in one.times_s(load.duration_s or 0.0)]
    return sorted(found, key=lambda due: due.at_s)


def parse(
    table: dict[str, Any], source: Source, clients: tuple[str, ...], load: LoadSettings | None
) -> tuple[ServerEvent, ...]:
    """The events in an experiment's `table`; InputError where one is wrong, or the load isn't one in which
    it can be seen what they cost."""
    entries = table.get(KEY, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise source.error((KEY,), f"each event is a table of its own: {EXAMPLE}.")
    if not entries:
        return ()
    if load is None or len(clients) > 1:
        raise source.error((KEY,), 'events count the requests of a load. Write clients = ["load"].')
    if load.rate is None or load.duration_s is None:
        raise source.error(
            (KEY,),
            "a load that waits for answers sends nothing while a server is away, so its losses say little. "
            "Write 'rate' and 'duration' in [load].",
        )
    if isinstance(load.warm_up, int):
        raise source.error((KEY,), "'at' counts from the warm-up's end. Write 'warm_up' in [load] as a time.")
    found = tuple(
        _event(ExperimentReader(entry, source, (KEY, str(number))), load.duration_s)
        for number, entry in enumerate(entries, 1)
    )
    if len(due := schedule(found, load)) > _MOST:
        raise source.error((KEY,), f"{len(due)} events in a load; at most {_MOST} are allowed.")
    return found


def _event(reader: ExperimentReader, duration_s: float) -> ServerEvent:
    reader.allow(*_KEYS)
    for key in ("at", "do"):
        if key not in reader:
            raise reader.error(None, f"key '{key}' is missing; write {EXAMPLE}.")
    word = reader.choice("do", "event", ACTIONS, RELOAD)
    event = ServerEvent(
        at=time(reader, "at") or "",
        do=next(action for action in ACTIONS if action == word),
        every=time(reader, "every"),
    )
    if event.at_s > duration_s - LEAVES_S:
        raise reader.error(
            "at",
            f"the load lasts {duration_s:g} s, and an event begins at least {LEAVES_S:g} s before its end. "
            f"Write at most {max(0.0, duration_s - LEAVES_S):g}s, or a longer 'duration'.",
        )
    if event.every_s is not None and event.every_s < _LEAST_EVERY_S:
        raise reader.error("every", f"{event.every} is too short; write at least {_LEAST_EVERY_S:g}s.")
    return event
