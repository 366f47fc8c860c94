"""The URL that a person asks about."""

from typing import NamedTuple
from urllib.parse import urlsplit

from pronghorn.errors import InputError

HTTPS = 443
_EXAMPLE = "Write it as https://www.example.org/page."


class Target(NamedTuple):
    """Host, port and the document's path with its query."""

    host: str
    port: int
    document: str

    @property
    def authority(self) -> str:
        """Host and port as a URL has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTPS else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """The URL without its query, which may hold secrets."""
        return f"https://{self.authority}{self.document.partition('?')[0]}"


def target(url: str) -> Target:
    """The parts of a URL; InputError where it is none of https, or holds a password."""
    try:
        parts = urlsplit(url)
        port = parts.port if parts.port is not None else HTTPS
        host = parts.hostname
    except ValueError as error:
        raise InputError(f"why: this URL can't be read: {error}.", hint=_EXAMPLE) from None
    try:
        (host or "").encode("idna")
    except UnicodeError:
        raise InputError(f"why: {host} is no host's name.", hint=_EXAMPLE) from None
    if parts.scheme != "https" or not host or not port:
        raise InputError("why: URL has to be an address with https://.", hint=_EXAMPLE)
    if parts.username is not None:
        raise InputError("why: the URL holds a user name, which would be sent nowhere.", hint=_EXAMPLE)
    if not url.isascii() or any(one <= " " or one == "\x7f" for one in url):
        raise InputError("why: the URL has characters that must be percent-encoded.", hint=_EXAMPLE)
    return Target(host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
