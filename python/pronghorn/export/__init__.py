"""A run's figures as a table for other programs: a row a cell, arm, metric and statistic.

`rows.py` makes the rows; one file a format writes them: `csv_table.py`, `json_table.py`, `parquet_table.py`.
"""

from collections.abc import Callable
from importlib import import_module

from pronghorn.export.rows import Table as Table
from pronghorn.export.rows import table as table

FORMATS = ("csv", "json", "parquet")
"""The formats by their names, which are the files' endings too."""


def encode(found: Table, form: str) -> bytes:
    """The content of a file in one of the `FORMATS`."""
    encoder: Callable[[Table], bytes] = import_module(f"pronghorn.export.{form}_table").encode
    return encoder(found)
