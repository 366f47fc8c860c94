"""Engines in virtual time: each is the first process of a guest, a User Mode Linux kernel whose clock jumps
over the time in which nothing happens and counts none for computing, but 256 ns for each look at it.

| question | file |
|---|---|
| which kernels are there, and where | `kernels.py` |
| how is one built | `build.py` |
| where does its source come from | `debian.py` |
| what is a guest's kernel told | `machine.py` |
| how does an engine run in one | `guest.py` |
| how does any program run in one | `program.py` |
"""

from pronghorn.engine import HERE, Engines
from pronghorn.errors import InputError
from pronghorn.guest import kernels
from pronghorn.guest.guest import Guests
from pronghorn.model.experiment import Experiment


def engines(experiment: Experiment) -> dict[str, Engines]:
    """The engines of the experiment's trials, by their cells' kernel; HostError where this machine has no
    such guests, InputError where no kernel is called so, or two are the same."""
    found: dict[str, Engines] = {}
    by_program: dict[str, str] = {}
    for kernel in experiment.cell_kernels:
        if not experiment.is_virtual(kernel):
            found[kernel] = HERE
            continue
        guests = found[kernel] = Guests(kernels.need(experiment.version(kernel)))
        other = by_program.setdefault(guests.noted()["program"], kernel)
        if other != kernel:
            raise InputError(
                f"key 'kernels': {other!r} and {kernel!r} are one program; there is nothing to compare.",
                hint="'pronghorn guest' lists the kernels that are built.",
            )
    return found
