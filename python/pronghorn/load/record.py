"""A load as one JSON object: what the engine told, what was asked, cautions and checks."""

import json
from typing import Any

from pronghorn import __version__
from pronghorn.load.measured import Measured
from pronghorn.model import percentiles
from pronghorn.model.load_report import Distribution

_MOST_TARGETS = 100
"""The most targets that the record lists; of more, only their number."""


def write(measured: Measured) -> str:
    """The object as text (docs/load.md says what its keys mean)."""
    return json.dumps(record(measured), indent=2) + "\n"


def record(measured: Measured) -> dict[str, Any]:
    """The object. A percentile of too few samples is null."""
    report = measured.report.model_dump(mode="json")
    for phase in report["latency_seconds"]:
        found = getattr(measured.report.latency_seconds, phase)
        if isinstance(found, Distribution):
            for key in percentiles.PERCENTILES:
                report["latency_seconds"][phase][key] = percentiles.told(found, key)
    return {
        "url": measured.url,
        "began": measured.began.isoformat(timespec="milliseconds"),
        "pronghorn": __version__,
        **report,
        "interrupted": measured.interrupted,
        "asked": _asked(measured),
        "cautions": [caution._asdict() for caution in measured.cautions],
        "checks": [
            {"check": result.check.text, "holds": result.holds, "found": result.found}
            for result in measured.results
        ],
        "progress": [line.model_dump(mode="json") for line in measured.series],
    }


def _asked(measured: Measured) -> dict[str, Any]:
    """The spec; of the bodies only their lengths."""
    asked = measured.spec.to_engine()
    targets = [
        {**target, "body": None if asked_for.body is None else {"bytes": len(asked_for.body)}}
        for target, asked_for in zip(asked["targets"], measured.spec.targets, strict=True)
    ]
    if measured.spec.target_count > _MOST_TARGETS:
        return {**asked, "targets": measured.spec.target_count}
    return {**asked, "targets": targets}
