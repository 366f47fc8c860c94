"""How far a sample is from having a single mode: the dip, and how probable so large a one is by chance.

Hartigan & Hartigan, "The dip test of unimodality", Annals of Statistics 13 (1985): the dip is the largest
distance between the sample's distribution and the unimodal one (its density rises, then falls) that is
nearest to it in that respect. Of unimodal populations the uniform one is taken as the worst, as they do: its
dip is the largest in large samples of any whose density falls off exponentially.
"""

import math

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.times import Times

Places = npt.NDArray[np.intp]

SIZES = (8, 10, 12, 16, 24, 50, 100, 400, 2000)
TAILS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
SCALED = (
    (0.3139, 0.3548, 0.4008, 0.4348, 0.4687, 0.4886, 0.5064, 0.5287, 0.5503),
    (0.3090, 0.3765, 0.4143, 0.4422, 0.4777, 0.5042, 0.5283, 0.5550, 0.5733),
    (0.3156, 0.3814, 0.4153, 0.4510, 0.4907, 0.5139, 0.5376, 0.5656, 0.5874),
    (0.3255, 0.3895, 0.4277, 0.4621, 0.5031, 0.5300, 0.5532, 0.5834, 0.6019),
    (0.3327, 0.3994, 0.4403, 0.4755, 0.5179, 0.5475, 0.5734, 0.6040, 0.6255),
    (0.3459, 0.4156, 0.4587, 0.4976, 0.5435, 0.5734, 0.6029, 0.6388, 0.6661),
    (0.3552, 0.4267, 0.4706, 0.5105, 0.5601, 0.5931, 0.6225, 0.6547, 0.6850),
    (0.3667, 0.4416, 0.4879, 0.5287, 0.5774, 0.6119, 0.6433, 0.6781, 0.7069),
    (0.3737, 0.4494, 0.4964, 0.5365, 0.5872, 0.6237, 0.6564, 0.6970, 0.7282),
)
"""For each of the SIZES the dip times the root of the size that uniform samples exceed with the
probabilities of TAILS (`tests/unit/analysis/dip_study.py`)."""


def dip(values: Times) -> float:
    """The dip of at least one finite value, from 1 / (2 n) to 0.25.

    By the paper's own algorithm (its section 3): the greatest convex minorant and the least concave majorant
    of the distribution are drawn within an interval that narrows to the modal one; what of the distribution
    was left outside on either side counts by its distance from the one or the other.
    """
    places, counts = np.unique(values, return_counts=True)
    above = np.cumsum(counts).astype(np.float64)
    below = above - counts
    widest = 1.0
    low, high = 0, len(places) - 1
    while high > low:
        part = slice(low, high + 1)
        x, under, over = places[part], below[part], above[part]
        minorant, majorant = _convex(x, under), _convex(x, -over)
        rising = np.interp(x, x[minorant], under[minorant])
        falling = np.interp(x, x[majorant], over[majorant])
        apart = falling - rising
        at_minorant = minorant[np.argmax(apart[minorant])]
        at_majorant = majorant[np.argmax(apart[majorant])]
        if max(apart[at_minorant], apart[at_majorant]) <= widest:
            break
        if apart[at_minorant] > apart[at_majorant]:
            left = int(at_minorant)
            right = int(majorant[np.searchsorted(majorant, left)])
        else:
            right = int(at_majorant)
            left = int(minorant[np.searchsorted(minorant, right, side="right") - 1])
        outside = (over - rising)[: left + 1], (falling - under)[right:]
        widest = max(widest, *(float(one.max()) for one in outside))
        if (left, right) == (0, high - low):
            break
        low, high = low + left, low + right
    return widest / (2 * len(values))


def p_value(found: float, size: int) -> float:
    """The probability of a dip of at least `found` in so many uniform values, at least SIZES[0]; between the
    table's sizes by interpolation, beyond its last tail as a normal tail goes on."""
    scaled = found * math.sqrt(size)
    place = np.interp(math.log(size), np.log(SIZES), np.arange(len(SIZES)))
    lower = min(int(place), len(SIZES) - 2)
    share = place - lower
    row = (1 - share) * np.asarray(SCALED[lower]) + share * np.asarray(SCALED[lower + 1])
    logs = np.log(TAILS)
    if scaled <= row[0]:
        return 1.0
    if scaled <= row[-1]:
        return float(np.exp(np.interp(scaled**2, row**2, logs)))
    slope = (logs[-1] - logs[-4]) / (row[-1] ** 2 - row[-4] ** 2)
    return float(np.exp(logs[-1] + slope * (scaled**2 - row[-1] ** 2)))


def _convex(x: Times, y: Times) -> Places:
    """Which of the points, sorted by x, are corners of their greatest convex minorant."""
    corners: list[int] = []
    across, up = x.tolist(), y.tolist()
    for place in range(len(across)):
        while len(corners) > 1:
            before, last = corners[-2], corners[-1]
            rise = (up[last] - up[before]) * (across[place] - across[before])
            if rise < (up[place] - up[before]) * (across[last] - across[before]):
                break
            corners.pop()
        corners.append(place)
    return np.array(corners, dtype=np.intp)
