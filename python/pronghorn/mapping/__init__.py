"""The break-even map: where on the axes of round trip, loss and rate an arm's verdict turns.

`domain.py` says what is explored, `observed.py` what one block of trials tells, `explore.py` goes back and
forth between measuring and `design.py`, which chooses the next points by what `surface.py` (a Gaussian
process, with the noise of `noise.py`) knows so far. `fitted.py` is the result on a grid: joint draws
(`posterior.py`), regions and boundaries (`regions.py`), for `sentence.py` (by `boxes.py`), `picture.py` (by
`contours.py`) and `page.py`. Up to there nothing measures; `terms.py`, `batches.py` and `result.py` are the
way to real trials and to the map's files.
"""
