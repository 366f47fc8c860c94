"""Many texts at once, which polars goes through in one pass for all patterns."""

import importlib
from collections.abc import Sequence
from typing import Any


def series(texts: Sequence[str]) -> Any:
    """The texts as a polars series. polars is loaded when first needed: most commands search nothing."""
    polars = importlib.import_module("polars")
    return polars.Series(texts, dtype=polars.String)
