"""The export as CSV (RFC 4180), in UTF-8, its first line the columns' names."""

import csv
import io

from pronghorn.export.rows import COLUMNS, Table


def encode(table: Table) -> bytes:
    """The file's content: a number in as many digits as tell it from every other, nothing for null."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(COLUMNS), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue().encode()
