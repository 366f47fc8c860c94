"""What measurements make of published claims. A claim is data (`data/studies`), and the rules are general:

    expression.py (model)   what is compared: `h3 / h2`, over any figures
    judged.py               the statements of a claim: published value and bounds
    sampled.py              what an expression comes to in measured cells, with its interval
    bounds.py               where that lies against the bounds
    loads.py                a run of loads against the study that its experiment names

A value is reproduced where its 95 % interval lies wholly within its bounds, not reproduced where wholly
outside, and else undecided; see docs/methodology.md."""

from pronghorn.analysis.claims.loads import judge

__all__ = ["judge"]
