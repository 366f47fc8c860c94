"""What loads a site, one file each; a new one is one more file, one line here and its name in
`model/stacks.py`."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.clients.base import Client, ClientFailed, ClientSession, Visit
from pronghorn.clients.chromium import Chromium
from pronghorn.clients.command import Command
from pronghorn.clients.load import Load
from pronghorn.clients.native import Native
from pronghorn.model.experiment import Experiment

CLIENTS: Mapping[str, Client] = MappingProxyType({"native": Native(), "chromium": Chromium(), "load": Load()})
"""By their names, which are those of `stacks.CLIENTS`."""

__all__ = ["CLIENTS", "Client", "ClientFailed", "ClientSession", "Visit", "find", "of"]


def find(name: str) -> Client:
    """The client that has the `name` in every experiment; KeyError where there is none."""
    return CLIENTS[name]


def of(experiment: Experiment, name: str) -> Client:
    """The client that `name` means in an experiment; KeyError where it is none of its clients."""
    if name in experiment.own_clients:
        return Command(name, experiment.own_clients[name])
    return CLIENTS[name]
