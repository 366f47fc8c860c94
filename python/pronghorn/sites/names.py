"""Names of files that hold a query, as `wget` keeps it: which requests they answer, and what they are.

The built-in origin has the same rules in `crates/origin/src/target.rs`."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from pronghorn.model.media_types import MEDIA_TYPES

INDEX = "index.html"

_SUBSTITUTE = "@"
"""The character by which `wget --restrict-file-names=windows` replaces a query's `?`."""

_ADJUSTED = ("html", "css")
"""The ending that `wget --adjust-extension` appends to names that don't show a file's type."""

_OF_BROWSERS = "!$%&'()*+,-./:;=?@[\\]^_`{|}~"
"""What the URL standard leaves in a query as it is, beside letters and digits (WHATWG URL, query state), but
`'`, which it escapes in the queries of http(s) addresses."""

_OF_RFC_3986 = "!$&'()*+,-./:;=?@_~"
_OF_FORMS = "&=;+,-._~"

_ENDINGS = {ending: kind for kind, endings in MEDIA_TYPES.items() for ending in endings}


class Target(NamedTuple):
    """What a request asks for: its path, decoded, and its query as it is sent, None where it has none."""

    path: str
    query: str | None = None


def targets(path: str) -> list[Target]:
    """The requests that the file at `path`, its names from the root with a leading slash, answers: each
    spelling of its query that clients send, the browsers' first."""
    found = [Target(path)]
    folder, _, name = path.rpartition("/")
    if name == INDEX:
        found.append(Target(f"{folder}/"))
    if (parts := _queried(name)) is None:
        return found
    before, query = parts
    # No file's name has a slash, so wget escapes it.
    query = query.replace("%2F", "/")
    asked = [query]
    for ending in _ADJUSTED:
        if query.endswith(f".{ending}") and _kind_of(before) != _ENDINGS[ending]:
            asked.append(query.removesuffix(f".{ending}"))
    paths = [f"{folder}/{before}"] + ([f"{folder}/"] if before == INDEX else [])
    found += [Target(one, spelt) for one in paths for query in asked for spelt in _spellings(query)]
    return found


def url(path: str) -> str:
    """The address below the root by which browsers ask for the file at `path`."""
    folder, _, name = path.rpartition("/")
    if (parts := _queried(name)) is None:
        return f"{quote(folder)}/{'' if path == f'/{INDEX}' else quote(name)}"
    before, query = parts
    return f"{quote(folder)}/{'' if before == INDEX else quote(before)}?{next(_spellings(query))}"


def ending(path: str) -> str:
    """The ending that says what the file at `path` is, in lower case without its dot: of its name without a
    query, or else of the whole; empty where neither says anything."""
    name = path.rpartition("/")[2]
    parts = _queried(name)
    candidates = ([parts[0]] if parts else []) + [name]
    return next((_ending(one) for one in candidates if _kind_of(one)), "")


def holds_query(path: str) -> bool:
    """Whether the name of the file at `path` holds a query."""
    return _queried(path.rpartition("/")[2]) is not None


def _queried(name: str) -> tuple[str, str] | None:
    before, mark, query = name.partition("?")
    if mark:
        return before, query
    before, mark, query = name.partition(_SUBSTITUTE)
    return (before, query) if mark and _kind_of(before) else None


def _spellings(query: str) -> Iterator[str]:
    made = [
        quote(query, safe=_OF_BROWSERS.replace("'", "")),
        quote(query, safe=_OF_BROWSERS),
        quote(query, safe=_OF_RFC_3986),
        quote(query, safe=_OF_FORMS),
    ]
    yield from dict.fromkeys(made)


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _kind_of(name: str) -> str | None:
    return _ENDINGS.get(_ending(name))
