"""How an experiment's sites are built: whether their text is compressed, and whose absolute addresses are
their own."""

import re
from collections.abc import Collection
from typing import Literal

from pronghorn.model import origin_name
from pronghorn.model.experiment_reader import ExperimentReader

COMPRESSION = "compression"
HOST = "host"

Compression = Literal["static", "none"]
COMPRESSIONS = ("auto", "static", "none")
"""What the key `compression` may say; `auto` becomes one of the others."""

BEFORE: Compression = "none"
"""How runs of versions without the key built their sites."""

BY_KEY = "the experiment's key 'host'"
"""How a site's own host is known if the experiment names it."""

_ASK = frozenset({"native", "chromium"})
"""The clients that ask for content codings."""

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")


def compression(
    reader: ExperimentReader, shipped: Collection[str], origins: Collection[str], clients: Collection[str]
) -> Compression:
    """Whether text is compressed when the sites are built. Unless the experiment says it, it is where every
    one of its `origins` is `shipped` with the program, and so serves what lies compressed, and every client
    asks for it: so what the specification of a site says holds in all cells."""
    said = reader.choice(COMPRESSION, "compression", COMPRESSIONS, "auto")
    if said == "static" or said == "none":
        return "static" if said == "static" else "none"
    ours = all(origin_name.plain(origin) in shipped for origin in origins)
    honoured = ours and all(client in _ASK for client in clients)
    return "static" if honoured else "none"


def hosts(reader: ExperimentReader, sites: Collection[str]) -> tuple[str, ...]:
    """The hosts whose absolute addresses are the folders' own, in lower case; empty where they are to be
    looked for in the folders."""
    if HOST not in reader:
        return ()
    value = reader.table[HOST]
    found = (value,) if isinstance(value, str) else reader.names(HOST)
    for host in found:
        if not _HOST.fullmatch(host):
            raise reader.error(
                HOST, f"{host!r} is no host's name, such as 'shop.example'; ports and schemes don't count."
            )
    if not any(site.startswith("dir:") for site in sites):
        raise reader.error(HOST, "no site is a folder, and only addresses in a dir:PATH have a host.")
    return tuple(host.lower() for host in found)
