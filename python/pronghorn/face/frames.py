"""A run's records as polars frames. Times are seconds, sizes bytes; null is what isn't known."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from pronghorn.export import rows
from pronghorn.model.cell import DIMENSIONS
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Resource, Trial
from pronghorn.runs import parquet

_TEXT, _WHOLE, _REAL, _FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()

_OF_TRIAL: dict[str, pl.DataType] = {
    **dict.fromkeys((*DIMENSIONS, "arm"), _TEXT),
    "block": _WHOLE,
    "attempt": _WHOLE,
    "trial_status": _TEXT,
}

_OF_RESOURCE: dict[str, pl.DataType] = {
    **dict.fromkeys(("method", "path", "kind", "initiator"), _TEXT),
    "urgency": _WHOLE,
    "incremental": _FLAG,
    "protocol": _TEXT,
    "status": _WHOLE,
    "bytes": _WHOLE,
    "content_coding": _TEXT,
    "connection": _WHOLE,
    **dict.fromkeys(("start_s", "request_s", "too_early_s", "first_byte_s", "last_byte_s"), _REAL),
    "error": _TEXT,
    "from_cache": _FLAG,
}

_URL = "url_path"
"""What a resource's path is called in a frame, whose `path` is the network."""

_KINDS: dict[rows.Kind, pl.DataType] = {"text": _TEXT, "whole": _WHOLE, "real": _REAL}


def trials(found: Sequence[Trial]) -> pl.DataFrame:
    """A row a trial; docs/trials.md says what each column means."""
    return pl.read_parquet(io.BytesIO(parquet.encode(found)))


def requests(found: Sequence[Trial]) -> pl.DataFrame:
    """A row a request of each trial's page load: the trial's cell, arm, block, attempt and status, then what
    the client tells of the resource (`Resource`)."""
    of_resource = {(_URL if name == "path" else name): kind for name, kind in _OF_RESOURCE.items()}
    return pl.DataFrame(list(_requests(found)), schema=_OF_TRIAL | of_resource, orient="row")


def comparisons(summary: Summary) -> pl.DataFrame:
    """A row for each cell, arm, metric and statistic: the value, and how it compares with the baseline's.
    docs/ci.md says what each column means."""
    schema = {name: _KINDS[kind] for name, kind in rows.COLUMNS.items()}
    found = [row for row in rows.table(summary).rows if row["resource"] is None]
    return pl.DataFrame(found, schema=schema, orient="row").drop("resource")


def _requests(found: Sequence[Trial]) -> Iterator[dict[str, Any]]:
    for trial in found:
        cell = trial.cell
        of_trial = {
            **{name: getattr(cell, name) or None for name in DIMENSIONS},
            "arm": trial.arm,
            "block": trial.block,
            "attempt": trial.attempt,
            "trial_status": trial.status,
        }
        for resource in trial.page.resources if trial.page else ():
            yield of_trial | _of_resource(resource)


def _of_resource(resource: Resource) -> dict[str, Any]:
    return {(_URL if name == "path" else name): getattr(resource, name) for name in _OF_RESOURCE}
