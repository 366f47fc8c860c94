"""The same traffic through the path and through the kernel's own netem, in one guest's kernel: what either
does to it differs by no more than chance explains."""

import math
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import pytest

from pronghorn.guest import kernels, program

from ..e2e import programme
from ..e2e.benches import PROGRAMS as END_TO_END
from ..e2e.path_command import path

pytestmark = pytest.mark.needs("guest", "root")

PROGRAMS = Path(__file__).with_name("programs")
PROBES = f"{sys.executable} -I -S {PROGRAMS / 'probes.py'}"

BULK = f"{sys.executable} -I -S {END_TO_END / 'tcp_bulk.py'}"

SEED = "11"

SIGMAS = 5.5
"""Chance goes further about once in 25 million times (two-sided, normal), and each test asks at most ten
times."""


class Came(NamedTuple):
    """Which numbers came, in the order of their coming, and how long each was under way, in seconds."""

    sent: int
    numbers: list[int]
    delays_s: list[float]

    @property
    def lost(self) -> list[int]:
        """The numbers that never came."""
        return sorted(set(range(self.sent)) - set(self.numbers))

    @property
    def doubled(self) -> int:
        """How many came twice or more."""
        return len(self.numbers) - len(set(self.numbers))

    @property
    def overtaken(self) -> int:
        """How many came after a later one."""
        latest, found = -1, 0
        for number in self.numbers:
            found += number < latest
            latest = max(latest, number)
        return found

    @property
    def bursts(self) -> list[int]:
        """The lengths of runs of lost ones."""
        return [
            len(list(run)) for _, run in groupby(enumerate(self.lost), key=lambda place: place[1] - place[0])
        ]


def read(file: Path, sent: int) -> Came:
    lines = [tuple(map(int, line.split())) for line in file.read_text(encoding="utf-8").splitlines()]
    return Came(sent, [line[0] for line in lines], [(line[2] - line[1]) / 1e9 for line in lines])


def behind_path(folder: Path, words: Sequence[str], server: str, client: str) -> str:
    """What the client says whose server is on the path's far side; it finds it at $PRONGHORN_SERVER."""
    result = path(
        *("--clock", "virtual", "--quiet", "--seed", SEED, *words, "--server", server),
        *("--", "sh", "-c", f"sleep 1; exec {client}"),
        folder=folder,
        env=programme.environment(),
    )
    assert result.status == 0, result.stderr
    return result.stdout


def through_path(folder: Path, words: Sequence[str], count: int, gap_ns: int) -> Came:
    file = folder / "path.txt"
    server = f"{PROBES} take 9000 {file}"
    behind_path(folder, words, server, f"{PROBES} send $PRONGHORN_SERVER 9000 {count} {gap_ns}")
    return read(file, count)


def behind_qdisc(folder: Path, qdisc: str, server: str, client: str, *, within: str = "") -> str:
    """The same where the client's device has that queueing discipline, and another `within` it."""
    script = "\n".join(
        [
            "import os, sys",
            "from pronghorn.guest import kernels, program",
            "os.environ['QDISC'], os.environ['WITHIN'] = sys.argv[1:3]",
            "sys.exit(program.run(kernels.need(), int(sys.argv[3]), sys.argv[4:]))",
        ]
    )
    argv = [
        sys.executable,
        "-c",
        script,
        qdisc,
        within,
        SEED,
        "sh",
        str(PROGRAMS / "netem.sh"),
        server,
        client,
    ]
    done = subprocess.run(argv, env=programme.environment(), capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def through_netem(folder: Path, qdisc: str, count: int, gap_ns: int) -> Came:
    file = folder / "netem.txt"
    server = f"{PROBES} take 9000 {file}"
    behind_qdisc(folder, qdisc, server, f"{PROBES} send $PRONGHORN_SERVER 9000 {count} {gap_ns}")
    return read(file, count)


def assert_alike(ours: int, theirs: int, count: int) -> None:
    """Asserts that two counts out of `count` each may have one probability."""
    share = (ours + theirs) / (2 * count)
    assert abs(ours - theirs) <= SIGMAS * math.sqrt(2 * count * share * (1 - share)), (ours, theirs)


COUNT, GAP_NS = 20_000, 1_000_000


def test_constant_delay(tmp_path: Path) -> None:
    ours = through_path(tmp_path, ["up.delay=40ms"], 200, GAP_NS)
    theirs = through_netem(tmp_path, "netem delay 40ms limit 100000", 200, GAP_NS)
    assert len(ours.numbers) == len(theirs.numbers) == 200
    assert max(abs(a - b) for a, b in zip(ours.delays_s, theirs.delays_s, strict=True)) < 100e-6
    assert fmean(ours.delays_s) == pytest.approx(0.04, abs=50e-6)


def test_uniform_loss(tmp_path: Path) -> None:
    ours = through_path(tmp_path, ["up.loss=5%"], COUNT, GAP_NS)
    theirs = through_netem(tmp_path, "netem loss 5% limit 100000", COUNT, GAP_NS)
    assert_alike(len(ours.lost), len(theirs.lost), COUNT)
    assert_alike(sum(one > 1 for one in ours.bursts), sum(one > 1 for one in theirs.bursts), COUNT)


def test_bursts_of_gilbert_and_elliott(tmp_path: Path) -> None:
    words = ["up.loss.model=gilbert-elliott", "up.loss.enter=1%", "up.loss.leave=25%"]
    ours = through_path(tmp_path, words, COUNT, GAP_NS)
    theirs = through_netem(tmp_path, "netem loss gemodel 1% 25% limit 100000", COUNT, GAP_NS)
    assert_alike(len(ours.bursts), len(theirs.bursts), COUNT)
    # Geometric lengths of mean 4 have a standard deviation of 3.46.
    spread = 3.46 * math.sqrt(1 / len(ours.bursts) + 1 / len(theirs.bursts))
    assert abs(fmean(ours.bursts) - fmean(theirs.bursts)) <= SIGMAS * spread


def test_duplication(tmp_path: Path) -> None:
    ours = through_path(tmp_path, ["up.duplicate=3%"], COUNT, GAP_NS)
    theirs = through_netem(tmp_path, "netem duplicate 3% limit 100000", COUNT, GAP_NS)
    assert_alike(ours.doubled, theirs.doubled, COUNT)


def test_reordering(tmp_path: Path) -> None:
    ours = through_path(tmp_path, ["up.delay=10ms", "up.reorder=2%"], COUNT, GAP_NS)
    theirs = through_netem(tmp_path, "netem delay 10ms reorder 2% limit 100000", COUNT, GAP_NS)
    assert_alike(skipped(ours), skipped(theirs), COUNT)
    # The packets that one overtakes overlap with those of the next, alike on both.
    assert abs(ours.overtaken - theirs.overtaken) <= SIGMAS * math.sqrt(
        10 * (ours.overtaken + theirs.overtaken)
    )


def skipped(came: Came) -> int:
    """How many did not wait for the delay."""
    return sum(delay < 0.005 for delay in came.delays_s)


def test_jitter(tmp_path: Path) -> None:
    words = ["up.delay=50ms", "up.jitter=5ms", "up.jitter.distribution=normal"]
    ours = through_path(tmp_path, words, 4_000, 50_000_000)
    theirs = through_netem(
        tmp_path, "netem delay 50ms 5ms distribution normal limit 100000", 4_000, 50_000_000
    )
    for came in (ours, theirs):
        assert fmean(came.delays_s) == pytest.approx(0.05, abs=SIGMAS * 0.005 / math.sqrt(4_000))
    distance = largest_distance(ours.delays_s, theirs.delays_s)
    # Kolmogorov and Smirnov's for two samples at 1e-7, and the steps of netem's table.
    assert distance <= math.sqrt(-math.log(1e-7 / 2) / 4_000) + 0.01


def test_rate(tmp_path: Path) -> None:
    ours = through_path(tmp_path, ["up.rate=10Mbit", "up.queue=4MB"], 2_000, 0)
    theirs = through_netem(tmp_path, "netem rate 10mbit limit 100000", 2_000, 0)
    assert len(ours.numbers) == len(theirs.numbers) == 2_000
    for came, packet_bytes in ((ours, 1028), (theirs, 1028 + 14)):
        # netem counts Ethernet's header, which a TUN device's packets don't have.
        expected_s = 2_000 * packet_bytes * 8 / 10e6
        assert came.delays_s[-1] == pytest.approx(expected_s, rel=0.01)


def test_goodput_of_tcp_through_a_queue(tmp_path: Path) -> None:
    send = f"{BULK} send $PRONGHORN_SERVER 9000 2 8"
    told = [
        behind_path(tmp_path, ["up.rate=20Mbit", "up.queue=150kB"], f"{BULK} take 9000", send),
        behind_qdisc(tmp_path, "tbf rate 20mbit burst 1514 limit 150000", f"{BULK} take 9000", send),
    ]
    ours, theirs = (
        float(acked) * 8 / float(seconds)
        for seconds, acked, *_ in (said.splitlines()[-1].split() for said in told)
    )
    # 1448 bytes of each segment are payload; tbf counts Ethernet's header besides the packet's 1500 bytes.
    assert ours == pytest.approx(20e6 * 1448 / 1500, rel=0.01)
    assert theirs == pytest.approx(20e6 * 1448 / 1514, rel=0.01)


BULK_COUNT, BULK_GAP_NS = 4_000, 700_000
SPARSE_COUNT, SPARSE_GAP_NS = 50, 50_000_000
PACKET_BYTES = 1028
RATE_BIT_PER_S = 10_000_000
TBF = f"tbf rate {RATE_BIT_PER_S * (PACKET_BYTES + 14) // PACKET_BYTES}bit burst 1514 limit 4000000"
"""tbf counts Ethernet's header: a rate by which a packet takes as long as on the path."""


def under_pressure(folder: Path, discipline: str) -> tuple[list[Came], list[Came]]:
    """A flow that asks for 17 % more than the rate, and a sparse one beside it, through the path's queue and
    through the kernel's of that name."""
    files = [[folder / f"{where}-{flow}.txt" for flow in ("bulk", "sparse")] for where in ("path", "kernel")]
    sends = (
        f"{PROBES} send $PRONGHORN_SERVER 9000 {BULK_COUNT} {BULK_GAP_NS} 9001 {SPARSE_COUNT} {SPARSE_GAP_NS}"
    )
    takes = [f"{PROBES} take 9000 {bulk} 9001 {sparse}" for bulk, sparse in files]
    words = [
        f"up.rate={RATE_BIT_PER_S}bit",
        "up.queue.limit=1000packets",
        f"up.queue.discipline={discipline}",
    ]
    behind_path(folder, words, takes[0], sends)
    kernels_own = f"{discipline.replace('-', '_')} limit 1000 noecn"
    behind_qdisc(folder, TBF, takes[1], sends, within=kernels_own)
    ours, theirs = (
        [read(file, count) for file, count in zip(pair, (BULK_COUNT, SPARSE_COUNT), strict=True)]
        for pair in files
    )
    return ours, theirs


@pytest.mark.parametrize("discipline", ["codel", "fq-codel"])
def test_queues_that_are_managed(discipline: str, tmp_path: Path) -> None:
    """Nothing is drawn by chance here. tbf takes its next packet while the last one is sent: CoDel gives it
    out, and measures its wait, a packet's 0.8 ms earlier than the path does. While the queue grows by 0.12 ms
    a packet, such a wait is reached 7 packets later, and two of them 14."""
    (bulk, sparse), (their_bulk, their_sparse) = under_pressure(tmp_path, discipline)
    assert bulk.lost[0] == pytest.approx(their_bulk.lost[0], abs=14)
    assert len(bulk.lost) == pytest.approx(len(their_bulk.lost), rel=0.05)
    assert fmean(bulk.delays_s) == pytest.approx(fmean(their_bulk.delays_s), rel=0.05)
    assert max(bulk.delays_s) == pytest.approx(max(their_bulk.delays_s), rel=0.05)
    assert len(sparse.lost) == pytest.approx(len(their_sparse.lost), abs=2)
    assert fmean(sparse.delays_s) == pytest.approx(fmean(their_sparse.delays_s), rel=0.05, abs=0.0005)


def largest_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Kolmogorov and Smirnov's distance between two samples."""
    merged = sorted([(value, 1 / len(one)) for value in one] + [(value, -1 / len(other)) for value in other])
    found = total = 0.0
    for _, weight in merged:
        total += weight
        found = max(found, abs(total))
    return found


def test_both_run_in_the_same_kernel() -> None:
    assert program.run(kernels.need(), 1, ["tc", "qdisc", "show"]) == 0
