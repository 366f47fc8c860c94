"""What loads a site, one file each; a new one is one more file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.clients.base import Client, ClientFailed, ClientSession, Visit
from pronghorn.clients.chromium import Chromium
from pronghorn.clients.native import Native

CLIENTS: Mapping[str, Client] = MappingProxyType({"native": Native(), "chromium": Chromium()})
"""The clients that have a name of their own."""

__all__ = ["CLIENTS", "Client", "ClientFailed", "ClientSession", "Visit", "find"]


def find(name: str) -> Client:
    """The client that an experiment's `name` means; KeyError where there is none."""
    return CLIENTS[name]
