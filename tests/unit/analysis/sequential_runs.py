"""Simulated cells that are sampled until their answer is known, by the code that runs use."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pronghorn.analysis import stopping
from pronghorn.analysis.bootstrap import Estimate, ratio_of
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.sequential import Boundary
from pronghorn.analysis.verdict import decide, minimum_blocks
from pronghorn.model.sampling import Sampling
from pronghorn.model.summary import Verdict

from .populations import Times

MARGIN = 0.03


class End(NamedTuple):
    """With what an experiment stopped, and after how many blocks."""

    blocks: int
    verdict: Verdict
    estimate: Estimate

    def covers(self, ratio: float) -> bool:
        """Whether its interval holds the true ratio."""
        return self.estimate.low <= ratio <= self.estimate.high


def sampled(times: Times, sampling: Sampling, label: str, resamples: int) -> End:
    """One experiment's end; `times` are (blocks, 2), at least the most of `sampling`."""
    boundary = Boundary.between(sampling.least, sampling.most)
    for look in boundary.looks:
        rng = generator(1, "sequential", label)
        confidence = boundary.confidence(look)
        arm, baseline = times[:look].T
        estimate = ratio_of("median", arm, baseline, rng, resamples=resamples, confidence=confidence)
        least = minimum_blocks(confidence)
        verdict, _ = decide(estimate, margin=MARGIN, blocks=look, least=least)
        if look == sampling.most or stopping.reason(sampling, [(verdict, estimate)]) is not None:
            return End(look, verdict, estimate)
    raise AssertionError("the last look is at the most blocks")


def ends(
    draw: Callable[[np.random.Generator, int, int], Times],
    experiments: int,
    sampling: Sampling,
    *,
    seed: int,
    resamples: int,
    ratio: float = 1.0,
    failing: float = 0.0,
) -> list[End]:
    """The ends of so many experiments whose first arm takes `ratio` of its population's times, and in which
    loads of both arms fail with the chance `failing`."""
    rng = np.random.default_rng(seed)
    times = draw(rng, experiments, sampling.most)
    times[..., 0] *= ratio
    times[rng.random(times.shape) < failing] = math.inf
    return [sampled(one, sampling, str(place), resamples) for place, one in enumerate(times)]
