"""An arm: one protocol configuration under comparison.

Grammar: `PROTO[:STACK][@CC][~DISCOVERY][+OPTION…][#LABEL]`. The label only tells equal arms apart. Honoured
today: the protocols h1, h2 and h3 and their congestion control; what is asked for and can't be honoured is
refused, since an arm that silently ran as another would falsify the comparison."""

import re
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from pronghorn.errors import unknown

DEFAULT_CONGESTION_CONTROL = "cubic"

TCP_CONGESTION_CONTROLS = ("cubic", "reno", "bbr")
QUIC_CONGESTION_CONTROLS = ("cubic", "newreno", "bbr")
PROTOCOLS = {"h1": TCP_CONGESTION_CONTROLS, "h2": TCP_CONGESTION_CONTROLS, "h3": QUIC_CONGESTION_CONTROLS}

_GRAMMAR = re.compile(
    r"(?P<protocol>[^:@~+#\s]+)(?::(?P<stack>[^:@~+#\s]+))?(?:@(?P<cc>[^:@~+#\s]+))?(?:~(?P<discovery>[^:@~+#\s]+))?"
    r"(?P<options>(?:\+[^:@~+#\s]+)*)(?:#(?P<label>[\w.-]+))?"
)


class ArmError(ValueError):
    """What is wrong with an arm and what is allowed."""


class Identity(NamedTuple):
    """What makes two arms the same arm."""

    protocol: str
    congestion_control: str
    label: str | None


class Arm(BaseModel):
    """One arm; `name` is as the experiment wrote it and is the arm's key in every file of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    protocol: str
    congestion_control: str
    label: str | None = None

    @property
    def identity(self) -> Identity:
        """Equal for two arms that are the same arm written differently (`h2` and `h2@cubic`)."""
        return Identity(self.protocol, self.congestion_control, self.label)

    @property
    def over_quic(self) -> bool:
        """Whether the arm's transport is QUIC."""
        return self.protocol == "h3"

    @property
    def controls(self) -> dict[str, str]:
        """The congestion control of both transports, `tcp` and `quic`; the one the arm does not use is the
        default."""
        used, other = ("quic", "tcp") if self.over_quic else ("tcp", "quic")
        return {used: self.congestion_control, other: DEFAULT_CONGESTION_CONTROL}


def parse(text: str) -> Arm:
    """The arm that `text` names; ArmError where it names none or one which can't be honoured."""
    found = _GRAMMAR.fullmatch(text)
    if found is None:
        raise ArmError(
            f"{text!r} is no arm; an arm is PROTO[@CC][#LABEL] with PROTO one of {', '.join(PROTOCOLS)}, "
            "such as 'h3', 'h2@bbr' or 'h2#again'."
        )
    protocol = found["protocol"]
    if protocol not in PROTOCOLS:
        raise ArmError(unknown("arm protocol", protocol, PROTOCOLS))
    allowed = PROTOCOLS[protocol]
    for part, mark in (("stack", ":"), ("discovery", "~"), ("options", "")):
        if found[part]:
            raise ArmError(
                f"arm {text!r} asks for the {part.rstrip('s')} '{mark}{found[part]}', which can't be "
                "honoured. "
                f"Allowed: {protocol}, {', '.join(f'{protocol}@{cc}' for cc in allowed)}, each with a #LABEL."
            )
    control = found["cc"] or DEFAULT_CONGESTION_CONTROL
    if control not in allowed:
        raise ArmError(f"arm {text!r}: " + unknown(f"congestion control of {protocol}", control, allowed))
    return Arm(name=text, protocol=protocol, congestion_control=control, label=found["label"])
