"""The warning of a run that went on although arms failed before it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pronghorn.analysis import mends
from pronghorn.analysis.failing import told
from pronghorn.model.caution import Caution
from pronghorn.model.loaded import Failure
from pronghorn.runs.noted import PREFLIGHT


def cautions(notes: Sequence[Mapping[str, Any]]) -> list[Caution]:
    """The warning, or none; `notes` are the manifest's."""
    failing = [one for one in notes if one.get("reason")]
    if not failing:
        return []
    first = failing[0]
    return [
        Caution(
            PREFLIGHT,
            f"{len(failing)} of {len(notes)} loads before the first trial failed. An example: "
            f"{first['arm']} at {first['origin']} with {first['client']}: {first['reason']}: "
            f"{told(first['detail'] or '')}.",
            mends.of_failure(Failure(reason=first["reason"], trials=len(failing), detail=first["detail"])),
        )
    ]
