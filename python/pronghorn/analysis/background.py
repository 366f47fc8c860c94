"""What the loads beside a cell's page loads came to: whether every arm had the same beside it."""

import statistics

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.numbers import listed, rate


def notes(trials: CellTrials) -> list[str]:
    """A sentence on a cell whose page loads had another load beside them."""
    rates = {
        arm: [one.background.requests_per_second for one in trials.of(arm) if one.background is not None]
        for arm in trials.arms
    }
    told = [f"{rate(statistics.median(found))} with {arm}" for arm, found in rates.items() if found]
    if not told:
        return []
    said = f"Its requests per second: {listed(told)} (medians)"
    return [f"Another load ran over the same path beside the page. {said}."]
