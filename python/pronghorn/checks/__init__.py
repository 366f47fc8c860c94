"""`--check`: what must hold of a run, or of a run beside an earlier one, such as
`h3/h2 load median < 1.05 on lte`.

    language.py   the sentence around a claim: `surely`, and which cells it is about
    known.py      numbers with their intervals, and how far a comparison of two is known to hold
    of_run.py     claims about one run; intervals.py finds theirs
    of_two.py     claims about two runs, before and after a change
    result.py     what became of a check, cell by cell, with the evidence
    junit.py      the same as JUnit XML
"""
