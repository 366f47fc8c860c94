"""What the native client asks for in a replay, and upon what: `requests.json`.

`crates/client/src/recorded` reads it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pronghorn.errors import InputError
from pronghorn.sites.archive import Archive, Exchange
from pronghorn.sites.replay import headers
from pronghorn.sites.replay.causes import Causes
from pronghorn.sites.replay.choice import Chosen

FILE = "requests.json"

QUIET_S = 0.5
"""Where it isn't known when the load event came, a request after so long a silence is none of the load's, but
the page's later life: a poll, a beacon."""

MOST = 10_000
"""The most requests that clients make for a page (`MOST_RESOURCES` of `crates/client`)."""

_KINDS = {"fetch": "other", "media": "other"}
_URGENCIES = {"VeryHigh": 0, "High": 1, "Medium": 2, "Low": 3, "VeryLow": 4}
"""Chromium's priorities as it sends them in the header Priority (RFC 9218 §4.1)."""


def write(archive: Archive, chosen: Chosen, root: Path, incremental: bool | None = None) -> int:
    """Writes the requests of the load into `root`; how many came too late to be of it. `incremental` is that
    of all priorities; None: as a browser has it. InputError where they are more than clients make, OSError
    where they can't be written."""
    of_load = _of_load(chosen.exchanges, chosen.initiators, archive.site.load_s)
    if len(of_load) > MOST:
        raise InputError(
            f"{archive.folder}: its load has {len(of_load)} requests; {MOST} at most can be replayed."
        )
    places = {one.id: place for place, one in enumerate(of_load)}
    causes = Causes(archive, chosen)
    steps = [_step(one, causes, places, incremental) for one in of_load]
    (root / FILE).write_text(json.dumps(steps, separators=(",", ":")), encoding="utf-8")
    return len(chosen.exchanges) - len(of_load)


def _of_load(
    exchanges: Sequence[Exchange], initiators: dict[int, int | None], load_s: float | None
) -> list[Exchange]:
    """The requests up to the load event at `load_s`, or where that isn't known up to the first silence;
    without what later ones set off."""
    kept: list[Exchange] = []
    late: set[int] = set()
    ended_s = 0.0
    over = False
    for place, one in enumerate(exchanges):
        ends_s = ended_s + QUIET_S if load_s is None else load_s
        over = over or (place > 0 and one.start_s > ends_s)
        if over or initiators.get(one.id) in late:
            late.add(one.id)
            continue
        kept.append(one)
        ended_s = max(ended_s, one.end_s)
    return kept


def _step(one: Exchange, causes: Causes, places: dict[int, int], incremental: bool | None) -> dict[str, Any]:
    first = places[one.id] == 0
    cause = None if first else causes.of(one)
    return {
        "host": one.target.host,
        "method": one.method,
        "target": one.target.path,
        "headers": list(headers.asked(one.request_headers)),
        "content_bytes": one.request_bytes,
        "kind": _KINDS.get(one.kind, one.kind),
        "urgency": _URGENCIES.get(one.priority or ""),
        "incremental": incremental,
        "status": one.status,
        "bytes": 0 if one.method == "HEAD" else one.body_bytes,
        "initiator": None if cause is None else places[cause.initiator],
        "upon": "end" if cause is None else cause.upon,
        "upon_bytes": None if cause is None else cause.upon_bytes,
        "compute_s": 0.0 if cause is None else cause.compute_s,
    }
