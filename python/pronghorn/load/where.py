"""Where to connect to: as the URL says, or as the command line does instead."""

from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.errors import InputError
from pronghorn.load import resolve
from pronghorn.load.places import Host
from pronghorn.load.spec import Protocol


class Wanted(NamedTuple):
    """The words. None: as the URL says."""

    address: str | None = None
    port: int | None = None
    connect_to: str | None = None
    unix_socket: Path | None = None


def read(wanted: Wanted, host: Host, protocol: Protocol) -> dict[str, Any]:
    """What of a LoadSpec they say, names looked up; InputError where they contradict each other."""
    if wanted.unix_socket is not None:
        return {"unix_socket": _socket(wanted, protocol)}
    port = wanted.port
    if wanted.connect_to is not None:
        for flag, asked in (("--address", wanted.address), ("--port", wanted.port)):
            if asked is not None:
                raise InputError(f"--connect-to and {flag} exclude each other: both say where to connect to.")
        host_there, port = resolve.connect_to(wanted.connect_to)
        host = host_there._replace(port=port or host.port)
    zone = host.zone
    if wanted.address is not None:
        address, zone = resolve.literal(wanted.address)
    else:
        # A name may lead to an address of link scope, too.
        address, _, found = resolve.address(host.name, port or host.port, protocol).partition("%")
        zone = zone or found or None
    return {"address": address, "zone": zone, "port": port}


def _socket(wanted: Wanted, protocol: Protocol) -> str:
    for flag, asked in (
        ("--address", wanted.address),
        ("--port", wanted.port),
        ("--connect-to", wanted.connect_to),
    ):
        if asked is not None:
            raise InputError(f"--unix-socket and {flag} exclude each other: both say where to connect to.")
    if protocol == "h3":
        raise InputError("--unix-socket: HTTP/3 goes over UDP; --http 1.1 and 2 have it.")
    assert wanted.unix_socket is not None
    return str(wanted.unix_socket.absolute())
