"""Where a value stands: the text that a table was parsed from, and the messages which point into it."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from pronghorn.errors import InputError, unknown
from pronghorn.model import foreign

Keys = tuple[str, ...]

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_ARRAY_HEADER = re.compile(r"\s*\[\[\s*([^\[\]]+?)\s*\]\]\s*(?:#.*)?")
_PART = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
_ASSIGNMENT = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")


class Source:
    """A TOML text with its name, in which keys can be found again; those of the first table of an array
    `[[NAME]]` are `NAME.1.KEY`.

    `overrides` maps a key to the command-line option that set it, which is then named in the place of the
    line. `folder` is where the text stands: files that it names are looked for there. `recorded`: it is what
    a run keeps, and may be read where the folders that it names are not."""

    def __init__(self, name: str, text: str, folder: Path | None = None) -> None:
        self.name = name
        self.text = text
        self.folder = folder if folder is not None else Path()
        self.overrides: dict[Keys, str] = {}
        self.recorded = False

    def table(self) -> dict[str, Any]:
        """The parsed text; InputError with line and column where it is no TOML."""
        try:
            return foreign.toml(self.text)
        except tomllib.TOMLDecodeError as error:
            what = str(error)
            found = re.search(r"\(at line (\d+), column (\d+)\)", what)
            if found:
                reason = what[: found.start()].strip()
                place = f"line {found[1]}, column {found[2]}"
            else:
                reason = re.sub(r"\s*\(at end of document\)", "", what)
                lines = self.text.splitlines() or [""]
                place = f"line {len(lines)}, column {len(lines[-1]) + 1} (end of file)"
            raise InputError(f"{self.name}, {place}: TOML syntax: {reason}.") from None
        except ValueError as error:
            raise InputError(f"{self.name}: this TOML can't be read: {error}.") from None

    def line_of(self, keys: Keys, element: str | None = None) -> int | None:
        """The line (from 1) on which `keys` or its nearest parent is set, or the `element` in its array."""
        positions = self._positions()
        for length in range(len(keys), 0, -1):
            if keys[:length] in positions:
                line = positions[keys[:length]]
                return self._element_line(line, element) if element is not None else line
        return None

    def error(
        self, keys: Keys, wrong: str, *, element: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for what is `wrong` with the value of `keys`."""
        for length in range(len(keys), 0, -1):
            if keys[:length] in self.overrides:
                return InputError(
                    f"{self.overrides[keys[:length]]}: key '{'.'.join(keys)}': {wrong}", hint=hint
                )
        line = self.line_of(keys, element)
        place = f"{self.name}, line {line}" if line else self.name
        key = f"key '{'.'.join(keys)}': " if keys else ""
        return InputError(f"{place}: {key}{wrong}", hint=hint)

    def folder_of(self, keys: Keys) -> Path:
        """Where a file is looked for that the value of `keys` names: beside the text, or in the working
        directory where the command line set the value."""
        overridden = any(keys[:length] in self.overrides for length in range(1, len(keys) + 1))
        return Path() if overridden else self.folder

    def refuse_unknown(self, keys: Keys, table: dict[str, Any], allowed: tuple[str, ...]) -> None:
        """InputError for the first key of `table` (which stands at `keys`) that is none of the `allowed`."""
        for name in table:
            if name not in allowed:
                raise self.error((*keys, name), unknown("key", name, allowed))

    def _positions(self) -> dict[Keys, int]:
        positions: dict[Keys, int] = {}
        header: Keys = ()
        tables: Counter[Keys] = Counter()
        for number, line in enumerate(self.text.splitlines(), 1):
            if found := _HEADER.fullmatch(line) or _ARRAY_HEADER.fullmatch(line):
                header = _split(found[1])
                if found.re is _ARRAY_HEADER:
                    tables[header] += 1
                    header = (*header, str(tables[header]))
                for length in range(1, len(header) + 1):
                    positions.setdefault(header[:length], number)
            elif found := _ASSIGNMENT.match(line):
                positions.setdefault((*header, *_split(found[1])), number)
        return positions

    def _element_line(self, start: int, element: str) -> int:
        lines = self.text.splitlines()
        for number in range(start, len(lines) + 1):
            if f'"{element}"' in lines[number - 1] or f"'{element}'" in lines[number - 1]:
                return number
        return start


def _split(dotted: str) -> Keys:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))
