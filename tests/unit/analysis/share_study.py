"""How often the shares' intervals are right: the study behind docs/methodology.md.

    python -m tests.unit.analysis.share_study [EXPERIMENTS] [BLOCKS…]

prints, as Markdown, for each chain of arms and number of blocks the coverage in per cent of the nominal 95 %
intervals of the first step's share, of the logarithm and of the seconds, and in how many per cent of the
experiments there were shares.
"""

import sys

import numpy as np

from pronghorn.analysis.bootstrap import divide, percentiles, resampled_medians
from pronghorn.analysis.explain import Medians, shares

from .chains import CHAINS, Chain

RESAMPLES = 1000


def row(chain: Chain, blocks: int, experiments: int, place: int) -> str:
    """One cell of the table."""
    rng = np.random.default_rng([blocks, place])
    told = 0
    covered = np.zeros(2)
    for times in chain.draw(rng, experiments, blocks):
        medians = Medians(np.median(times, axis=0), resampled_medians(times, rng, resamples=RESAMPLES))
        low, high = percentiles(divide(medians.drawn[:, -1], medians.drawn[:, 0]), least=0.0)
        if low <= 1 <= high:
            continue
        told += 1
        covered += [
            found[0].low <= truth <= found[0].high
            for found, truth in zip(shares(medians), chain.truths, strict=True)
        ]
    right = " / ".join(f"{100 * each:.1f}" for each in covered / max(told, 1))
    return f"{right} ({100 * told / experiments:.0f})"


if __name__ == "__main__":
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    numbers = [int(argument) for argument in sys.argv[2:]] or [6, 12, 20, 40]
    print(f"| chain | {' | '.join(f'{blocks} blocks' for blocks in numbers)} |")
    print(f"|---|{'---|' * len(numbers)}")
    for place, chain in enumerate(CHAINS):
        cells = [row(chain, blocks, experiments, place) for blocks in numbers]
        print(f"| {chain.name} | {' | '.join(cells)} |", flush=True)
