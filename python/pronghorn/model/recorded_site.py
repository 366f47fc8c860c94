"""Recorded sites as experiments name them: `archive:shop+one-host+no-images` or `storefront+one-host`, an
archive and how it is rewritten before it is replayed."""

import re
from pathlib import Path
from typing import NamedTuple, Self

PREFIX = "archive:"
FILE = "site.toml"
"""The file by which a folder is known to be a site archive."""

SHIPPED = ("storefront",)
"""The archives that Pronghorn has itself, by their names."""

REWRITINGS = {
    "no-third-parties": "without hosts that aren't the page's own",
    "no-images": "without images",
    "one-host": "all on the page's own host",
    "first-party-h3": "HTTP/3 for the page's own hosts alone",
    "all-h3": "HTTP/3 for every host",
    "equal-priorities": "all requests equally urgent, one response after the other",
    "round-robin": "all requests equally urgent, their responses in turns",
}
"""What can be changed in a recorded site, with what is measured then."""

_EXCLUSIVE = (("first-party-h3", "all-h3"), ("equal-priorities", "round-robin"))
PRIORITIES = _EXCLUSIVE[1]
"""The rewritings of requests' priorities, which browsers choose themselves."""

_WORD = re.compile(r"[a-z0-9-]{1,40}")


class RecordedSite(NamedTuple):
    """An archive, its folder or the name of a shipped one, and its `rewritings` in the order of
    `REWRITINGS`."""

    place: str
    rewritings: tuple[str, ...] = ()

    @classmethod
    def asked(cls, site: str, folder: Path) -> Self | None:
        """The archive that a person names, with the folder that it is in, which is looked for from `folder`;
        None where `site` names none. ValueError, with what is wrong, for a rewriting that there isn't, or two
        that exclude each other."""
        whole = site.removeprefix(PREFIX)
        if is_archive(folder / whole):
            return cls(str((folder / whole).resolve()))
        place, words = _parted(whole)
        if is_archive(folder / place) or whole != site:
            return cls(str((folder / place).resolve()), _checked(words))
        return cls(place, _checked(words)) if place in SHIPPED else None

    @classmethod
    def of(cls, site: str) -> Self | None:
        """The archive that a site of an experiment is, which `asked` has made; None where it is none."""
        whole = site.removeprefix(PREFIX)
        place, words = _parted(whole)
        return None if whole == site and place not in SHIPPED else cls(place, words)

    @property
    def shipped(self) -> bool:
        """Whether it is one that Pronghorn has itself."""
        return self.place in SHIPPED

    def __str__(self) -> str:
        prefix = "" if self.shipped else PREFIX
        # A folder whose own name ends like rewritings.
        place = f"{self.place}/" if _parted(self.place)[1] else self.place
        return prefix + "".join([place, *(f"+{word}" for word in self.rewritings)])


def plain(site: str) -> str:
    """A site's name without its rewritings."""
    recorded = RecordedSite.of(site)
    return site if recorded is None else str(recorded._replace(rewritings=()))


def is_archive(folder: Path) -> bool:
    """Whether a folder looks like a site archive."""
    try:
        return (folder / FILE).is_file()
    except (OSError, ValueError):
        return False


def _parted(whole: str) -> tuple[str, tuple[str, ...]]:
    """A place, and the words after it. A folder's own name may end like one of them: then `asked` has found
    it to be an archive, and it is written with a slash at its end."""
    place, words = whole, list[str]()
    while (parts := place.rpartition("+"))[1] and _WORD.fullmatch(parts[2]):
        place = parts[0]
        words.insert(0, parts[2])
    return place, tuple(words)


def _checked(words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        if word not in REWRITINGS:
            allowed = ", ".join(f"+{one}" for one in REWRITINGS)
            raise ValueError(f"'+{word}' is no rewriting of a recorded site; allowed are {allowed}.")
    for one, other in _EXCLUSIVE:
        if one in words and other in words:
            raise ValueError(f"'+{one}' and '+{other}' exclude each other.")
    return tuple(word for word in REWRITINGS if word in words)
