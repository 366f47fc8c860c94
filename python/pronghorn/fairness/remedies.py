"""What removes a difference."""

from pronghorn import origins
from pronghorn.fairness import labels
from pronghorn.fairness.group import Group
from pronghorn.fairness.readings import origin_control
from pronghorn.model.arm import Arm, parse

BEAR_IT = "Bear it in mind where a difference is small."

_NEW_RENO = {"h2": "reno", "h3": "newreno"}
"""The one algorithm that TCP's arms and QUIC's call differently."""


def by_knob(*knobs: str) -> str:
    """That these knobs of an experiment, the same for all arms, remove a difference."""
    names = " and ".join(knobs)
    return f"Give all arms the same {names} under [knobs], or fair = true, where somebody there honours it."


def raised(knob: str) -> str:
    """That a larger value of a knob removes a bound."""
    return f"Raise it: {knob} under [knobs], or fair = true, where somebody there honours it."


def same_control(groups: list[Group]) -> str:
    """Which arm would make TCP and QUIC of an origin run the same congestion control."""
    first = groups[0]
    shipped = [group for group in groups if group.arm.control_asked is None] or groups
    tcp = [group for group in shipped if not group.arm.over_quic]
    quic = [group for group in shipped if group.arm.over_quic]
    for protocol, others in (("h3", tcp), ("h2", quic)):
        for told in others[:1]:
            ran = origin_control(told)
            control = labels.algorithm(str(ran[0])) if ran else ""
            arm = _possible(f"{protocol}@{_name(protocol, control)}")
            if arm is not None and origins.of(first.experiment, first.cell.origin).refusal(arm) is None:
                return f"Write the arm {arm.name} to have both run the same; else bear it in mind."
    return "Bear it in mind: this origin's QUIC offers no other, and the kernel's TCP has none like it."


def _name(protocol: str, algorithm: str) -> str:
    if algorithm == "newreno":
        return _NEW_RENO[protocol]
    return "bbr" if algorithm.startswith("BBR") else algorithm


def _possible(name: str) -> Arm | None:
    try:
        return parse(name)
    except ValueError:
        return None
