"""Values that lie far outside the others, by the modified Z-score.

Source: Iglewicz & Hoaglin, "How to Detect and Handle Outliers" (ASQC Quality Press, 1993), section 3: the
distance from the median in units of the median absolute deviation (MAD), scaled by 0.6745 so that it counts
standard deviations of a normal sample; where more than half of the values are equal, the mean absolute
deviation takes the MAD's place. Their cut-off is 3.5, for one look at one sample. Of small samples, of which
a run has many, it flags too often, since their MAD is uncertain; so it rises here with the number of looks.
"""

import math

import numpy as np

from pronghorn.analysis.times import Times

LEAST_VALUES = 8
"""Nothing is said about fewer values."""

LEAST_CUTOFF = 3.5

_NORMAL_MAD = 0.6745
_NORMAL_MEAN_DEVIATION = 1.253314
_EFFICIENCY = 0.37
"""Of the MAD as an estimate of a normal sample's spread, against the standard deviation's (Rousseeuw & Croux,
"Alternatives to the median absolute deviation", JASA 88 (1993))."""


def scores(values: Times) -> Times:
    """The modified Z-score of each of the values, all of them finite; zeros where they do not differ."""
    distances = values - np.median(values)
    spread = float(np.median(np.abs(distances))) / _NORMAL_MAD
    if spread <= 0:
        spread = float(np.mean(np.abs(distances))) * _NORMAL_MEAN_DEVIATION
    return distances / spread if spread > 0 else np.zeros_like(distances)


def cutoff(values: int, looks: int, false_alarms: float) -> float:
    """The score beyond which one of so many `values` of a sample is an outlier, where `looks` values are
    looked at in all: of normal samples any is beyond it in at most a share of `false_alarms` of the runs.

    The score is taken for Student's t with 0.37 n degrees of freedom, after the MAD's efficiency, and
    corrected after Bonferroni; simulation shows that to be on the safe side.
    """
    # A tenth of a second that runs with few values do without.
    from scipy.special import stdtrit

    tail = false_alarms / looks / 2
    return max(LEAST_CUTOFF, -float(stdtrit(max(1.0, _EFFICIENCY * values), tail)))


def logarithms(values: Times) -> Times:
    """The logarithms of the positive finite values, NaN in the others' places: delays multiply, so it is
    these that may be normal."""
    known = np.isfinite(values) & (values > 0)
    return np.log(np.where(known, values, math.nan))
