"""What removes a difference."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pronghorn import origins
from pronghorn.analysis.numbers import listed
from pronghorn.fairness import labels
from pronghorn.fairness.group import Group
from pronghorn.fairness.readings import origin_control
from pronghorn.model.arm import Arm, parse
from pronghorn.model.knobs import OUR_CLIENT, OUR_ORIGIN, End, able_ends, ends

BEAR_IT = "This can explain a small difference."

_NEW_RENO = {"h2": "reno", "h3": "newreno"}
"""The one algorithm that TCP's arms and QUIC's call differently."""


_WHO: Mapping[End, str] = MappingProxyType(
    {
        "bench": "an emulated path",
        "origin": f"the origin '{OUR_ORIGIN}'",
        "client": f"the client '{OUR_CLIENT}'",
    }
)


def by_knob(groups: Sequence[Group], *knobs: str, how: str = "") -> str:
    """How knobs of an experiment remove a difference between the arms of `groups`: the same for all, unless
    `how` says it; or who of those that aren't there would honour them."""
    names = " and ".join(knobs)
    if missing := _missing(groups, knobs):
        return (
            f"Nobody here can set {names}; {missing} could, under [knobs]. Otherwise consider it when "
            "you read the verdict."
        )
    return f"{how or f'Give all arms the same {names}'} under [knobs], or fair = true."


def raised(group: Group, *knobs: str) -> str:
    """How larger values of knobs remove a bound; or who of those that aren't there would honour them."""
    names = " and ".join(knobs)
    if missing := _missing([group], knobs):
        return f"Nobody here can set {names}; {missing} could, under [knobs]."
    return f"Raise it: {names} under [knobs]{'' if group.experiment.fair else ', or fair = true'}."


def _missing(groups: Sequence[Group], knobs: Sequence[str]) -> str:
    """Who would have to be in the cell for the knobs to be honoured, in words; empty where all are."""
    lacking: set[End] = set()
    for group in groups:
        able = able_ends(
            emulated=group.path.spec is not None, origin=group.cell.origin, client=group.cell.client
        )
        for knob in knobs:
            lacking |= ends(group.arm, knob, False) - able
    return listed([words for end, words in _WHO.items() if end in lacking])


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
                return (
                    f"Name the same congestion control in {arm.name} and in the other arm; otherwise "
                    "consider it when you read the verdict."
                )
    return (
        "This can't be equalised: this origin's QUIC offers no other, and the kernel's TCP has no such "
        "algorithm."
    )


def _name(protocol: str, algorithm: str) -> str:
    if algorithm == "newreno":
        return _NEW_RENO[protocol]
    return "bbr" if algorithm.startswith("BBR") else algorithm


def _possible(name: str) -> Arm | None:
    try:
        return parse(name)
    except ValueError:
        return None
