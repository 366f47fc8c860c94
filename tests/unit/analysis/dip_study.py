"""The table of `pronghorn.analysis.dip`: how large the dip of uniform samples is.

    python -m tests.unit.analysis.dip_study [SAMPLES]

prints a line a size. With 100 000 samples the last column is of a hundred of them.
"""

import math
import sys

import numpy as np

from pronghorn.analysis.dip import SIZES, TAILS, dip


def scaled(size: int, samples: int) -> list[float]:
    """The dips' quantiles at TAILS, times the root of the size."""
    rng = np.random.default_rng([24, size])
    found = np.array([dip(rng.random(size)) for _ in range(samples)]) * math.sqrt(size)
    return [float(value) for value in np.quantile(found, [1 - tail for tail in TAILS])]


def main() -> None:
    """Prints the table."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for size in SIZES:
        print(f"({', '.join(f'{value:.4f}' for value in scaled(size, samples))}),", flush=True)


if __name__ == "__main__":
    main()
