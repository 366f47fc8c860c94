"""Which knobs hold for an arm in a cell, and what its bench is asked for because of them."""

from typing import Any

from pronghorn.knobs import fair
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import TCP, Knobs
from pronghorn.model.path import PathSpec
from pronghorn.model.trial import Cell

OF_WHOLE_HOSTS = ("tcp_receive_buffer", "tcp_send_buffer", "slow_start_after_idle")
"""Knobs that reach all TCP connections of the hosts; an initial window only those over the page's route."""


def of_arm(experiment: Experiment, cell: Cell, arm: Arm) -> Knobs:
    """What is asked of `arm` in `cell`: by its own table, by `[knobs]`, by `fair = true`, in this order."""
    return fair.given(experiment, cell, arm).under(experiment.knobs.of(arm))


def of_bench(experiment: Experiment, cell: Cell, arm: Arm) -> dict[str, Any]:
    """What the engine's `open` is asked for; empty where nothing is.

    Where other TCP flows share the path, the hosts of an arm over QUIC get the buffers of `[knobs]` and
    `fair` too, so that these flows are the same in every arm."""
    spec = experiment.path(cell.path).spec
    if spec is None:
        return {}
    knobs = of_arm(experiment, cell, arm)
    asked: dict[str, Any] = {}
    if tcp := _tcp(knobs if arm.protocols & TCP else of_shared_hosts(experiment, spec), spec):
        asked["tcp"] = tcp
    if knobs.offloads is False:
        asked["offloads"] = False
    return asked


def initial_window_bytes(experiment: Experiment, cell: Cell, arm: Arm) -> int | None:
    """The initial window that is asked of the page's sender: TCP's is whole segments; None: none is."""
    asked = of_arm(experiment, cell, arm).initial_window
    spec = experiment.path(cell.path).spec
    if asked is None or arm.over_quic or spec is None:
        return asked
    return _segments(asked, spec) * spec.mss_bytes


def _tcp(knobs: Knobs, spec: PathSpec) -> dict[str, int | bool]:
    asked = {
        "initial_window_segments": None
        if knobs.initial_window is None
        else _segments(knobs.initial_window, spec),
        "receive_buffer": knobs.tcp_receive_buffer,
        "send_buffer": knobs.tcp_send_buffer,
        "slow_start_after_idle": knobs.slow_start_after_idle,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _segments(window_bytes: int, spec: PathSpec) -> int:
    return max(1, window_bytes // spec.mss_bytes)


def of_shared_hosts(experiment: Experiment, spec: PathSpec) -> Knobs:
    """What is asked of the hosts' TCP in every arm where other flows share the path; nothing where none
    do."""
    if spec.cross is None:
        return Knobs()
    shared = experiment.knobs.common
    knobs = fair.values(spec).under(shared) if experiment.fair else shared
    return knobs.model_copy(update={"initial_window": None})
