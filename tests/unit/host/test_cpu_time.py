"""The CPU time of a process has that of all below it, living and ended."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pronghorn.host import cpu_time

BURNT_S = 0.2
SLACK_S = 0.03
"""A tick of the kernel's for each of user and system time, and one to spare."""

# Burns CPU time in a child that ends, in one that stays, and in a thread that ends; then waits for its end.
BURNS = f"""\
import os, sys, threading, time

def burn(clock=time.process_time):
    until = clock() + {BURNT_S}
    while clock() < until:
        pass

if os.fork() == 0:
    burn()
    os._exit(0)
os.wait()
reading, writing = os.pipe()
if os.fork() == 0:
    burn()
    os.write(writing, b"x")
    sys.stdin.read()
    os._exit(0)
os.read(reading, 1)
thread = threading.Thread(target=burn, args=(time.thread_time,))
thread.start()
thread.join()
print("burnt", flush=True)
sys.stdin.read()
os.wait()
"""


@contextmanager
def burning() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", BURNS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "burnt\n"
        yield process


def test_it_has_the_time_of_children_living_and_ended_and_of_threads() -> None:
    with burning() as process:
        used_s = cpu_time.used_s(lambda _: (process.pid,))
        alone_s = cpu_time.used_s(lambda seen: seen.children(process.pid))
        assert process.stdin is not None
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used_s is not None
    assert alone_s is not None
    assert 3 * BURNT_S - SLACK_S <= used_s <= usage.ru_utime + usage.ru_stime + SLACK_S
    assert BURNT_S <= alone_s <= used_s - 2 * BURNT_S + SLACK_S


def test_of_a_process_that_is_not_there_nothing_is_known() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", ""]) as process:
        pass
    assert cpu_time.used_s(lambda _: (process.pid,)) is None
    assert cpu_time.used_s(lambda _: ()) is None
    assert cpu_time.numbered(os.getpid(), process.pid) is None


def test_where_a_process_ends_under_the_look_it_is_looked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the list of processes and their accounts: its parent's may have been read before."""
    listed = Path.iterdir
    looks = []

    def with_one_that_ends(folder: Path) -> Iterator[Path]:
        looks.append(folder)
        yield from listed(folder)
        if len(looks) == 1:
            yield folder / "999999999"

    with burning() as process:
        monkeypatch.setattr(Path, "iterdir", with_one_that_ends)
        assert cpu_time.used_s(lambda _: (process.pid,)) is not None
        monkeypatch.undo()
        assert process.stdin is not None
        process.stdin.close()
    assert len(looks) >= 2


def test_a_process_is_found_by_the_number_that_it_has_where_it_lives() -> None:
    with burning() as process:
        assert cpu_time.numbered(os.getpid(), process.pid) == process.pid
        assert process.stdin is not None
        process.stdin.close()
