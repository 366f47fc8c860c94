"""What the kernel's TCP and the stacks of QUIC differ in that no setting of theirs makes equal."""

from collections.abc import Iterator

from pronghorn.model.arm import S2N, STACK_PROGRAMS, Arm
from pronghorn.model.knobs import OUR_CLIENTS, OUR_ORIGIN, QUIC, TCP, Knobs
from pronghorn.model.path import PathSpec
from pronghorn.model.trial import Cell


def differences(cell: Cell, arm: Arm, knobs: Knobs, spec: PathSpec | None) -> Iterator[str]:
    """Sentences about `arm` in `cell`, on whose path of that `spec` `knobs` are set; each difference stands
    with one transport."""
    if cell.origin != OUR_ORIGIN:
        if arm.protocols & QUIC:
            yield _of_foreign_origin(cell, arm)
    else:
        if arm.protocols & TCP:
            yield from _of_tcp(arm.controls["tcp"], knobs)
        if arm.protocols & QUIC:
            yield from (
                _of_s2n(arm.controls["quic"]) if arm.stack == S2N else _of_quic(arm.controls["quic"], knobs)
            )
            yield _LENGTHS
            if spec is not None and _marks(spec):
                yield (
                    f"Path '{cell.path}' marks packets that allow it (ECN) where it drops others. "
                    f"{STACK_PROGRAMS[arm.stack]}'s packets allow it. TCP's don't, because Linux requests "
                    "it only if net.ipv4.tcp_ecn is 1, and the hosts have the default, 2."
                )
    if arm.protocols & QUIC:
        yield _of_acknowledgements(cell, arm, knobs)
    if "h2" in arm.protocols:
        yield (
            "A lost segment of HTTP/2's one TCP connection delays everything after it. Over QUIC a "
            "stream waits only for its own losses."
        )
    if "h1" in arm.protocols:
        yield "HTTP/1.1 spreads its requests over several connections, each with its own window."


def _of_foreign_origin(cell: Cell, arm: Arm) -> str:
    control = "" if arm.control_asked else "congestion control, "
    return f"Over QUIC origin '{cell.origin}' has its own {control}loss recovery and pacing."


def _of_tcp(control: str, knobs: Knobs) -> Iterator[str]:
    if control == "cubic":
        yield (
            "The kernel's CUBIC may end slow start before a loss, by HyStart (unless "
            "/sys/module/tcp_cubic/parameters/hystart is 0); quinn's has no HyStart."
        )
    if control != "bbr":
        yield (
            "The kernel reverts a reduction of TCP's window if the loss was none (D-SACK, RFC 3708; "
            "Eifel, RFC 4015), and spreads a reduction over a round trip (PRR, RFC 6937). quinn does "
            "neither."
        )
    if control != "bbr" and knobs.pacing:
        yield (
            "The kernel paces TCP at two windows per round trip in slow start and at 1.2 later; quinn at "
            "1.25 throughout."
        )
    yield (
        "TCP's receive window begins with some 64 kB and grows as data is read, however large its buffer "
        "may become. Over QUIC the whole window is available at once."
    )
    yield (
        "The kernel detects TCP's losses by RACK, whose tolerance of reordering adapts (RFC 8985). quinn "
        "declares a loss after three later packets or 9/8 of a round trip (RFC 9002 §6.1)."
    )


def _of_quic(control: str, knobs: Knobs) -> Iterator[str]:
    if control == "bbr":
        yield (
            "quinn's BBR, which its authors call experimental, is a separate implementation. It is paced "
            "at 1.25 windows per round trip; the kernel's is paced at the bandwidth that it measured."
        )
    yield (
        "quinn counts whole datagrams against its window, including QUIC's headers, and stays below it. "
        "The kernel counts TCP's segments without headers, and fills it." + _at_once(knobs)
    )


_LENGTHS = (
    "Packets of equal length carry a little less of the page over QUIC. Each has its own authentication tag "
    "and frame header, where TLS over TCP has one per record."
)


def _of_s2n(control: str) -> Iterator[str]:
    if control == "bbr2":
        yield "s2n-quic's BBR is version 2, the kernel's (unless the manifest says otherwise) version 1."
    else:
        yield (
            "s2n-quic's CUBIC may end slow start before a loss, by HyStart++ (draft 04) on rising round "
            "trips. It paces at 2 windows per round trip in slow start and at 1.25 later, and not "
            "at all below 2 ms."
        )
    yield (
        "s2n-quic has no priorities of streams. The origin keeps the order of RFC 9218 by handing it "
        "responses in that order, up to 16 KiB ahead of what the congestion window lets go."
    )
    yield (
        "s2n-quic subtracts only an eighth of the peer's ACK delay from its samples of the round trip, and "
        "an outage of 2 s does not collapse its window (docs/quic-recovery.md)."
    )


def _at_once(knobs: Knobs) -> str:
    if knobs.initial_window is None or knobs.initial_mtu is None or knobs.mtu_discovery:
        return ""
    datagrams = (knobs.initial_window - 1) // knobs.initial_mtu
    return (
        f" With an initial window of {knobs.initial_window} bytes, quinn sends {datagrams} full "
        "datagrams at once."
    )


def _marks(spec: PathSpec) -> bool:
    paths = [spec, spec.handover.path] if spec.handover else [spec]
    return any(path.down.aqm is not None and path.down.aqm.ecn for path in paths)


def _of_acknowledgements(cell: Cell, arm: Arm, knobs: Knobs) -> str:
    if cell.client not in OUR_CLIENTS:
        return f"Client '{cell.client}' has its own way of acknowledging over QUIC."
    if arm.stack == S2N:
        return (
            "s2n-quic may leave more than every second packet unacknowledged, for at most 25 ms. The kernel "
            "leaves one of TCP's segments or super-packets, for 40 to 200 ms, and none while the connection "
            "is young."
        )
    frequency = 1 if knobs.ack_frequency is None else knobs.ack_frequency
    return (
        f"quinn leaves {frequency} of QUIC's packets unacknowledged before it sends an ACK, for at most "
        "25 ms. The kernel leaves one of TCP's segments or super-packets, for 40 to 200 ms, and none "
        "while the connection is young."
    )
