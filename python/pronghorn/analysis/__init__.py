"""From trials to verdicts: blocks, figures, bootstrap intervals, and what they say in words.

    summarise.py, cells.py        a run's summary, cell by cell
    blocks.py, times.py           which trials count, and a failed one as the worst outcome
    figures.py                    medians, means, quantiles
    comparing.py                  an arm against the baseline
    bootstrap.py, studentised.py  the interval of a comparison
    verdict.py, effects.py         the interval against the margin; by how much, in few words
    correction.py, sequential.py  many comparisons; several looks at growing data
    stopping.py                   when a cell needs no more blocks
    explain.py, parts.py          what makes arms differ; where the time went
    resources.py                  single resources
    outliers.py, drift.py, modes.py   what `cautions` warns of
    claims/                       published claims

Nothing is imported here, since numbers alone (`numbers.py`) are to be had without SciPy.
"""
