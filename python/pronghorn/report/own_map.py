"""The break-even map that belongs to a run: one in its directory, or the one that it measured points for."""

import base64
from pathlib import Path
from typing import NamedTuple

from pronghorn import reading
from pronghorn.model import foreign

FOLDER = "map"
"""The folder of the run's directory that `pronghorn map --out RUN/map` writes."""

_DATA, _PICTURE, _PAGE, _TERMS = "map.json", "map.svg", "map.html", "map.toml"
_BATCHES = "batches"
_MOST_ENTRIES = 10**6


class OwnMap(NamedTuple):
    """A run's map: its heading, what it says, its picture as a data URI, and its page from the run's
    directory. `fault` says why there is no more than that."""

    heading: str
    sentences: tuple[str, ...]
    picture: str | None
    page: str
    fault: str | None = None


def own_map(run: Path | None) -> OwnMap | None:
    """The map in the directory `run`; None where there is none."""
    if run is None or not (run / FOLDER / _TERMS).exists():
        return None
    page = f"{FOLDER}/{_PAGE}"
    try:
        told = foreign.json_table(_content(run / FOLDER / _DATA), most_items=_MOST_ENTRIES)
        heading = f"Map of {told['site']}: {told['arm']} against {told['baseline']}"
        sentences = tuple(str(sentence) for sentence in told["sentences"])
        drawing = base64.b64encode(_content(run / FOLDER / _PICTURE)).decode()
    except reading.Missing:
        fault = f"The map in {FOLDER} is unfinished: pronghorn map --resume {run / FOLDER}"
        return OwnMap("Map", (), None, page, fault)
    except (reading.Unreadable, ValueError, KeyError, TypeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else error
        return OwnMap("Map", (), None, page, f"The map in {FOLDER} can't be read: {what}.")
    return OwnMap(heading, sentences, f"data:image/svg+xml;base64,{drawing}", page)


def _content(file: Path) -> bytes:
    return reading.content(file, reading.MOST_JSON, "a map's file")


def map_of_batch(run: Path | None) -> str | None:
    """The page of the map, from the run's directory, for which the run measured a batch of points; None for
    other runs."""
    if run is None:
        return None
    where = run.resolve().parent
    is_batch = where.name == _BATCHES and (where.parent / _TERMS).exists()
    return f"../../{_PAGE}" if is_batch else None
