"""A sender that runs BBR though its arm leaves congestion control to the stack, or asks for another.

On a bench the route decides for every socket, so that this is a matter of the path `direct`, where servers of
other makers run the machine's default or what they set themselves."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.fairness import labels
from pronghorn.fairness.group import Group
from pronghorn.model.caution import Caution

_BBR = "bbr"


def cautions(groups: Sequence[Group]) -> Iterator[Caution]:
    """A warning for each arm and end over TCP, whatever the cells."""
    found: dict[tuple[str, str], list[_Seen]] = {}
    for group in groups:
        if group.arm.over_quic or group.arm.control_asked == _BBR:
            continue
        ends = {
            "origin": [one.congestion_control for one in group.served()],
            "client": [one.congestion_control for one in group.opened()],
        }
        for end, controls in ends.items():
            if running := controls.count(_BBR):
                found.setdefault((group.arm.name, end), []).append(_Seen(group, running, len(controls)))
    for (_, end), seen in found.items():
        yield _caution(end, seen)


class _Seen(NamedTuple):
    group: Group
    running: int
    of: int


def _caution(end: str, seen: Sequence[_Seen]) -> Caution:
    group = seen[0].group
    arm = group.arm
    where = f"{group.cell}" + (f" and in {count(len(seen) - 1, 'more cell')}" if len(seen) > 1 else "")
    running, of = sum(one.running for one in seen), sum(one.of for one in seen)
    asked = f"asks for {arm.control_asked}" if arm.control_asked else "leaves congestion control to its stack"
    return Caution(
        "default-bbr",
        f"{arm.name} on {where} {asked}, and the {end} ran {labels.of_kernel(_BBR, group.host)} on "
        f"{running} of {count(of, 'connection')}. BBR barely slows down on loss and keeps the queue "
        "short. Beside an arm with another algorithm, the result compares congestion control and not "
        "only protocols.",
        f"Write {arm.protocol}@bbr and h3@bbr, or another algorithm for both, on an emulated path, whose "
        "route enforces it. To change the machine's default: sysctl -w "
        "net.ipv4.tcp_congestion_control=cubic",
    )
