"""The records of deploy/dns, each on one line, read as a name server reads them (RFC 1035, section 5; RFC
9460, section 2.1)."""

import re
import shlex
from typing import NamedTuple

from .deployed import DEPLOY

FILE = DEPLOY / "dns" / "example.com.zone"


class Service(NamedTuple):
    """An HTTPS record: its priority and target, and its parameters as they are written."""

    priority: int
    target: str
    parameters: dict[str, str]


def records() -> dict[str, str]:
    """What stands behind each type of the zone's own name."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        said = line.partition(";")[0].strip()
        if said and not said.startswith("$"):
            match = re.fullmatch(r"@\s+IN\s+([A-Z]+)\s+(.+)", said)
            assert match is not None, line
            assert match[1] not in found, f"two records of type {match[1]}"
            found[match[1]] = match[2]
    return found


def service() -> Service:
    """The HTTPS record."""
    priority, target, *parameters = shlex.split(records()["HTTPS"])
    return Service(int(priority), target, dict(word.split("=", 1) for word in parameters))
