"""Datagrams that a host dropped for want of room in a socket's receive buffer (`RcvbufErrors` of
/proc/net/snmp, the sum of /proc/net/udp's drops)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pronghorn.analysis.numbers import count
from pronghorn.fairness.group import Group
from pronghorn.model.caution import Caution


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """A warning for each arm that tells of all its paths. Contaminated trials don't count: they were measured
    anew."""
    arms: dict[str, dict[str, _Drops]] = {}
    for group in groups:
        for trial in group.trials:
            if trial.status != "contaminated" and trial.counters and trial.counters.host:
                drops = arms.setdefault(group.arm.name, {}).setdefault(group.cell.path, _Drops())
                drops.add(trial.counters.host.udp_receive_buffer_drops)
    for arm, paths in sorted(arms.items()):
        told = [f"on {path} {drops}" for path, drops in sorted(paths.items()) if drops.counted.total()]
        if told:
            yield Caution(
                "udp-receive-buffer",
                f"{arm}: the hosts dropped datagrams because a receive buffer was full: "
                f"{', '.join(told)}. These drops come on top of the path's losses. The sender takes them "
                "for losses and slows down.",
                "Run fewer trials side by side (--jobs), or raise the buffer. Native client and builtin "
                "origin (default 1 MiB): udp_receive_buffer under [knobs]. Other programs: sysctl -w "
                "net.core.rmem_max=7500000 net.core.rmem_default=7500000",
            )


@dataclass
class _Drops:
    """What was dropped on a path, by the side of the host, and in how many trials of how many."""

    counted: Counter[str] = field(default_factory=Counter)
    trials: int = 0
    dropping: int = 0

    def add(self, drops: Mapping[str, int]) -> None:
        """Those of another trial."""
        self.counted.update(drops)
        self.trials += 1
        self.dropping += any(drops.values())

    def __str__(self) -> str:
        sides = ", ".join(f"{side} {number}" for side, number in sorted(self.counted.items()) if number)
        return f"{self.counted.total()} ({sides}; in {self.dropping} of {count(self.trials, 'trial')})"
