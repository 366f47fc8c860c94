"""What connections did over time, where a run's trials left flights (docs/flight.md)."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.model.artifacts import FLIGHT
from pronghorn.model.flight import Column, ConnectionFlight
from pronghorn.model.trial import Trial
from pronghorn.runs.flight import Unreadable, flight_of

MOST = 12
"""So many trials' flights of an arm in a cell are looked at: each is up to megabytes of JSON."""


class Sender(NamedTuple):
    """The origin's end of one connection, over time: `times` are when it was looked at, in seconds on the
    flight's axis, and the columns of `samples` what it was then. A sample holds until the next one."""

    transport: str
    congestion_control: str | None
    mss: int | None
    times: Sequence[float]
    samples: Mapping[str, Column]

    def at(self, column: str, time_s: float) -> float | None:
        """A column's value at a time: that of the last sample before it in which the stack told one."""
        values = self.samples.get(column, [])
        place = min(bisect_right(self.times, time_s), len(values)) - 1
        while place >= 0 and values[place] is None:
            place -= 1
        return values[place] if place >= 0 else None

    def told(self, column: str) -> list[float]:
        """The values of a column that the stack told."""
        return [value for value in self.samples.get(column, []) if value is not None]


class Flights:
    """The flights of a run in the directory `run`; None: there are none."""

    def __init__(self, run: Path | None = None) -> None:
        self._run = run

    def senders(self, trials: Sequence[Trial], *, over_quic: bool) -> Iterator[list[Sender]]:
        """For each of the first trials that left a flight its origin's ends over that transport."""
        left = [trial for trial in trials if FLIGHT in trial.artifacts]
        for trial in left[:MOST]:
            if found := [one for one in self._of(trial) if (one.transport == "quic") == over_quic]:
                yield found

    def _of(self, trial: Trial) -> list[Sender]:
        if self._run is None:
            return []
        try:
            flight = flight_of(self._run, trial)
        except Unreadable:
            return []
        return [_sender(one) for one in flight.connections if one.host == "server"]


def _sender(connection: ConnectionFlight) -> Sender:
    return Sender(
        transport=connection.transport,
        congestion_control=connection.congestion_control,
        mss=connection.mss,
        times=connection.samples.at_s,
        samples=connection.samples.model_dump(),
    )
