"""TCP's congestion control without a bench: over loopback it is what the host allows this user.

An ordinary user may only set those of `net.ipv4.tcp_allowed_congestion_control` (tcp(7), TCP_CONGESTION),
which are reno and the host's own unless somebody allowed more.
"""

import errno
import socket

from pronghorn.errors import HostError
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL, Arm
from pronghorn.model.experiment import Experiment


def fit(experiment: Experiment) -> Experiment:
    """The experiment with arms that this user can run over loopback: one over TCP that asks for no
    congestion control runs the host's own where the default is denied. HostError where one is asked for by
    name and denied."""
    arms = tuple(_fit_arm(arm) for arm in experiment.arms)
    return experiment if arms == experiment.arms else experiment.model_copy(update={"arms": arms})


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
    return arm.model_copy(update={"congestion_control": _of_host()})


def _asks(arm: Arm) -> bool:
    return "@" in arm.name


def _denied(control: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        try:
            probe.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        except OSError as error:
            return error.errno == errno.EPERM
    return False


def _of_host() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        name = probe.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    return name.split(b"\0")[0].decode()
