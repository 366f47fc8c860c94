"""An arm: one protocol configuration under comparison.

Grammar: `PROTO[:STACK][@CC][~DISCOVERY][+OPTION…][#LABEL]`. The label only tells equal arms apart. What is
asked for and can't be honoured is refused, since an arm that silently ran as another would falsify the
comparison: here where nobody could honour it, in `capabilities.py` where a certain origin or client can't."""

import re
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from pronghorn.errors import unknown

DEFAULT_CONGESTION_CONTROL = "cubic"

TCP_CONGESTION_CONTROLS = ("cubic", "reno", "bbr")
QUIC_CONGESTION_CONTROLS = ("cubic", "newreno", "bbr")
PROTOCOLS = {"h1": TCP_CONGESTION_CONTROLS, "h2": TCP_CONGESTION_CONTROLS, "h3": QUIC_CONGESTION_CONTROLS}

QUINN, S2N = "quinn", "s2n"
STACKS = {QUINN: QUIC_CONGESTION_CONTROLS, S2N: ("cubic", "bbr2")}
"""The QUIC stacks that both our ends have, with their congestion controls. The first is theirs unless an arm
names another. s2n-quic's BBR is version 2, and is not called as another stack's version 1."""

STACK_PROGRAMS = {QUINN: "quinn", S2N: "s2n-quic"}
"""What each stack is called by those who make it."""

Discovery = Literal["forced", "altsvc", "https"]
DISCOVERIES = ("altsvc", "https")
"""How a client discovers HTTP/3 unless it is forced: by `Alt-Svc` (RFC 7838), or by the DNS record HTTPS (RFC
9460)."""

TLS12, RESUMED, EARLY, WARM, CLEAR = "tls12", "resumed", "0rtt", "warm", "clear"
OPTIONS = {
    TLS12: "TLS 1.2 instead of 1.3, for h1 and h2",
    RESUMED: "after an unmeasured visit: its session tickets and Alt-Svc are known, the cache is empty",
    EARLY: "like resumed, with the first request as 0-RTT data",
    WARM: "like resumed, with the visit's cache kept: a repeat view",
    CLEAR: "without TLS: h1, or h2 with prior knowledge (RFC 9113 §3.3)",
}
"""The options, each with what it says."""

_EXCLUSIVE = (RESUMED, EARLY, WARM)
VISITS = frozenset(_EXCLUSIVE)
"""The options before whose load an unmeasured visit is made."""

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
    discovery: str
    options: frozenset[str]
    label: str | None
    stack: str


class Arm(BaseModel):
    """One arm; `name` is as the experiment wrote it and is the arm's key in every file of a run.

    `stack_asked` is the QUIC stack that the name asks for, None where it leaves that to the ends;
    `control_asked` is the congestion control that the name asks for, None where it leaves that to the stack;
    `congestion_control` is what TCP and our own QUIC run then. `tcp_by_host` is what TCP runs where a host
    decides, None where the arm does."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    protocol: str
    congestion_control: str
    control_asked: str | None = None
    stack_asked: str | None = None
    discovery: Discovery = "forced"
    options: frozenset[str] = frozenset()
    label: str | None = None
    tcp_by_host: str | None = None

    @property
    def identity(self) -> Identity:
        """Equal for two arms that are the same arm written differently (`h2` and `h2@cubic`)."""
        return Identity(
            self.protocol, self.congestion_control, self.discovery, self.options, self.label, self.stack
        )

    @property
    def stack(self) -> str:
        """What our ends speak QUIC by, whether the arm uses it or not."""
        return self.stack_asked or QUINN

    def is_on_another_stack_than(self, other: "Arm") -> bool:
        """Whether the two differ in their QUIC stack, and in nothing else but their labels."""
        mine, theirs = (one.identity._replace(stack="", label=None) for one in (self, other))
        return self.over_quic and mine == theirs and self.stack != other.stack

    @property
    def over_quic(self) -> bool:
        """Whether the arm's transport is QUIC; with a discovery, in the end."""
        return self.protocol == "h3"

    @property
    def protocols(self) -> frozenset[str]:
        """What its requests may go over: with a discovery, what a client speaks until it has found HTTP/3."""
        return frozenset({self.protocol} if self.discovery == "forced" else {"h2", "h3"})

    @property
    def controls(self) -> dict[str, str]:
        """The congestion control of both transports, `tcp` and `quic`; the one the arm does not use is the
        default."""
        used, other = ("quic", "tcp") if self.over_quic else ("tcp", "quic")
        controls = {used: self.congestion_control, other: DEFAULT_CONGESTION_CONTROL}
        return controls if self.tcp_by_host is None else {**controls, "tcp": self.tcp_by_host}

    @property
    def tls_version(self) -> str:
        """`1.2` or `1.3`."""
        return "1.2" if TLS12 in self.options else "1.3"

    @property
    def prepared(self) -> bool:
        """Whether an unmeasured visit comes first."""
        return bool(self.options & VISITS)

    @property
    def early_data(self) -> bool:
        """Whether the first request is to travel as 0-RTT data."""
        return EARLY in self.options

    @property
    def clear(self) -> bool:
        """Whether it goes without TLS, to the origin's other port."""
        return CLEAR in self.options

    @property
    def warm(self) -> bool:
        """Whether the cache of the unmeasured visit is kept."""
        return WARM in self.options


def parse(text: str) -> Arm:
    """The arm that `text` names; ArmError where it names none, or one which nobody can honour."""
    found = _GRAMMAR.fullmatch(text)
    if found is None:
        raise ArmError(
            f"{text!r} is no arm; an arm is PROTO[:STACK][@CC][~DISCOVERY][+OPTION…][#LABEL] with PROTO one "
            f"of {', '.join(PROTOCOLS)}, such as 'h3', 'h2@bbr', 'h3~altsvc', 'h2+tls12' or 'h2#again'."
        )
    protocol = found["protocol"]
    if protocol not in PROTOCOLS:
        raise ArmError(unknown("arm protocol", protocol, PROTOCOLS))
    stack = _stack(text, protocol, found["stack"])
    control = found["cc"] or DEFAULT_CONGESTION_CONTROL
    _check_control(text, protocol, stack, control)
    discovery = _discovery(text, protocol, found["discovery"])
    options = _options(text, protocol, found["options"])
    _check_stack(text, stack, discovery, options)
    return Arm(
        name=text,
        protocol=protocol,
        congestion_control=control,
        control_asked=found["cc"],
        stack_asked=stack,
        discovery=discovery,
        options=options,
        label=found["label"],
    )


def _stack(text: str, protocol: str, name: str | None) -> str | None:
    if name is None:
        return None
    if protocol != "h3":
        raise ArmError(f"arm {text!r}: ':{name}' names a stack of QUIC; only h3 has one. Leave it out.")
    if name not in STACKS:
        raise ArmError(f"arm {text!r}: " + unknown("QUIC stack", name, STACKS))
    return name


def _check_control(text: str, protocol: str, stack: str | None, control: str) -> None:
    allowed = PROTOCOLS[protocol] if stack is None else STACKS[stack]
    if control in allowed:
        return
    if stack == S2N and control == "bbr":
        raise ArmError(f"arm {text!r}: the BBR of s2n-quic is version 2. Write '@bbr2'.")
    runs = protocol if stack is None else STACK_PROGRAMS[stack]
    raise ArmError(f"arm {text!r}: " + unknown(f"congestion control of {runs}", control, allowed))


def _check_stack(text: str, stack: str | None, discovery: Discovery, options: frozenset[str]) -> None:
    """What nobody could honour with a stack of the arm's choice: its client discovers nothing and, on
    s2n-quic, resumes nothing."""
    if stack is not None and discovery != "forced":
        raise ArmError(
            f"arm {text!r}: a stack is chosen for client 'native', which discovers nothing. Leave out "
            f"':{stack}' or '~{discovery}'."
        )
    visit = sorted(options & VISITS)
    if stack == S2N and visit:
        raise ArmError(
            f"arm {text!r}: s2n-quic resumes no session with our TLS library (rustls). Leave out "
            f"'+{visit[0]}'."
        )


def _discovery(text: str, protocol: str, name: str | None) -> Discovery:
    if name is None:
        return "forced"
    if name not in DISCOVERIES:
        raise ArmError(f"arm {text!r}: " + unknown("discovery", name, DISCOVERIES))
    if protocol != "h3":
        raise ArmError(f"arm {text!r}: '~{name}' is a way to discover HTTP/3; only h3 allows it.")
    return "altsvc" if name == "altsvc" else "https"


def _options(text: str, protocol: str, written: str) -> frozenset[str]:
    names = written.split("+")[1:]
    for name in names:
        if name not in OPTIONS:
            raise ArmError(f"arm {text!r}: " + unknown("option", name, OPTIONS))
        if names.count(name) > 1:
            raise ArmError(f"arm {text!r}: '+{name}' is there twice.")
    options = frozenset(names)
    if TLS12 in options and protocol == "h3":
        raise ArmError(
            f"arm {text!r}: QUIC has no TLS 1.2 (RFC 9001 §4.2); '+tls12' is allowed with h1 and h2."
        )
    if TLS12 in options and EARLY in options:
        raise ArmError(f"arm {text!r}: TLS 1.2 has no 0-RTT data; leave out '+tls12' or '+0rtt'.")
    if CLEAR in options and protocol == "h3":
        raise ArmError(
            f"arm {text!r}: QUIC is always encrypted (RFC 9001); '+clear' is allowed with h1 and h2."
        )
    if CLEAR in options and len(options) > 1:
        other = next(name for name in names if name != CLEAR)
        raise ArmError(
            f"arm {text!r}: '+{other}' concerns TLS or an earlier visit, and '+clear' has neither. Leave "
            "out one of them."
        )
    if len(options & set(_EXCLUSIVE)) > 1:
        several = " and ".join(f"'+{name}'" for name in _EXCLUSIVE if name in options)
        raise ArmError(f"arm {text!r}: {several} exclude each other: each says what an earlier visit leaves.")
    return options
