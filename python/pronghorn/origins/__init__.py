"""The servers under test, one file each; a new one is one more file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.origins.base import Origin, OriginFailed, OriginLog, OriginSetup, RunningOrigin
from pronghorn.origins.builtin import Builtin
from pronghorn.origins.caddy import Caddy

ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        "builtin": Builtin(),
        "caddy": Caddy(),
        "caddy:tuned": Caddy(tuned=True),
    }
)
"""The origins that have a name of their own."""

__all__ = ["ORIGINS", "Origin", "OriginFailed", "OriginLog", "OriginSetup", "RunningOrigin", "find"]


def find(name: str) -> Origin:
    """The origin that an experiment's `name` means; KeyError where there is none."""
    return ORIGINS[name]
