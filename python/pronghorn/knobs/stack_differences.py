"""What the kernel's TCP and the stacks of QUIC differ in that no setting of theirs makes equal."""

from collections.abc import Iterator

from pronghorn.model.arm import Arm
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
            yield from _of_quic(arm.controls["quic"], knobs)
            if spec is not None and _marks(spec):
                yield (
                    f"Path '{cell.path}' marks packets that allow it (ECN) where it drops others: quinn's "
                    "allow it; TCP's don't, since Linux asks for it only where net.ipv4.tcp_ecn is 1, and "
                    "the hosts have its default, 2."
                )
    if arm.protocols & QUIC:
        yield _of_acknowledgements(cell, knobs)
    if "h2" in arm.protocols:
        yield (
            "A lost segment of HTTP/2's one TCP connection holds up all that came after it; over QUIC a "
            "stream waits for its own losses only."
        )
    if "h1" in arm.protocols:
        yield "HTTP/1.1 spreads its requests over several connections, each with a window of its own."


def _of_foreign_origin(cell: Cell, arm: Arm) -> str:
    control = "" if arm.control_asked else "congestion control, "
    return f"Over QUIC origin '{cell.origin}' has a {control}loss recovery and pacing of its own."


def _of_tcp(control: str, knobs: Knobs) -> Iterator[str]:
    if control == "cubic":
        yield (
            "The kernel's CUBIC may end slow start before a loss, by HyStart (unless "
            "/sys/module/tcp_cubic/parameters/hystart is 0); quinn's has no HyStart."
        )
    if control != "bbr":
        yield (
            "The kernel takes a reduction of TCP's window back where the loss proves to have been none "
            "(D-SACK, RFC 3708; Eifel, RFC 4015), and spreads one over a round trip (PRR, RFC 6937); quinn "
            "does neither."
        )
    if control != "bbr" and knobs.pacing:
        yield (
            "The kernel paces TCP by two windows a round trip in slow start and by 1.2 later, quinn by 1.25 "
            "throughout."
        )
    yield (
        "TCP's receive window begins with some 64 kB and grows with what is read, however large its buffer "
        "may become; over QUIC all of it is there at first."
    )
    yield (
        "The kernel tells TCP's losses by RACK, whose tolerance of reordering adapts (RFC 8985); quinn takes "
        "three later packets or 9/8 of a round trip for a loss (RFC 9002 §6.1)."
    )


def _of_quic(control: str, knobs: Knobs) -> Iterator[str]:
    if control == "bbr":
        yield (
            "quinn's BBR, which its authors call experimental, is a program of its own, and is paced by 1.25 "
            "windows a round trip, where the kernel's is paced by the bandwidth that it has found."
        )
    yield (
        "quinn counts whole datagrams against its window, QUIC's headers included, and stays below it; the "
        "kernel counts TCP's segments without their headers, and fills it." + _at_once(knobs)
    )
    yield (
        "Of packets of equal length QUIC's hold a little less of the page: each has its own authentication "
        "tag and frame header, where TLS over TCP has one a record."
    )


def _at_once(knobs: Knobs) -> str:
    if knobs.initial_window is None or knobs.initial_mtu is None or knobs.mtu_discovery:
        return ""
    datagrams = (knobs.initial_window - 1) // knobs.initial_mtu
    return f" Of {knobs.initial_window} bytes at first quinn sends {datagrams} full datagrams at once."


def _marks(spec: PathSpec) -> bool:
    paths = [spec, spec.handover.path] if spec.handover else [spec]
    return any(path.down.aqm is not None and path.down.aqm.ecn for path in paths)


def _of_acknowledgements(cell: Cell, knobs: Knobs) -> str:
    if cell.client not in OUR_CLIENTS:
        return f"Client '{cell.client}' acknowledges over QUIC in its own way."
    frequency = 1 if knobs.ack_frequency is None else knobs.ack_frequency
    return (
        f"quinn leaves {frequency} of QUIC's packets unacknowledged before it sends an ACK, for 25 ms; the "
        "kernel one of TCP's segments or super-packets, none while the connection is young, for 40 to 200 ms."
    )
