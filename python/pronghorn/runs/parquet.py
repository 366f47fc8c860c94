"""The trials as a Parquet table: a row a trial, figures as columns, the nested records as JSON text."""

import io
import json
from collections.abc import Sequence
from typing import Any

from pronghorn.model.trial import Cell, Metrics, Trial

_TEXT = ("arm", "started", "status", "reason", "detail")
_NUMBERS = ("block", "attempt", "position", "slot", "visit")
_NESTED = (
    "warnings",
    "page",
    "counters",
    "origin_log",
    "origin_counts",
    "background",
    "events",
    "origin_connections",
    "origin_tickets",
    "cpu",
    "artifacts",
    "knobs",
    "why",
)
_WHOLE_METRICS = ("requests", "bytes", "failures")


def columns() -> dict[str, str]:
    """Each column's name and its kind: `text`, `whole`, `real`, `flag` or `json`, a text that holds JSON.
    docs/trials.md says what each means."""
    return {
        **dict.fromkeys((*Cell.model_fields, *_TEXT), "text"),
        **dict.fromkeys((*_NUMBERS, "path_seed"), "whole"),
        **{
            name: "whole" if name in _WHOLE_METRICS else "real"
            for name in Metrics.model_fields
            if name != "protocols"
        },
        "origin_log_kept": "flag",
        **dict.fromkeys(("protocols", *_NESTED), "json"),
    }


def encode(trials: Sequence[Trial]) -> bytes:
    """`trials` as a Parquet file's content."""
    import polars  # takes a quarter of a second, and most commands write no such file

    kinds = {
        "text": polars.String(),
        "json": polars.String(),
        "whole": polars.Int64(),
        "real": polars.Float64(),
        "flag": polars.Boolean(),
    }
    schema: dict[str, polars.DataType] = {name: kinds[kind] for name, kind in columns().items()}
    schema["path_seed"] = polars.UInt64()
    buffer = io.BytesIO()
    polars.DataFrame([_row(trial) for trial in trials], schema=schema, orient="row").write_parquet(buffer)
    return buffer.getvalue()


def _row(trial: Trial) -> dict[str, Any]:
    data = trial.model_dump(mode="json")
    flat = {
        **data["cell"],
        **data["metrics"],
        **{name: data[name] for name in (*_TEXT, *_NUMBERS, "path_seed", "origin_log_kept")},
        "protocols": json.dumps(data["metrics"]["protocols"]),
    }
    return flat | {name: json.dumps(data.get(name, [])) for name in _NESTED}
