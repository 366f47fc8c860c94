"""What is checked: one https URL, and how the host is reached."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from pronghorn.errors import InputError

_HTTPS_PORT = 443
_DEVIATING = "ßẞς\u200c\u200d"
"""What IDNA 2003, which Python has, maps to other letters or to nothing, and UTS 46 keeps."""


@dataclass(frozen=True)
class Target:
    """A URL's parts. `host` is in ASCII and small letters, an IPv6 address without brackets; `path` has the
    query."""

    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host as `Host` and `:authority` name it: without the port if that is 443."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _HTTPS_PORT else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """The URL for people. A query may hold secrets, so it is never shown."""
        path, query, _ = self.path.partition("?")
        return f"https://{self.authority}{path}{'?…' if query else ''}"

    @property
    def is_address(self) -> bool:
        """Whether the host is an IP address, which has no DNS records."""
        return is_address(self.host)


@dataclass(frozen=True)
class Settings:
    """How a host is checked. `addresses` replace what DNS says. `resolver` (address, port) replaces the
    system's. `authorities` is a PEM file of further trusted ones. `echo` is the path of an endpoint that
    answers with the request's headers. The whole check takes at most `limit_s`."""

    authorities: Path | None = None
    addresses: tuple[str, ...] = ()
    resolver: tuple[str, int] | None = None
    echo: str | None = None
    limit_s: float = 30.0


def is_address(text: str) -> bool:
    """Whether `text` is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether an address belongs to the Internet, and not to a network of somebody's own."""
    return ipaddress.ip_address(address.partition("%")[0]).is_global


def leads_inside(one: str, others: Iterable[str]) -> bool:
    """Whether a host at a public address leads to another that isn't: its owner must not choose what is asked
    of this host's own network."""
    return is_public(one) and not all(map(is_public, others))


def same_site(one: Target, other: Target) -> bool:
    """Whether a person who named one of them means the other too: the same host, with or without `www.`."""
    return one.host.removeprefix("www.") == other.host.removeprefix("www.")


def parse(text: str) -> Target:
    """The target that a person names: a URL, or a host alone. InputError where it is none; secrets in it are
    not repeated."""
    whole = text.strip() if "://" in text else f"https://{text.strip()}"
    try:
        parts = urlsplit(whole)
        port = parts.port
        if port == 0:
            raise ValueError
    except ValueError:
        raise InputError(
            "URL: the host or the port is wrong.",
            hint="Allowed are ports from 1 to 65535: https://HOST:PORT/",
        ) from None
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "URL: it holds a user name or a password, which check does not send.",
            hint="Remove what stands before the @.",
        )
    if parts.scheme != "https":
        raise InputError(
            f"URL: scheme {parts.scheme!r} can't be checked. Allowed: https.", hint="Name it as https://HOST/"
        )
    host = _ascii(parts.hostname or "")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or not path.isprintable() or " " in path:
        raise InputError(
            "URL: the path holds characters that must be percent-encoded.", hint="Write a space as %20."
        )
    return Target(host, _HTTPS_PORT if port is None else port, path)


def redirected(target: Target, location: str) -> Target | None:
    """Where a `Location` leads; None if that is nothing that can be checked."""
    try:
        return parse(urljoin(f"https://{target.authority}{target.path}", location))
    except (InputError, ValueError):
        return None


def _ascii(host: str) -> str:
    if not host:
        raise InputError("URL: it names no host.", hint="Name it as https://HOST/")
    if is_address(host):
        return host
    if any(each in _DEVIATING for each in host):
        raise InputError(
            "URL: the host has a letter that DNS holds encoded (ß, ς or a zero-width joiner).",
            hint="Write the name as DNS has it, such as xn--fa-hia.example for faß.example.",
        )
    try:
        name = host.rstrip(".").encode("idna").decode()
    except UnicodeError:
        name = ""
    if not name or len(name) > 253 or any(not (one.isalnum() or one in "-_.") for one in name):
        raise InputError("URL: the host is no valid name.", hint="Name it as https://HOST/")
    return name.lower()
