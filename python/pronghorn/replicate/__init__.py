"""Published studies run again, theirs beside ours. A study is data (`data/studies`); nothing here knows what
comes out.

    planned.py    the runs of the studies asked for, their sizes, directories and expected duration
    kept.py       what is kept of a finished run, for a repository
    measured.py   what was measured of a study: where each term of an expression lies
    readings.py   the claims in every setting
    causes.py     which measured factors move a value towards the published one
    effects.py    published effects beside ours, setting by setting: which setting agrees
    result.py     what comes of all that
    words.py      values, bounds and verdicts for a person
    terminal.py   the table
    page.py       docs/replications/STUDY.md
"""
