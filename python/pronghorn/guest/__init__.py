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
from pronghorn.guest import kernels
from pronghorn.guest.guest import Guests


def engines(clock: str) -> Engines:
    """Engines with that clock; HostError where this machine has no guests."""
    return Guests(kernels.need()) if clock == "virtual" else HERE
