"""The servers under test, one file each; a new one is one more file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.origins.base import Origin, OriginLog
from pronghorn.origins.builtin import Builtin

ORIGINS: Mapping[str, Origin] = MappingProxyType({"builtin": Builtin()})

__all__ = ["ORIGINS", "Origin", "OriginLog"]
