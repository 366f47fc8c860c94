"""URLs of a load: whom they name, and the path with its query as it is sent."""

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from pronghorn.errors import InputError
from pronghorn.model.address import bracketed

PORTS = {"https": 443, "http": 80}

PATH = r"/[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7c\x7e%]*"
"""A path with its query, of the characters that it may have (RFC 3986), as a regular expression."""

_LABEL = re.compile(r"[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?")
_WRITTEN = re.compile(r"^[^:]*://[^/?#]*|#.*", re.DOTALL)
"""The characters before a URL's path and after its query that are sent as written."""

_STRIPPED = re.compile(r"[\t\r\n]")
"""The characters that urllib removes from URLs."""

_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_PATH = re.compile(PATH)
_ZONE = re.compile(r"[0-9A-Za-z_.-]{1,15}")
"""An interface's name, as netdevice(7) has them."""


class Host(NamedTuple):
    """Whom all requests go to; `name` is a host name or an address without brackets, `zone` the interface at
    which an IPv6 address of link scope is reached. Nobody else is told of a zone (RFC 6874 §3)."""

    scheme: str
    name: str
    port: int
    zone: str | None = None

    def __str__(self) -> str:
        """As a URL begins; the scheme's own port isn't written."""
        return f"{self.scheme}://{bracketed(self.name)}" + (
            "" if self.port == PORTS[self.scheme] else f":{self.port}"
        )


def read(url: str, where: str) -> tuple[Host, str]:
    """The host, and the path with its query; a fragment is never sent. InputError where it is no URL, or one
    that can't be sent."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(f"{where}: {url!r} is no URL: {error}.") from None
    if parts.scheme not in ("http", "https"):
        raise InputError(f"{where}: {url!r} is no URL; it begins with https:// or http://.")
    if url != url.strip() or _STRIPPED.search(url):
        raise InputError(f"{where}: {url!r}: a URL has no tabs, line ends or blanks at its ends.")
    name, zone = _host_name(url, parts, where)
    if port == 0:
        raise InputError(f"{where}: {url!r}: no server listens on port 0; allowed are 1 to 65535.")
    path = _WRITTEN.sub("", url)
    path = path if path.startswith("/") else f"/{path}"
    allowed = _PATH.match(path)
    if allowed is not None and allowed.end() < len(path):
        wrong = path[allowed.end()]
        raise InputError(
            f"{where}: {url!r}: {_shown(wrong)} is not allowed in a path or a query.",
            hint=f"Write it as {quote(wrong, safe='', errors='surrogateescape')} (RFC 3986 §2.1).",
        )
    return Host(parts.scheme, name, port or PORTS[parts.scheme], zone), path


def address(text: str, where: str, shown: str) -> tuple[str, str | None]:
    """An IP address and its zone, which follows '%' or, in a URL, '%25' (RFC 6874); InputError where it is
    none. `shown` is what is told to be wrong."""
    literal, percent, zone = text.partition("%")
    zone = zone.removeprefix("25")
    try:
        found = ipaddress.ip_address(literal)
    except ValueError:
        raise InputError(f"{where}: {shown} is no IP address{_HOW}.") from None
    if not percent:
        return str(found), None
    if found.version == 4 or not _ZONE.fullmatch(zone):
        raise InputError(
            f"{where}: {shown}: {zone!r} is no zone; it follows an IPv6 address and is an interface's name."
        )
    return str(found), zone


_HOW = "; write four numbers up to 255, or an IPv6 address in brackets"


def host_name(name: str, where: str) -> str:
    """A host's name; InputError where it is none."""
    wrong = re.search(r"[^0-9A-Za-z_.-]", name)
    if wrong is not None:
        raise InputError(
            f"{where}: {name!r} is no host name: {_shown(wrong[0])} is not allowed in one.",
            hint="Write a non-ASCII name as xn--…",
        )
    if not all(_LABEL.fullmatch(label) for label in name.removesuffix(".").split(".")):
        raise InputError(
            f"{where}: {name!r} is no host name: each part has 1 to 63 letters and no '-' at its ends."
        )
    return name


def _shown(character: str) -> str:
    return "a blank" if character == " " else repr(character)


def _host_name(url: str, parts: SplitResult, where: str) -> tuple[str, str | None]:
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"{where}: a URL with a user's name isn't supported.",
            hint="Send the header instead: -H 'authorization: Basic …'",
        )
    name = parts.hostname
    if not name:
        raise InputError(f"{where}: {url!r} names no host.")
    if "[" in parts.netloc:
        # urllib writes a zone in lower case, and interfaces' names aren't alike in both.
        written = parts.netloc.partition("[")[2].partition("]")[0]
        return address(written, where, f"{url!r}: {name!r}")
    if _NUMBER.fullmatch(name.removesuffix(".").rpartition(".")[2]) and _is_plain(name):
        return address(name, where, f"{url!r}: {name!r}")
    return host_name(name, where), None


def _is_plain(name: str) -> bool:
    return all(_LABEL.fullmatch(label) for label in name.removesuffix(".").split("."))
