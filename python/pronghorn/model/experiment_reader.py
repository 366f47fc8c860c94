"""Reads the values of an experiment's keys, or says with their place why they can't be read."""

from collections.abc import Collection
from typing import Any

from pronghorn.errors import InputError, unknown
from pronghorn.model.source import Keys, Source


class ExperimentReader:
    """The TOML table of an experiment, or one within it that stands at `keys`, with its source.

    Every method raises InputError with the value's place where it isn't as it must be."""

    def __init__(self, table: dict[str, Any], source: Source, keys: Keys = ()) -> None:
        self.table = table
        self.source = source
        self.keys = keys

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def error(self, key: str | None, wrong: str, *, element: str | None = None) -> InputError:
        """The error for what is `wrong` with the value of `key`; None: with the table itself."""
        return self.source.error((*self.keys, key) if key else self.keys, wrong, element=element)

    def allow(self, *names: str) -> None:
        """Refuses every other key."""
        self.source.refuse_unknown(self.keys, self.table, names)

    def sub(self, key: str, example: str) -> "ExperimentReader":
        """The table at `key`, empty where the key is missing; `example` is how one is written."""
        value = self.table.get(key, {})
        if not isinstance(value, dict):
            raise self.error(key, f"{value!r} is no table; write {key} = {example}.")
        return ExperimentReader(value, self.source, (*self.keys, key))

    def text(self, key: str, default: str) -> str:
        """A text that isn't blank."""
        value = self.table.get(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"{value!r} is no text.")
        return value

    def choice(self, key: str, kind: str, allowed: Collection[str], default: str) -> str:
        """One of the words `allowed`; `kind` says what they are."""
        value = self.table.get(key, default)
        if not isinstance(value, str) or value not in allowed:
            raise self.error(key, unknown(kind, str(value), allowed))
        return value

    def whole(self, key: str, default: Any, *, least: int, most: int) -> Any:
        """A whole number of `least` to `most`, or the `default`."""
        if key not in self.table:
            return default
        value = self.table[key]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.error(key, f"{value!r} is no whole number from {least} to {most}.")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"{value!r} is neither true nor false.")
        return value

    def names(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of names, none of them twice; with no `default` there must be one."""
        if key not in self.table and default is not None:
            return default
        if key not in self.table:
            raise self.source.error(self.keys, f"key '{key}' is missing; it is a list of names.")
        value = self.table[key]
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            example = f'["{value}"]' if isinstance(value, str | int | float) and key == "kernels" else '["…"]'
            raise self.error(key, f"{value!r} is no list of names; write at least one, such as {example}.")
        for index, item in enumerate(value):
            if item in value[:index]:
                hint = " A label distinguishes equal arms, such as 'h2#again'." if key == "arms" else ""
                raise self.error(key, f"{item!r} is listed twice.{hint}", element=item)
        return tuple(value)

    def known(
        self, key: str, kind: str, allowed: Collection[str], default: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        """A list of names that are all `allowed`; `kind` says what one is."""
        names = self.names(key, default)
        for name in names:
            if name not in allowed:
                raise self.error(key, unknown(kind, name, allowed), element=name)
        return names
