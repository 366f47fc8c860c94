"""Datagrams that a host dropped for want of room in a socket's receive buffer (`RcvbufErrors` of
/proc/net/snmp, the sum of /proc/net/udp's drops)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pronghorn.analysis.numbers import count
from pronghorn.execute.caution import Caution
from pronghorn.fairness.group import Group


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """A warning for each arm on each path. Contaminated trials don't count: they were measured anew."""
    dropped: dict[tuple[str, str], Counter[str]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    dropping: Counter[tuple[str, str]] = Counter()
    for group in groups:
        for trial in group.trials:
            if trial.status != "contaminated" and trial.counters and trial.counters.host:
                where = group.arm.name, group.cell.path
                drops = trial.counters.host.udp_receive_buffer_drops
                dropped.setdefault(where, Counter()).update(drops)
                seen[where] += 1
                dropping[where] += any(drops.values())
    for (arm, path), counted in sorted(dropped.items()):
        if counted.total():
            sides = ", ".join(f"{side} {number}" for side, number in sorted(counted.items()) if number)
            yield Caution(
                "udp-receive-buffer",
                f"{arm} on {path}: the hosts dropped {counted.total()} datagrams for want of a receive "
                f"buffer ({sides}; in {dropping[arm, path]} of {count(seen[arm, path], 'trial')}), beyond "
                "what the path lost. Their sender takes them for the path's losses, and slows down.",
                "Run fewer trials side by side (--jobs), or raise the buffer: udp_receive_buffer under "
                "[knobs] for the native client and the builtin origin, which ask for 1 MiB else; for other "
                "programs sysctl -w net.core.rmem_max=7500000 net.core.rmem_default=7500000",
            )
