"""The export as a Parquet file, whose columns have types of their own, null values included."""

import io
from collections.abc import Mapping

import polars

from pronghorn.export.rows import COLUMNS, Kind, Table

_TYPES: Mapping[Kind, polars.DataType] = {
    "text": polars.String(),
    "whole": polars.Int64(),
    "real": polars.Float64(),
}


def encode(table: Table) -> bytes:
    """The file's content."""
    schema = {name: _TYPES[kind] for name, kind in COLUMNS.items()}
    content = io.BytesIO()
    polars.DataFrame(table.rows, schema=schema, orient="row").write_parquet(content)
    return content.getvalue()
