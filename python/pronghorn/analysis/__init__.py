"""From trials to verdicts: blocks, figures, bootstrap intervals, and what they say in words."""

from pronghorn.analysis.summarise import summarise

__all__ = ["summarise"]
