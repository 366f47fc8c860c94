"""Everything that is looked at, in its order."""

from collections.abc import Iterator
from pathlib import Path

from pronghorn.doctor import engine, host, programs
from pronghorn.doctor.finding import Finding


def examine(root: Path) -> Iterator[Finding]:
    """Every finding, the decisive ones first. `root` is the folder under which /proc, /sys and /dev are
    read."""
    yield from engine.findings()
    for look in host.LOOKS:
        yield look(root)
    yield from programs.findings()
