"""A map as data: map.json."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pronghorn import __version__
from pronghorn.analysis.numbers import count
from pronghorn.mapping.batches import SeenPoint
from pronghorn.mapping.domain import AXES, Array, Domain
from pronghorn.mapping.explore import BLOCKS, Reason
from pronghorn.mapping.fitted import VERDICTS, Boundary, Fitted
from pronghorn.mapping.terms import ARMS, Terms

FORMAT = 1

FULL_GRID = (8, 8, 5)
FULL_GRID_BLOCKS = 6
"""What a map is measured against: a grid of this many values of round trip, loss and rate, each with the
fewest blocks that a verdict rests on (`analysis/verdict.py`)."""

_DIGITS = 5


def document(
    terms: Terms,
    found: Fitted,
    seen: Sequence[SeenPoint],
    *,
    arm: str,
    baseline: str,
    reason: Reason,
    sentences: Sequence[str],
    warnings: Sequence[dict[str, Any]],
    origin_versions: Sequence[str] = (),
) -> dict[str, Any]:
    """The map as JSON has it: seconds, shares, bits per second; ratios of the arm's load time to the
    baseline's. Arrays over the grid are indexed by round trip, loss and rate."""
    trials = ARMS * sum(len(one.blocks) for one in seen)
    whole = full_grid_trials(found.domain)
    return {
        "format": FORMAT,
        "program": __version__,
        **terms.definition(),
        "origin_versions": list(origin_versions),
        "arm": arm,
        "baseline": baseline,
        "margin_share": found.margin,
        "sentences": list(sentences),
        "stopped": reason,
        "trials": trials,
        "trials_contaminated": sum(one.contaminated for one in seen),
        "blocks_a_point": BLOCKS,
        "full_grid": {"trials": whole, "share": _digits(trials / whole)},
        "regions": {verdict: _digits(found.share(verdict)) for verdict in VERDICTS},
        "warnings": list(warnings),
        "fit": {
            "lengths": {name: _digits(float(one)) for name, one in zip(AXES, found.lengths, strict=True)},
            "signal_sd": _digits(found.signal_sd),
            "nugget_sd": _digits(found.nugget_sd),
            "left_out_rms": _digits(found.left_out_rms),
        },
        "grid": {
            "rtt_s": found.values(0),
            "loss": found.values(1),
            "rate_bit_per_s": found.values(2),
        },
        "surface": {
            "ratio": _nested(np.exp(found.mean)),
            "low": _nested(np.exp(found.low)),
            "high": _nested(np.exp(found.high)),
            "probability": {name: _nested(one) for name, one in found.probability.items()},
            "region": np.array(VERDICTS, dtype=object)[found.region].tolist(),
        },
        "boundaries": [_boundary(one) for one in found.boundaries()],
        "points": [_point(one) for one in seen],
    }


def cautions(found: Fitted, seen: Sequence[SeenPoint]) -> list[dict[str, Any]]:
    """The warnings of points at which nothing loaded, and of a surface that its own points contradict."""
    return [*_of_barren(seen), *_of_fit(found)]


def _of_barren(seen: Sequence[SeenPoint]) -> list[dict[str, Any]]:
    barren = sum(one.observation.barren for one in seen)
    if not barren:
        return []
    return [
        {
            "code": "nothing-loaded",
            "text": f"At {barren} of {count(len(seen), 'point')} no load of either arm succeeded. They "
            "are left out: there the map predicts from other points.",
            "remedy": "Read why in the reports of these points' batches, or map narrower ranges.",
            "batches": sorted({one.batch for one in seen if one.observation.barren}),
        }
    ]


def _of_fit(found: Fitted) -> list[dict[str, Any]]:
    if found.fits:
        return []
    return [
        {
            "code": "poor-fit",
            "text": f"Left out one by one, the points lie {found.left_out_rms:.1f} standard deviations "
            "from what the others predict. The surface is rougher than the map, and its bands "
            "are too narrow.",
            "remedy": "Continue with a larger --budget (--resume), or map narrower ranges.",
            "batches": [],
        }
    ]


def full_grid_trials(domain: Domain) -> int:
    """The trials of the full grid, which has one value on an axis that is fixed."""
    sizes = (1 if axis.fixed else size for axis, size in zip(domain, FULL_GRID, strict=True))
    return int(np.prod(list(sizes))) * FULL_GRID_BLOCKS * ARMS


def _boundary(one: Boundary) -> dict[str, Any]:
    return {
        "level": one.level,
        "along": one.along,
        "at": one.at,
        "value": one.value,
        "between": [one.low, one.high],
    }


def _point(one: SeenPoint) -> dict[str, Any]:
    observed = one.observation
    several = len(observed.log_ratios) > 1
    error = float(np.std(observed.log_ratios, ddof=1)) / len(observed.log_ratios) ** 0.5 if several else None
    return {
        **one.point._asdict(),
        "path": one.point.name,
        "batch": one.batch,
        "ratio": _digits(float(np.exp(observed.mean))) if observed.log_ratios else None,
        "log_ratio_error": None if error is None else _digits(error),
        "contaminated": one.contaminated,
        "blocks": [
            {
                "block": block.number,
                "load_s": block.load_s,
                "log_ratio": None if block.log_ratio is None else _digits(block.log_ratio),
            }
            for block in one.blocks
        ],
    }


def _nested(values: Array) -> Any:
    return np.vectorize(_digits, otypes=[float])(values).tolist()


def _digits(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
