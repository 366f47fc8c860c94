"""Tables as TOML text: what a run's `experiment.toml` is written with (the standard library only reads
TOML)."""

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(table: dict[str, Any]) -> str:
    """`table` as TOML 1.0: plain keys first, then one `[section.NAME]` for each table of a table of tables;
    all other tables inline.

    Values are strings, integers, floats, booleans, lists and tables; anything else is a TypeError.
    """
    sections = {key: value for key, value in table.items() if _holds_tables(value)}
    lines = [f"{_key(key)} = {inline(value)}" for key, value in table.items() if key not in sections]
    for key, value in sections.items():
        for name, section in value.items():
            lines += ["", f"[{_key(key)}.{_key(name)}]"]
            lines += [f"{_key(inner)} = {inline(item)}" for inner, item in section.items()]
    return "\n".join(lines) + "\n"


def _holds_tables(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(item, dict) for item in value.values())


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def inline(value: Any) -> str:
    """A value as TOML text, a table inline. TypeError where TOML has no such."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case int() | float():
            return repr(value)
        case list() | tuple():
            return "[" + ", ".join(inline(item) for item in value) + "]"
        case dict():
            return "{ " + ", ".join(f"{_key(key)} = {inline(item)}" for key, item in value.items()) + " }"
    raise TypeError(f"TOML has no {type(value).__name__}")
