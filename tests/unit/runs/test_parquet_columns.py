"""The columns of trials.parquet are those that the documentation explains."""

import io
import re
from pathlib import Path

import polars

from pronghorn.runs import parquet

DOCUMENT = (Path(__file__).parents[3] / "docs/trials.md").read_text(encoding="utf-8")


def documented() -> dict[str, str]:
    """Each column with its type, as the page's tables have them."""
    found: dict[str, str] = {}
    for names, kind in re.findall(r"^\| (`[^|]+`) \| (text|whole|real|flag|json) \|", DOCUMENT, re.MULTILINE):
        found |= dict.fromkeys(re.findall(r"`(\w+)`", names), kind)
    return found


def test_every_column_is_documented_with_its_type() -> None:
    assert documented() == parquet.columns()


def test_a_table_has_these_columns() -> None:
    table = polars.read_parquet(io.BytesIO(parquet.encode([])))
    assert table.columns == list(parquet.columns())
    assert table.schema["path_seed"] == polars.UInt64()
