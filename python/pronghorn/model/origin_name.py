"""An origin's name: `SERVER[@VERSION][:VARIANT or FILE]`."""

import re
from typing import NamedTuple

VERSIONED = ("caddy", "haproxy", "nginx")
"""The servers of which a name may say the version: those that aren't ours."""

_VERSION = re.compile(r"\d+(?:\.\d+){0,2}")


class OriginName(NamedTuple):
    """The parts of a name: the `server`; the `version`, the numbers that its version begins with, or None
    for the newest; the variant or the file of a configuration in `rest`, or None."""

    server: str
    version: str | None = None
    rest: str | None = None

    @property
    def plain(self) -> str:
        """The name of the same without a version."""
        return self.server if self.rest is None else f"{self.server}:{self.rest}"


def parts(name: str) -> OriginName:
    """The parts of a name of `ORIGINS` or of one with a version; of any other the whole is the `server`. Of
    a version that is none ValueError, with what is wrong."""
    if "://" in name:
        return OriginName(name)
    before, colon, rest = name.partition(":")
    server, at, version = before.partition("@")
    if not at:
        return OriginName(server, None, rest if colon else None)
    if server not in VERSIONED:
        return OriginName(name)
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is no version; write numbers, as in {server}@1.2")
    return OriginName(server, version, rest if colon else None)


def plain(name: str) -> str:
    """A name without the version that it may have; one that is no origin's, as it is."""
    try:
        return parts(name).plain
    except ValueError:
        return name


def numbers(version: str) -> tuple[int, ...]:
    """A version's numbers: (1, 30, 6) of `1.30.6`."""
    return tuple(int(number) for number in version.split(".") if number)
