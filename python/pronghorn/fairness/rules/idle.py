"""Kept connections whose window falls back while nothing is sent, beside others whose window stays.

Linux's TCP begins anew with the initial window once it was idle for a retransmission time-out (RFC 2861,
net.ipv4.tcp_slow_start_after_idle); quinn's controllers keep theirs. It only matters where loads follow one
another over the same connections."""

from collections.abc import Iterator, Sequence

from pronghorn.fairness import readings
from pronghorn.fairness.group import Group
from pronghorn.fairness.remedies import by_knob
from pronghorn.fairness.values import plain
from pronghorn.model.caution import Caution


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """One warning for each origin, where clients are kept."""
    by_origin: dict[str, dict[str, bool]] = {}
    for group in groups:
        if group.experiment.kept:
            for value in readings.after_idle(group):
                arms = by_origin.setdefault(group.cell.origin, {})
                arms[group.arm.name] = arms.get(group.arm.name, False) or plain(value) is True
    for origin, falls in by_origin.items():
        falling = [arm for arm, does in falls.items() if does]
        staying = [arm for arm, does in falls.items() if not does]
        if falling and staying:
            yield Caution(
                "idle-restart",
                f"Connections on {origin} are kept between loads. In the pauses the windows of "
                f"{', '.join(falling)} fall back to the initial one "
                f"(net.ipv4.tcp_slow_start_after_idle). Those of {', '.join(staying)} don't, so later "
                "loads start at different speeds.",
                by_knob(
                    [group for group in groups if group.cell.origin == origin],
                    "slow_start_after_idle",
                    how="Write slow_start_after_idle = false",
                ),
            )
