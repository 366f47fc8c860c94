"""Reading the tables of a path's definition: each value by its key, each error with its place."""

from collections.abc import Callable
from typing import Any, TypeVar

from pronghorn.errors import InputError, unknown
from pronghorn.model import units
from pronghorn.model.path.texts import Texts
from pronghorn.model.source import Keys, Source

T = TypeVar("T")


class Reader:
    """A table that stands at `keys` of `source`. `texts` collects the files that it names.

    Where `plain` is given, the table was written as one plain value, which is the value of that key."""

    def __init__(
        self, table: dict[str, Any], source: Source, keys: Keys, texts: Texts, plain: str | None = None
    ) -> None:
        self.table = table
        self._source = source
        self._keys = keys
        self._texts = texts
        self._plain = plain

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def error(self, key: str | None, wrong: str, *, element: str | None = None) -> InputError:
        """The error for what is `wrong` with the value of `key`, or with the whole table."""
        return self._source.error(self._at(key), wrong, element=element)

    def allow(self, *keys: str) -> None:
        """InputError where the table has a key that is none of these."""
        self._source.refuse_unknown(self._keys, self.table, keys)

    def require(self, key: str, what: str) -> None:
        """InputError where `key` is missing; `what` says what it is."""
        if key not in self.table:
            raise self.error(None, f"this lacks {key!r}, {what}.")

    def read(self, key: str, reader: Callable[[object], T], default: T) -> T:
        """The value of `key` as `reader` (of `units`) understands it."""
        return self.take(key, reader) if key in self.table else default

    def take(self, key: str, reader: Callable[[object], T]) -> T:
        """As `read`, of a key that is there."""
        try:
            return reader(self.table[key])
        except units.UnitError as error:
            raise self.error(key, f"{error}.") from None

    def choice(self, key: str, allowed: tuple[str, ...], default: str, kind: str) -> str:
        """One word of the `allowed`."""
        value = self.table.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"{value!r} is no {kind}; allowed: {', '.join(allowed)}.")
        if value not in allowed:
            raise self.error(key, unknown(kind, value, allowed))
        return value

    def text(self, key: str, default: str) -> str:
        """A text, not empty unless the default is."""
        value = self.table.get(key, default)
        if not isinstance(value, str) or (default and not value.strip()):
            raise self.error(key, f"{value!r} is no text.")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"{value!r} is neither true nor false.")
        return value

    def whole(self, key: str, default: int, *, least: int, most: int) -> int:
        """A whole number without a unit."""
        value = self.table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.error(key, f"{value!r} is no whole number from {least} to {most}.")
        return value

    def several(self, key: str, reader: Callable[[object], T]) -> tuple[T, ...]:
        """The values of a list, or the one that stands in its place."""
        value = self.table[key]
        items = value if isinstance(value, list) else [value]
        if not items:
            raise self.error(key, "the list is empty; leave the key out instead.")
        try:
            return tuple(reader(item) for item in items)
        except units.UnitError as error:
            raise self.error(key, f"{error}.") from None

    def sub(self, key: str, *, plain: str | None = None, example: str) -> "Reader":
        """The table at `key`; a value that is none stands for a table with the one key `plain`, where there
        is one. `example` is how such a table may look."""
        value = self.table[key]
        if isinstance(value, dict):
            return Reader(value, self._source, (*self._keys, key), self._texts)
        if plain is None:
            raise self.error(key, f"{value!r} is no table; write one such as {example}.")
        return Reader({plain: value}, self._source, (*self._keys, key), self._texts, plain)

    def file(self, key: str, kind: str) -> str:
        """The text of the file that `key` names."""
        self.require(key, f"the name of {kind}")
        name = self.table[key]
        if not isinstance(name, str) or not name:
            raise self.error(key, f"{name!r} is no file's name.")
        try:
            return self._texts.read(name, self._source.folder_of(self._at(key)), kind, self._at(key))
        except ValueError as error:
            raise self.error(key, f"{error}.") from None

    def _at(self, key: str | None) -> Keys:
        return self._keys if key is None or key == self._plain else (*self._keys, key)
