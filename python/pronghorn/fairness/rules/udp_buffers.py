"""Datagrams that a host dropped for want of room in a socket's receive buffer (`RcvbufErrors` of
/proc/net/snmp, the sum of /proc/net/udp's drops)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pronghorn.execute.caution import Caution
from pronghorn.fairness.group import Group


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """A warning for each arm on each path."""
    dropped: dict[tuple[str, str], Counter[str]] = {}
    for group in groups:
        for trial in group.trials:
            if trial.counters is not None and trial.counters.host is not None:
                at = dropped.setdefault((group.arm.name, group.cell.path), Counter())
                at.update(trial.counters.host.udp_receive_buffer_drops)
    for (arm, path), counted in sorted(dropped.items()):
        if counted.total():
            sides = ", ".join(f"{side} {number}" for side, number in sorted(counted.items()) if number)
            yield Caution(
                "udp-receive-buffer",
                f"{arm} on {path}: the hosts dropped {counted.total()} datagrams for want of a receive "
                f"buffer ({sides}), beyond what the path lost. Their sender takes them for the path's "
                "losses, and slows down.",
                "Run fewer trials side by side (--jobs). Our own sockets ask for 1 MiB where the knob "
                "udp_receive_buffer doesn't say otherwise; the manifest has what they got; for other "
                "programs: sysctl -w net.core.rmem_max=7500000 net.core.rmem_default=7500000",
            )
