"""The hosts of a recorded site on a bench: where each is, and with which certificate."""

from typing import NamedTuple

from pronghorn.certificates import Leaf
from pronghorn.sites.hosts import Face, Replay


class Place(NamedTuple):
    """An address of the server's host, and who is there: with a certificate for all of the face's names."""

    address: str
    face: Face
    leaf: Leaf


class Placed(NamedTuple):
    """A recorded site on a bench. `places` are in the order of its faces; `think` is by what the recorded
    time of the servers is multiplied; `compute`: whether the native client waits as long as the recorded
    browser computed."""

    replay: Replay
    places: tuple[Place, ...]
    think: float = 1.0
    compute: bool = True

    def address(self, host: str) -> str:
        """The address of a host of the site."""
        return self.places[self.replay.hosts[host].face].address
