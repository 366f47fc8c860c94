"""CPU time of processes with all that they have started, as `/proc` and the kernel's clocks tell it.

It imports nothing of the package: the program that runs beside a browser uses it as well."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

_PROC = Path("/proc")
_TICKS_PER_S: int = os.sysconf("SC_CLK_TCK")
_PARENT, _WAITED_USER, _WAITED_SYSTEM = 1, 13, 14
"""Fields of `/proc/PID/stat` behind the process's name (`proc_pid_stat(5)`: ppid, cutime, cstime)."""
_ROUNDS = 4
"""How often it is counted anew where processes end under the counting."""


class Processes:
    """The processes of this PID namespace at one moment, by their parents. Where one ended under the look it
    is not `whole`: that one's time may be in no account, neither its own nor its parent's."""

    def __init__(self) -> None:
        self.whole = True
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        self._waited_s: dict[int, float] = {}

    @classmethod
    def now(cls) -> Self | None:
        """As they are now; None where `/proc` shows the numbers of another namespace."""
        seen = cls()
        try:
            if (_PROC / "self").readlink() != Path(str(os.getpid())):
                return None
            names = [entry.name for entry in _PROC.iterdir()]
        except OSError:
            return None
        for name in names:
            if name.isdigit():
                seen._add(int(name))
        return seen

    def children(self, parent: int) -> list[int]:
        """Those that a process has started, or that were given to it when their parent ended."""
        return self._children.get(parent, [])

    def tree(self, root: int) -> Iterator[int]:
        """A process and all below it; none where it isn't there."""
        if root in self._waited_s:
            yield root
            for child in self.children(root):
                yield from self.tree(child)

    def waited_s(self, number: int) -> float:
        """CPU time of what a process has waited for, which has ended, with all that that has waited for."""
        return self._waited_s[number]

    def _add(self, number: int) -> None:
        try:
            stat = (_PROC / str(number) / "stat").read_bytes()
            fields = stat.rpartition(b")")[2].split()
            self._children[int(fields[_PARENT])].append(number)
            ticks = int(fields[_WAITED_USER]) + int(fields[_WAITED_SYSTEM])
        except OSError:
            self.whole = False
            return
        except (ValueError, IndexError):
            return
        self._waited_s[number] = ticks / _TICKS_PER_S


def used_s(find: Callable[[Processes], Iterable[int]]) -> float | None:
    """CPU time, user and system, of the processes that `find` finds and of all below them, since they began;
    None where there is none of them, or the kernel doesn't tell.

    Of the living to the nanosecond, with what threads of theirs used that have ended; of ended ones as their
    parents have waited for them, to a hundredth of a second. What outlives its parent is left out."""
    for left in reversed(range(_ROUNDS)):
        seen = Processes.now()
        if seen is None:
            return None
        if left and not seen.whole:
            continue
        found = {number for root in find(seen) for number in seen.tree(root)}
        if not found:
            return None
        try:
            return sum(_living_s(number) + seen.waited_s(number) for number in found)
        except OSError:
            continue
    return None


def numbered(above: int, number: int) -> int | None:
    """The process below `above` that has the `number` in its own PID namespace; None where there is none."""
    seen = Processes.now()
    if seen is None:
        return None
    return next((outer for outer in seen.tree(above) if _own_number(outer) == number), None)


def _living_s(number: int) -> float:
    """OSError where the process has ended (clock_getcpuclockid(3): its clock's number on Linux)."""
    return time.clock_gettime(~number << 3 | 2)


def _own_number(outer: int) -> int | None:
    try:
        status = (_PROC / str(outer) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    numbers = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])
    return int(numbers[-1]) if numbers else outer
