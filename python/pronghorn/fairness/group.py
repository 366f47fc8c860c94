"""One arm in one cell: its trials, and what is known of it besides."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pronghorn.fairness.flights import Flights
from pronghorn.fairness.line import Line, line_of
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import OUR_ORIGIN
from pronghorn.model.path import PathProfile
from pronghorn.model.trial import Cell, Connection, OriginConnection, Trial


@dataclass(frozen=True)
class Group:
    """`trials` are those of which a load is recorded, whatever became of it: what they ran with holds all the
    same. `notes` is the run's manifest as far as it is known."""

    experiment: Experiment
    cell: Cell
    arm: Arm
    trials: tuple[Trial, ...]
    notes: Mapping[str, Any]
    flights: Flights = field(default_factory=Flights)

    @property
    def path(self) -> PathProfile:
        """The cell's path."""
        return self.experiment.path(self.cell.path)

    @cached_property
    def line(self) -> Line | None:
        """What the path holds; None where that varies or isn't emulated."""
        return line_of(self.path)

    @property
    def loads(self) -> list[Trial]:
        """The trials whose load succeeded and may be trusted."""
        return [trial for trial in self.trials if trial.status == "ok"]

    @property
    def declared(self) -> Mapping[str, Any]:
        """What is known of the origin's sending side without being read back, by the manifest's names."""
        told = self.notes.get("arms", {}).get(self.arm.name, {}).get("origins", {}).get(self.cell.origin, {})
        return told if isinstance(told, Mapping) else {}

    @property
    def host(self) -> Mapping[str, Any]:
        """The manifest's host."""
        return self.notes.get("host") or {}

    @property
    def sysctls(self) -> Mapping[str, Any]:
        """The manifest's settings of this machine, from which a guest has none."""
        return {} if self.experiment.is_virtual(self.cell.kernel) else self.notes.get("sysctls", {})

    @property
    def own_origin(self) -> bool:
        """Whether the origin is the built-in one."""
        return self.cell.origin == OUR_ORIGIN

    @property
    def by_host(self) -> bool:
        """Whether the origin's TCP runs what this machine gives it: a foreign server's over loopback."""
        foreign = not self.own_origin and not self.experiment.live
        return foreign and not self.arm.over_quic and self.path.spec is None

    def opened(self) -> list[Connection]:
        """The client's connections over the arm's own transport."""
        return [
            one
            for trial in self.trials
            for one in (trial.page.connections if trial.page else [])
            if (one.protocol == "h3") == self.arm.over_quic
        ]

    def served(self) -> list[OriginConnection]:
        """The origin's ends over the arm's own transport; a foreign server's, whose protocol the kernel does
        not know, are TCP's."""
        return [
            one
            for trial in self.trials
            for one in trial.origin_connections
            if (one.protocol == "h3") == self.arm.over_quic
        ]

    def of_tcp(self, side: str, key: str) -> list[Any]:
        """A setting of a host's TCP as read back, of every trial that has it; none for an arm over QUIC."""
        if self.arm.over_quic:
            return []
        told = [
            trial.counters.host.tcp.get(side)
            for trial in self.trials
            if trial.counters and trial.counters.host and trial.counters.host.tcp
        ]
        return [table[key] for table in told if table and table.get(key) is not None]
