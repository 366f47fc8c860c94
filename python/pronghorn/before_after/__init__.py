"""Two runs beside each other, before and after a change: `pronghorn compare`.

recorded.py   a run as its directory tells it, without touching it
matching.py   which of their names mean the same
changes.py    what changed, cell by cell and arm by arm
bootstrap.py  the intervals of a change
correction.py how many arms changed at all, of so many comparisons
words.py      a change in a sentence
differing.py  what else differs between the runs
terminal.py   all of it on a terminal
"""
