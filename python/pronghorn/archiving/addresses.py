"""URLs as an archive has them."""

import re
from urllib.parse import quote, urljoin, urlsplit

from pronghorn.sites.archive.exchange import target_of

_UNWRITTEN = re.compile(r"[\t\r\n]")
_SAFE = "!#$%&'()*+,-./:;=?@[\\]^_`{|}~"
_PORTS = {"http": ":80", "https": ":443"}


def clean(url: str) -> str | None:
    """A URL in ASCII, percent-encoded as browsers send it, without user and fragment. None where it leads
    to no server of http or https."""
    url = _UNWRITTEN.sub("", url.strip()).partition("#")[0]
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in _PORTS:
        return None
    cut = min((at for mark in "/?" if (at := rest.find(mark)) >= 0), default=len(rest))
    authority, after = rest[:cut], rest[cut:]
    host = authority.rpartition("@")[2].lower().removesuffix(_PORTS[scheme])
    try:
        host = host if host.isascii() else host.encode("idna").decode("ascii")
        after = quote(after, safe=_SAFE, errors="strict").replace("\\", "%5C").replace('"', "%22")
        made = f"{scheme}://{host}{after if after.startswith('/') else f'/{after}'}"
        target_of(made)
    except ValueError:
        return None
    return made


def joined(base: str, reference: str) -> str | None:
    """A reference as a clean URL; None where it leads to no server."""
    try:
        return clean(urljoin(base, reference.strip()))
    except ValueError:
        return None


def site_of(host: str) -> str:
    """The site to which a host belongs: its last two labels, or three where the second-last is short or a
    registry's usual word (`co.uk`). A guess, since no list of public suffixes is asked."""
    labels = host.rstrip(".").split(".")
    if host.startswith("[") or labels[-1].isdigit():
        return host
    registry = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _REGISTRIES
    return ".".join(labels[-3:] if registry else labels[-2:])


_REGISTRIES = frozenset({"ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "ne", "net", "or", "org"})


def host_of(url: str) -> str:
    """The host of a clean URL."""
    return urlsplit(url).hostname or ""
