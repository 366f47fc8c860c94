"""From trials to verdicts: blocks, figures, bootstrap intervals, and what they say in words.

Nothing is imported here, since numbers alone (`numbers.py`) are to be had without SciPy.
"""
