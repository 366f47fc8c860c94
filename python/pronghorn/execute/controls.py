"""Whether the arms of an origin that leave congestion control to the stack run the same one."""

from collections.abc import Iterator, Mapping
from typing import Any

from pronghorn import origins
from pronghorn.execute.caution import Caution
from pronghorn.model.arm import Arm, parse
from pronghorn.model.experiment import Experiment

_NEW_RENO = {"h2": "reno", "h3": "newreno"}
"""The one algorithm that TCP's arms and QUIC's call differently: the kernel's Reno is New Reno (RFC 6582)."""


def cautions(experiment: Experiment, arms: Mapping[str, Mapping[str, Any]]) -> Iterator[Caution]:
    """A warning for each origin whose TCP and QUIC differ without having been asked to; `arms` are the
    manifest's."""
    for origin in experiment.origins:
        shipped = [(arm, told) for arm in experiment.arms if (told := _told(arm, arms, origin)) is not None]
        tcp = [(arm, told) for arm, told in shipped if not arm.over_quic]
        quic = [(arm, told) for arm, told in shipped if arm.over_quic]
        if not tcp or not quic or _algorithm(tcp[0][1]) == _algorithm(quic[0][1]):
            continue
        listed = "; ".join(f"{arm.name}: {told}" for arm, told in (*tcp, *quic))
        yield Caution(
            "arms-differ-congestion-control",
            f"The arms differ on {origin} in their congestion control, as their stacks ship it ({listed}).",
            _remedy(experiment, origin, tcp[0][1], quic[0][1]),
        )


def _told(arm: Arm, arms: Mapping[str, Mapping[str, Any]], origin: str) -> str | None:
    """What is known of an arm that asks for no congestion control."""
    if arm.control_asked is not None:
        return None
    told = arms.get(arm.name, {}).get("origins", {}).get(origin, {}).get("congestion_control")
    return str(told) if told is not None else None


def _algorithm(told: str) -> str:
    """The name alone, without what stands beside it in parentheses."""
    name = told.partition(" (")[0]
    return "newreno" if name == "reno" else name


def _remedy(experiment: Experiment, origin: str, tcp: str, quic: str) -> str:
    for protocol, told in (("h3", tcp), ("h2", quic)):
        control = _algorithm(told)
        name = f"{protocol}@{_NEW_RENO[protocol] if control == 'newreno' else control}"
        arm = _possible(name)
        if arm is not None and origins.of(experiment, origin).refusal(arm) is None:
            return f"Write the arm {name} to have both run the same; else bear it in mind."
    return "Bear it in mind: this origin's QUIC offers no other, and the kernel's TCP has none like it."


def _possible(name: str) -> Arm | None:
    try:
        return parse(name)
    except ValueError:
        return None
