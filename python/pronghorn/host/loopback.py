"""TCP's congestion control without a bench: over loopback it is what the host allows this user, and for
foreign servers the host's own.

An ordinary user may only set those of `net.ipv4.tcp_allowed_congestion_control` (tcp(7), TCP_CONGESTION),
which are reno and the host's own unless somebody allowed more. A bench tells foreign servers the control by
their route; loopback has no route that is ours.
"""

import errno
import socket

from pronghorn.errors import HostError
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL, Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import OUR_ORIGIN
from pronghorn.model.path import DIRECT
from pronghorn.model.stacks import is_url
from pronghorn.model.trial import Cell


def fit(experiment: Experiment) -> Experiment:
    """The experiment with arms that this user can run over loopback: one over TCP that asks for no
    congestion control runs the host's own where the default is denied. HostError where one is asked for by
    name and denied."""
    arms = tuple(_fit_arm(arm) for arm in experiment.arms)
    return experiment if arms == experiment.arms else experiment.model_copy(update={"arms": arms})


def check(experiment: Experiment) -> None:
    """HostError where an arm over TCP asks by name for a congestion control that a foreign server on loopback
    would not run."""
    theirs = [cell for cell in experiment.cells() if _by_host(cell)]
    asking = [arm for arm in experiment.arms if _asks(arm) and not arm.over_quic]
    if not theirs or not asking:
        return
    own = of_host()
    for arm in asking:
        if arm.congestion_control != own:
            raise HostError(
                f"arm '{arm.name}': on path '{DIRECT}' {theirs[0].origin} uses this machine's TCP "
                f"congestion control, which is {own}.",
                hint=f"{mend_of_host(arm.congestion_control)}, or use an emulated path.",
            )


def arm_in(arm: Arm, cell: Cell) -> Arm:
    """An arm as it runs in a cell: with the host's own congestion control of TCP where a foreign server on
    loopback takes that."""
    if not _by_host(cell):
        return arm
    own = of_host()
    return arm.model_copy(
        update={"tcp_by_host": own, **({} if arm.over_quic else {"congestion_control": own})}
    )


def by_host(experiment: Experiment) -> tuple[list[str], str] | None:
    """The foreign servers that run the host's own congestion control of TCP over loopback, and which that is;
    None where it is the default one, or there are none."""
    theirs = list(dict.fromkeys(cell.origin for cell in experiment.cells() if _by_host(cell)))
    if not theirs or (own := of_host()) == DEFAULT_CONGESTION_CONTROL:
        return None
    return theirs, own


def mend_of_host(control: str) -> str:
    """The command that makes `control` the host's own."""
    return f"sudo sysctl -w net.ipv4.tcp_congestion_control={control}"


def substituted(experiment: Experiment) -> dict[str, str]:
    """The arms that run another congestion control than their names say, each with the one that it runs."""
    return {
        arm.name: arm.congestion_control
        for arm in experiment.arms
        if not _asks(arm) and arm.congestion_control != DEFAULT_CONGESTION_CONTROL
    }


def mend(control: str) -> str:
    """The command that allows `control` to everybody."""
    return f'sudo sysctl -w net.ipv4.tcp_allowed_congestion_control="reno {control}"'


def _fit_arm(arm: Arm) -> Arm:
    if arm.over_quic or not _denied(arm.congestion_control):
        return arm
    if _asks(arm):
        raise HostError(
            f"arm '{arm.name}': this user may not set TCP's congestion control '{arm.congestion_control}'.",
            hint=mend(arm.congestion_control),
        )
    return arm.model_copy(update={"congestion_control": of_host()})


def _asks(arm: Arm) -> bool:
    return "@" in arm.name


def _denied(control: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        except OSError as error:
            return error.errno == errno.EPERM
    return False


def _by_host(cell: Cell) -> bool:
    """Whether a cell's server is a foreign one of this host, on loopback."""
    return cell.path == DIRECT and cell.origin != OUR_ORIGIN and not is_url(cell.origin)


def of_host() -> str:
    """TCP's congestion control that a new socket of this host has."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        name = probe.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    return name.split(b"\0")[0].decode()
