"""Ten paths, each within the one before."""

import json
from pathlib import Path

from . import programme
from .benches import PROGRAMS
from .path_command import PYTHON, path

KERNEL_PINGS = f"{PYTHON} {PROGRAMS / 'kernel_pings.py'}"
COUNTED = ("lateness", "wake", "handover")


class Nest:
    """Round trips through ten paths; over their links, the sums of the median lateness, wake and handover, of
    the means and the largest of these, and of the largest wait for a CPU."""

    def __init__(
        self,
        round_trips_ms: list[float],
        late_ms: float,
        mean_late_ms: float,
        latest_ms: float,
        waited_ms: float,
    ) -> None:
        self.round_trips_ms = round_trips_ms
        self.median_ms = sorted(round_trips_ms)[len(round_trips_ms) // 2]
        self.late_ms = late_ms
        self.mean_late_ms = mean_late_ms
        self.latest_ms = latest_ms
        self.waited_ms = waited_ms


def ten_paths(delay: str, pings: int, pause_s: float, isolation: str, folder: Path) -> Nest:
    """Pings the outermost far host from within ten paths. As `user`, the outermost is made by the means of an
    ordinary user; within it everybody is root of a namespace. In a `guest` all of them have a virtual
    clock."""
    folder.mkdir()
    env = programme.environment(PYTHON=programme.COMMAND[0])
    if isolation == "user":
        env["PRONGHORN_ISOLATION"] = "user"
    ping = f"exec {KERNEL_PINGS} $OUTERMOST {pings} {pause_s}"
    inner = ["env", "-u", "PRONGHORN_ISOLATION", "sh", str(PROGRAMS / "nest.sh"), "9", str(folder)]
    result = path(
        *(("--clock", "virtual") if isolation == "guest" else ()),
        *(f"delay={delay}", "--json", str(folder / "10.json"), "--server", "sleep 99"),
        *("--", *inner, f"delay={delay}", "sh", "-c", ping),
        folder=folder,
        env=env,
    )
    assert result.status == 0, result.stderr
    counters = [json.loads(told.read_text())["counters"] for told in folder.glob("*.json")]
    assert len(counters) == 10
    links = [one[direction] for one in counters for direction in ("down", "up")]

    def total_ms(figure: str, *parts: str) -> float:
        return sum(float(link[part][figure]) for link in links for part in parts) * 1e3

    return Nest(
        [int(line) / 1e6 for line in result.stdout.split()],
        total_ms("median_s", *COUNTED),
        total_ms("mean_s", *COUNTED),
        total_ms("max_s", *COUNTED, "intake_wait"),
        total_ms("max_s", "intake_wait"),
    )
