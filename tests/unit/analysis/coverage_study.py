"""How often the product's intervals are right: the study behind the tables in docs/methodology.md.

    python -m tests.unit.analysis.coverage_study [EXPERIMENTS] [BLOCKS…]

prints, as Markdown, for each number of blocks and population the coverage in per cent of the nominal 95 %
intervals of each statistic's ratio / difference, in how many per cent of the experiments the mean was
flagged, and in how many arms that are alike were told apart by the verdict / by the rank test; then the
coverage of the order-statistic intervals, and the power of the rank test on the path `lte`.
"""

import sys
from collections.abc import Sequence

from pronghorn.analysis.figures import QUANTILES
from pronghorn.analysis.verdict import LEAST_BLOCKS

from .coverage import Tally, examine, found_by_ranks, held_by_order
from .populations import LTE, POPULATIONS, Population

FLAGGED, APART = "mean flagged", "told apart: verdict / ranks"


def row(population: Population, tally: Tally, statistics: Sequence[str]) -> str:
    """One population's line."""

    def percent(number: int) -> str:
        return f"{100 * number / tally.experiments:.1f}"

    cells = [f"{percent(tally.ratios[each])} / {percent(tally.differences[each])}" for each in statistics]
    apart = f"{percent(tally.decided)} / {percent(tally.rejected)}" if population.alike else "–"
    return f"| {population.name} | {' | '.join(cells)} | {percent(tally.flagged)} | {apart} |"


def by_blocks(blocks: int, experiments: int) -> None:
    """Prints the intervals' coverage at a number of blocks."""
    statistics = [each for each, least in LEAST_BLOCKS.items() if blocks >= least]
    print(f"\n{blocks} blocks, {experiments} experiments a row\n")
    print(f"| population | {' | '.join((*statistics, FLAGGED, APART))} |")
    print(f"|---|{'---|' * (len(statistics) + 2)}")
    for population in POPULATIONS:
        print(row(population, examine(population, blocks, experiments), statistics), flush=True)


def by_order(experiments: int) -> None:
    """Prints the coverage of the arms' own intervals."""
    numbers = (6, 12, 20, 50, 100, 300)
    print("\n| quantile | population |" + "".join(f" {blocks} blocks |" for blocks in numbers))
    print(f"|---|---|{'---|' * len(numbers)}")
    for name, share in {"median": 0.5, **QUANTILES}.items():
        for population in (one for one in POPULATIONS if one.alike):
            found = [held_by_order(population, share, blocks, experiments) for blocks in numbers]
            shown = ["–" if held is None else f"{100 * held / experiments:.1f}" for held in found]
            print(f"| {name} | {population.name} | {' | '.join(shown)} |", flush=True)


def power(experiments: int) -> None:
    """Prints how often the rank test finds 5 % at the noise of `lte`."""
    numbers = (6, 12, 20, 30, 50, 100)
    print("\n| noise |" + "".join(f" {blocks} blocks |" for blocks in numbers))
    print(f"|---|{'---|' * len(numbers)}")
    for noise in LTE:
        found = [found_by_ranks(noise, 0.95, blocks, experiments) for blocks in numbers]
        shown = [f"{100 * times / experiments:.1f}" for times in found]
        print(f"| {noise.name} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    power(experiments)
    by_order(experiments)
    for blocks in [int(argument) for argument in sys.argv[2:]] or [6, 12, 20, 50, 100]:
        by_blocks(blocks, experiments)
