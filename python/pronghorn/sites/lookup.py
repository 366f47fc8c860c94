"""The table by which servers that know only paths find a site's files: those whose names hold a query, and
those that lie there compressed.

It stands in the site's folder, `.pronghorn/lookup.json`, beside links to the files under names of our own:
`.pronghorn/CODING/NUMBER.ENDING`, so that a name tells a server what a file is, whatever its coding."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pronghorn.sites import names
from pronghorn.sites.compression import SIBLINGS

FOLDER = ".pronghorn"
PLAIN = "identity"
"""What the folder of files without a coding is called."""

_FILE = "lookup.json"


class Entry(BaseModel):
    """A file: what it is called in the folder of each of its codings, `identity` among them, and the requests
    that it answers, by path (decoded) whatever their query, and by path and query as they are sent."""

    model_config = ConfigDict(frozen=True)
    name: str
    codings: tuple[str, ...]
    paths: tuple[str, ...]
    queried: tuple[tuple[str, str], ...]


class Lookup(BaseModel):
    """The table of a site."""

    model_config = ConfigDict(frozen=True)
    files: tuple[Entry, ...] = ()


def write(root: Path) -> None:
    """Makes the table of the site in `root`, and the links, where a file of it needs them. OSError where that
    can't be."""
    entries: list[Entry] = []
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        siblings = [name for name, ending in SIBLINGS.items() if _beside(file, ending).is_file()]
        path = "/" + file.relative_to(root).as_posix()
        if _is_sibling(file) or not (siblings or names.holds_query(path)) or not path.isprintable():
            continue
        name = f"{len(entries) + 1}.{names.ending(path) or 'bin'}"
        for coding, ending in ((PLAIN, ""), *((one, SIBLINGS[one]) for one in siblings)):
            _link(_beside(file, ending), root / FOLDER / coding / name)
            # Where a server looks for the coded file beside the plain one.
            _link(_beside(file, ending), root / FOLDER / PLAIN / f"{name}{ending}")
        targets = names.targets(path)
        entries.append(
            Entry(
                name=name,
                codings=tuple(siblings),
                paths=tuple(target.path for target in targets if target.query is None),
                queried=tuple((one.path, one.query) for one in targets if one.query is not None),
            )
        )
    if entries:
        text = Lookup(files=tuple(entries)).model_dump_json(indent=1)
        (root / FOLDER / _FILE).write_text(text, encoding="utf-8")


def read(root: Path) -> Sequence[Entry]:
    """The table of the site in `root`; empty where its files need none."""
    try:
        text = (root / FOLDER / _FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    return Lookup.model_validate(json.loads(text)).files


def _is_sibling(file: Path) -> bool:
    ending = file.suffix
    return ending in SIBLINGS.values() and file.with_name(file.name.removesuffix(ending)).is_file()


def _beside(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


def _link(file: Path, link: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.exists():
        return
    try:
        os.link(file, link)
    except OSError:
        shutil.copyfile(file, link)
