"""What loads a site, one file each; a new one is one more file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.clients.base import Client
from pronghorn.clients.native import Native

CLIENTS: Mapping[str, Client] = MappingProxyType({"native": Native()})

__all__ = ["CLIENTS", "Client"]
