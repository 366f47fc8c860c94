"""Where the interval of a mean is not to be trusted: few blocks of skewed times, or tails of any length.

Skewness: Cochran, "Sampling Techniques" (1977), section 2.15: the normal interval of a mean is wrong at most
6 % of the time from 25 G² blocks on, G being the skewness. A studentised one follows the skewness, and gets
by with fewer. Tails: where logarithms, too, have more kurtosis than those of log-normal times would by
chance, the mean may hang on a load that wasn't seen yet, or not exist. How often either flags which times
was simulated (docs/methodology.md).
"""

import math
from collections.abc import Mapping

import numpy as np

from pronghorn.analysis.numbers import count
from pronghorn.analysis.times import Times

BLOCKS_PER_SKEWNESS = 10
STANDARD_ERRORS = 3
"""By how many of its standard errors under normality, the root of 24 / n, a kurtosis counts as more than
chance."""


def of_means(values: Mapping[str, Times]) -> str | None:
    """Why the interval of a ratio or difference of the means of two arms is suspect, from the arms' values,
    one a block; None where it is not, or there are no such means."""
    if not all(len(one) > 2 and np.isfinite(one).all() for one in values.values()):
        return None
    skewed = {name: skewness(one) for name, one in values.items()}
    name = max(skewed, key=lambda one: abs(skewed[one]))
    needed, blocks = math.ceil(BLOCKS_PER_SKEWNESS * skewed[name] ** 2), len(values[name])
    if blocks < needed:
        return _said(
            f"values as skewed as those of {name} (skewness {skewed[name]:.1f}) need {count(needed, 'block')}"
        )
    tails = {name: kurtosis(np.log(one)) for name, one in values.items() if (one > 0).all()}
    name = max(tails, key=lambda one: tails[one], default="")
    if name and tails[name] > STANDARD_ERRORS * math.sqrt(24 / blocks):
        why = f"excess kurtosis of the logarithms {tails[name]:.1f}"
        return _said(
            f"values with tails as heavy as those of {name} ({why}) may have a mean that no load has "
            "shown yet"
        )
    return None


def _said(why: str) -> str:
    return f"the mean's interval is not reliable: {why}"


def skewness(values: Times) -> float:
    """Fisher's measure, the third moment about the mean over the third power of the standard deviation; 0
    where all values are the same."""
    return _moment(values, 3)


def kurtosis(values: Times) -> float:
    """The fourth moment about the mean over the square of the variance, less the 3 that normal values have;
    -3 where all values are the same."""
    return _moment(values, 4) - 3


def _moment(values: Times, power: int) -> float:
    away = values - values.mean()
    spread = math.sqrt(float((away**2).mean()))
    if spread <= 1e-12 * float(np.abs(values).max()):
        return 0.0
    return float((away**power).mean()) / spread**power
