"""The first screen of a report: for each cell which arm, by how much and how sure, in words and one drawing.

`rows.py` has the words, `scale.py` the places in the drawing, `matrix.py` the table of large experiments.
"""

from pronghorn.report.answer.rows import Answer as Answer
from pronghorn.report.answer.rows import answer as answer
