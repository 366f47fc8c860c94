"""The guard rejects what a busy host moved, and little else: a trial is held against itself in virtual time.

It wants a host that does nothing else: where others used more than `IDLE` of the CPUs while it measured
without a hog, it prints what it found and is skipped."""

from pathlib import Path
from typing import NamedTuple

import pytest

from . import fair_guard
from .fair_guard import HOGS

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.needs("guest")]

MOST_REJECTED = 0.02
"""Of the trials that lie where they do in virtual time, on an idle host."""

LEAST_REJECTED = 0.95
"""Of the trials that a hog moved."""

IDLE = 0.1

FEWEST = 20
"""Of fewer moved trials no share is judged."""


class Shipped(NamedTuple):
    """An experiment that virtual time can run, and how many blocks of it are enough."""

    name: str
    repeat: int
    settings: tuple[str, ...] = ()


EXPERIMENTS = [
    Shipped("default", 12),
    Shipped("cloudflare-first-byte", 8),
    Shipped("cloudflare-pages", 4),
    Shipped("weaknet", 2, ("origins=builtin",)),
    pytest.param(Shipped("gateway-grid", 3), marks=pytest.mark.needs("nginx")),
    pytest.param(Shipped("gateway-alike", 2), marks=pytest.mark.needs("nginx")),
]


@pytest.mark.parametrize("shipped", EXPERIMENTS, ids=lambda shipped: shipped.name)
def test_the_guard_rejects_what_a_hog_moved_and_little_else(
    shipped: Shipped, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = [f"--set={setting}" for setting in (f"repeat={shipped.repeat}", *shipped.settings)]
    arguments = (shipped.name, "--seed=7", *settings)
    truth = fair_guard.measure(tmp_path, "virtual", *arguments, "--clock=virtual")
    neighbours = fair_guard.Neighbours()
    idle = fair_guard.pairs(truth, fair_guard.measure(tmp_path, "idle", *arguments))
    others = neighbours.share()
    hogged = []
    for kind in HOGS:
        with fair_guard.hog(kind):
            hogged += fair_guard.pairs(truth, fair_guard.measure(tmp_path, kind, *arguments))
    alike, moved = fair_guard.alike(idle), fair_guard.moved(idle, hogged)
    with capsys.disabled():
        print(f"\n{shipped.name}, others used {others:.0%}: {fair_guard.tell(idle)}")
        print(f"{shipped.name}, beside hogs: {fair_guard.tell(hogged)}")
        print(f"{shipped.name}: rejected {alike} of those alike, {moved} of those moved")
    if others > IDLE:
        pytest.skip(f"others used {others:.0%} of the CPUs, and the host is to be idle: at most {IDLE:.0%}")
    assert alike.share <= MOST_REJECTED
    assert moved.of < FEWEST or moved.share >= LEAST_REJECTED


def test_a_long_transfer_counts_though_its_ends_are_woken_by_each_packet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """20 MB over 50 Mbit/s and 40 ms: at least 19 of 20 blocks."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_bytes(bytes(20_000_000))
    (tmp_path / "transfer.toml").write_text(
        'sites = ["dir:site"]\npaths = ["home"]\narms = ["h2", "h3"]\nrepeat = 20\nseed = 1\n'
        '[path.home]\ndown = { rate = "50Mbit", delay = "20ms", queue = "250kB" }\n'
        'up = { rate = "50Mbit", delay = "20ms", queue = "250kB" }\n',
        encoding="utf-8",
    )
    found = fair_guard.measure(tmp_path, "found", "transfer.toml", "--jobs=1")
    (cell,) = found.summary().cells
    with capsys.disabled():
        print(f"\n20 MB in real time: {cell.blocks} of 20 blocks count")
    assert cell.blocks >= 19
