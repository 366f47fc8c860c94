"""A/A runs: an arm against itself. Whatever verdict of a difference they reach is a false one."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scipy.stats import binom

from pronghorn.model.summary import Verdict

from ..e2e import experiments, programme
from ..e2e.programme import Run

ARMS = ("h2", "h2#again")
BLOCKS = 12

WRONG = 0.05
"""The largest share of runs that may decide, since the intervals hold 95 %. It is less in truth: a verdict
asks for an interval wholly outside the equivalence margin."""

ATTEMPTS = 3
"""How often a run is made of which a busy host contaminates most blocks."""

FALSE_ALARM = 0.003
"""The largest chance that a program which keeps to that share fails its test."""


def most_decided(runs: int) -> int:
    """How many of `runs` may decide before it is too great a surprise: 2 of 3, 4 of 20."""
    return int(binom.isf(FALSE_ALARM, runs, WRONG))


def verdicts(
    folder: Path, seeds: Sequence[int], paths: Sequence[str], *, at_once: int
) -> list[dict[str, Verdict]]:
    """Runs an A/A experiment for each seed; each run's verdict on the load's median, by path."""

    def one(seed: int) -> dict[str, Verdict]:
        experiment = experiments.write(
            folder,
            arms=ARMS,
            repeat=BLOCKS,
            paths=paths,
            sites=["small"],
            seed=seed,
            name=f"experiment-{seed}.toml",
        )
        for attempt in range(ATTEMPTS):
            out = f"seed-{seed}-{attempt}"
            result = programme.run("run", str(experiment), "--out", out, folder=folder)
            assert result.status == 0, result.stderr
            cells = Run(folder / out).summary().cells
            if all(cell.blocks > BLOCKS / 2 for cell in cells):
                break
        found = {}
        for cell in cells:
            comparison = cell.comparison("h2#again")
            assert comparison is not None
            assert cell.blocks > BLOCKS / 2, f"{cell.path}: {cell.abandoned} blocks were contaminated"
            found[cell.path] = comparison.verdict
        return found

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(one, seeds))


def decided(verdict: Verdict) -> bool:
    """Whether a verdict tells the arms apart."""
    return verdict in ("faster", "slower")
