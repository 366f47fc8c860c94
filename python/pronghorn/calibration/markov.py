"""How often a Markov chain hits in so many steps: the exact distribution, for exact intervals."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pronghorn.calibration.rows import FALSE_ALARM

Matrix = NDArray[np.float64]

LONGEST_RUN = 10
"""The longest run that a chain here counts."""

MOST_WORK = 5e6
"""The largest product of steps and squared states for which a distribution is worked out."""


class Chain(NamedTuple):
    """A chain that starts in its first state; `hit[i, j]` and `miss[i, j]` are the chances that a step goes
    from state i to j with and without a hit."""

    hit: Matrix
    miss: Matrix

    @property
    def share(self) -> float:
        """The long-run share of hits."""
        # A chain that may rest at each step has the same shares, and no period.
        many = 0.5 * (np.eye(len(self.hit)) + self.hit + self.miss)
        for _ in range(40):
            many = many @ many
            many /= many.sum(axis=1, keepdims=True)
        return float(many[0] @ self.hit.sum(axis=1))

    def feasible(self, steps: int) -> bool:
        """Whether the distribution over so many steps can be had at little cost."""
        return len(self.hit) ** 2 * (steps + 1) <= MOST_WORK

    def distribution(self, steps: int) -> Matrix:
        """The chances of 0 to `steps` hits, by the generating function at the roots of unity."""
        roots = np.exp(-2j * np.pi * np.arange(steps + 1) / (steps + 1))
        matrices = self.miss[None] + roots[:, None, None] * self.hit[None]
        state = np.zeros((steps + 1, len(self.hit)), dtype=complex)
        state[:, 0] = 1.0
        left = steps
        while left:
            if left & 1:
                state = np.einsum("ki,kij->kj", state, matrices)
            matrices = matrices @ matrices
            left >>= 1
        chances = np.fft.ifft(state.sum(axis=1)).real
        return np.clip(chances, 0.0, None)

    def interval(self, steps: int) -> tuple[int, int]:
        """The numbers of hits that are no surprise: outside lies a chance of at most FALSE_ALARM."""
        chances = self.distribution(steps)
        below = np.cumsum(chances)
        above = np.cumsum(chances[::-1])[::-1]
        low = int(np.argmax(below > FALSE_ALARM / 2))
        high = int(len(above) - 1 - np.argmax(above[::-1] > FALSE_ALARM / 2))
        return low, high


def chance(probability: float, correlation: float) -> Chain:
    """A probability with a memory: after a hit p + r (1 - p), after a miss p (1 - r), at first p."""
    after_hit = probability + correlation * (1 - probability)
    after_miss = probability * (1 - correlation)
    hits = np.array([probability, after_hit, after_miss])
    hit, miss = np.zeros((3, 3)), np.zeros((3, 3))
    hit[:, 1] = hits
    miss[:, 2] = 1 - hits
    return Chain(hit, miss)


def bounded(probability: float, correlation: float, longest: int) -> Chain:
    """A chance whose hits become misses after `longest` in a row, which its memory is not told."""
    free = chance(probability, correlation)
    memories, runs = 3, longest + 1
    hit, miss = np.zeros((memories * runs,) * 2), np.zeros((memories * runs,) * 2)
    for run in range(runs):
        for memory in range(memories):
            here = run * memories + memory
            miss[here, 2] += free.miss[memory, 2]
            if run < longest:
                hit[here, (run + 1) * memories + 1] += free.hit[memory, 1]
            else:
                miss[here, 1] += free.hit[memory, 1]
    return Chain(hit, miss)


def gilbert_elliott(enter: float, leave: float, loss_bad: float, loss_good: float) -> Chain:
    """The two states good and bad; the state found decides on the loss, then the chain moves."""
    step = np.array([[1 - enter, enter], [leave, 1 - leave]])
    loss = np.array([[loss_good], [loss_bad]])
    return Chain(step * loss, step * (1 - loss))


def four_state(p13: float, p31: float, p32: float, p23: float, p14: float) -> Chain:
    """The states 1 (received, gap), 2 (received, burst), 3 (lost, burst) and 4 (lost, gap), of which the one
    moved to decides."""
    step = np.array(
        [
            [1 - p13 - p14, 0.0, p13, p14],
            [0.0, 1 - p23, p23, 0.0],
            [p31, p32, 1 - p31 - p32, 0.0],
            [1.0, 0.0, 0.0, 0.0],
        ]
    )
    lost = np.array([0.0, 0.0, 1.0, 1.0])
    return Chain(step * lost, step * (1 - lost))


def with_gap(probability: float, correlation: float, gap: int) -> Chain:
    """A chance that is only asked after `gap` - 1 misses in a row, and remembers when it was asked last."""
    free = chance(probability, correlation)
    memories, waits = 3, gap
    hit, miss = np.zeros((memories * waits,) * 2), np.zeros((memories * waits,) * 2)
    for waited in range(waits):
        for memory in range(memories):
            here = waited * memories + memory
            if waited < gap - 1:
                miss[here, (waited + 1) * memories + memory] = 1.0
            else:
                hit[here, 1] = free.hit[memory, 1]
                miss[here, (gap - 1) * memories + 2] = free.miss[memory, 2]
    return Chain(hit, miss)
