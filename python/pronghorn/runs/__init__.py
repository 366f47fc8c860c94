"""A run's directory: its journal, its manifest and experiment, and what is read from them. Nothing here
measures.

    prepare.py, directory.py       from a command line to a run; its directory
    journal.py, header.py          the trials; whether they are of this experiment
    skim.py, slim_trials.py        a journal of very many trials
    noted.py, left_out.py          a manifest as read; records that could not be used
    artifacts.py, flight.py        what trials leave beside the journal
    parquet.py                     the trials as a table
    catalogue.py, removal.py       which runs a folder holds; deleting one
"""
