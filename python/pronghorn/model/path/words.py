"""A path from the words of a command line: a profile's name and KEY=VALUE."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pronghorn import reading
from pronghorn.errors import InputError, unknown
from pronghorn.model import foreign
from pronghorn.model.path.handover import join
from pronghorn.model.path.link import PLAIN
from pronghorn.model.path.profile import DIRECT, PathProfile, parse
from pronghorn.model.source import Keys, Source

NONE = "none"
"""The value that takes a key away from the profile."""

_LINKS = ("down", "up")
_BOTH = {"family": None, "rebind": None, "cross": "flows", "handover": None}


def from_words(words: Sequence[str], shipped: Mapping[str, PathProfile]) -> PathProfile:
    """The path that `words` describe: first, if any, the name of one of the `shipped` profiles or a TOML file
    with `down` and `up`; then KEY=VALUE. InputError where a word is wrong.

    A link's key alone means both links, `down.KEY` and `up.KEY` one of them; deeper keys go on with dots
    (`loss.model=gilbert-elliott`). A value is TOML, or a text without quotes, also in a list; `none` takes
    the key away. What a later word says replaces what an earlier one did. Files are looked for in the
    working directory.
    """
    if not words:
        raise InputError(
            "this names no path.", hint="Write a profile's name, or KEY=VALUE such as delay=10ms."
        )
    table: dict[str, Any] = {"down": {}, "up": {}}
    source = Source(" ".join(words), "")
    settings = list(words)
    if "=" not in words[0]:
        source, table = _profile(settings.pop(0), shipped)
    changes: dict[Keys, Any] = {}
    for word in settings:
        for keys, value in _setting(word).items():
            changes = {at: old for at, old in changes.items() if at[: len(keys)] != keys}
            changes[keys] = value
            source.overrides[keys] = word
    for keys, value in changes.items():
        _change(table, keys, value, changes)
    return join(parse(" ".join(words), table, source), shipped, source)


def _profile(name: str, shipped: Mapping[str, PathProfile]) -> tuple[Source, dict[str, Any]]:
    if name in shipped:
        return Source(f"profile {name}", ""), copy.deepcopy(shipped[name].definition)
    if name == DIRECT:
        raise InputError(f"{name!r} is no emulated path; name another profile, or KEY=VALUE.")
    file = Path(name)
    if not name.endswith(".toml"):
        raise InputError(unknown("profile", name, shipped) + " Or KEY=VALUE, or the name of a TOML file.")
    source = Source(name, reading.asked(file, reading.MOST_TOML, "a profile"), file.parent)
    return source, source.table()


def _setting(word: str) -> dict[Keys, Any]:
    """The keys that a word sets, with their values."""
    name, separator, text = word.partition("=")
    keys = tuple(part.strip() for part in name.split("."))
    if not separator:
        raise InputError(f"{word}: a profile's name comes first, then KEY=VALUE, such as delay=10ms.")
    if keys[0] in _LINKS and len(keys) > 1 and keys[1] in PLAIN:
        return {keys: toml_value(text)}
    if keys[0] in _LINKS and len(keys) > 1:
        raise InputError(f"{word}: {unknown('key', keys[1], PLAIN)}")
    if keys[0] in _LINKS:
        raise InputError(f"{word}: {keys[0]!r} is a whole link. Write one of its keys, {keys[0]}.delay=10ms.")
    if keys[0] in PLAIN:
        value = toml_value(text)
        return {(link, *keys): value for link in _LINKS}
    if keys[0] in _BOTH:
        return {keys: toml_value(text)}
    raise InputError(f"{word}: {unknown('key', keys[0], (*PLAIN, *_BOTH, *_LINKS))}")


def toml_value(text: str) -> Any:
    """What `text` says as TOML; else the text itself, or a list of such without quotes."""
    text = text.strip()
    try:
        value = foreign.toml(f"value = {text}")["value"]
    except ValueError:
        if text.startswith("[") and text.endswith("]"):
            return [toml_value(item) for item in text[1:-1].split(",") if item.strip()]
        return text
    return value if isinstance(value, (bool, int, float, list, dict)) else _text_of(value, text)


def _text_of(value: Any, text: str) -> str:
    return value if isinstance(value, str) else text


def _change(table: dict[str, Any], keys: Keys, value: Any, changes: Mapping[Keys, Any]) -> None:
    """Sets one key. A plain value that gets a key of its own becomes a table first; a loss of another model
    begins anew."""
    parent: Any = table
    for depth, key in enumerate(keys[:-1], 1):
        at = keys[:depth]
        plain = PLAIN.get(key) if depth == 2 else _BOTH.get(key)
        below = parent.get(key)
        if not isinstance(below, dict):
            below = {plain: below} if plain is not None and below is not None else {}
            parent[key] = below
        if key == "loss" and (*at, "model") in changes and at not in changes:
            for other in [name for name in below if (*at, name) not in changes]:
                del below[other]
        parent = below
    if value == NONE:
        parent.pop(keys[-1], None)
    else:
        parent[keys[-1]] = copy.deepcopy(value)
