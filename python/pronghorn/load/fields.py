"""The method and the headers of a request, as they can be sent."""

import re
from collections.abc import Iterable, Sequence

from pronghorn import __version__
from pronghorn.errors import InputError

USER_AGENT = f"pronghorn/{__version__}"

Fields = tuple[tuple[str, str], ...]

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e]*")
_NOT_OURS = {
    "host": "it comes from the URL. To reach a name at another address, write the name in the URL and "
    "--address",
    "content-length": "it comes from the body",
    "connection": "it belongs to the connection (RFC 9110 §7.6.1). For a new connection per request: "
    "--connect each",
    **dict.fromkeys(
        ("keep-alive", "proxy-connection", "transfer-encoding", "upgrade"),
        "it belongs to the connection, not to the request (RFC 9110 §7.6.1)",
    ),
}
"""The header fields that nobody may set, each with the reason."""


def method(text: str, where: str) -> str:
    """A request's method; InputError where `text`, which stands at `where`, is none."""
    if not _TOKEN.fullmatch(text) or text != text.upper():
        raise InputError(f"{where}: {text!r} is no method; write one such as GET or POST (RFC 9110 §9.1).")
    if text == "CONNECT":
        raise InputError(f"{where}: CONNECT opens a tunnel and has no response to measure.")
    return text


def field(line: str, where: str) -> tuple[str, str]:
    """A header's name in lower case, as HTTP/2 and 3 send it, and its value; InputError where it can't be
    sent. `where` is what is told to be wrong."""
    name, colon, value = line.partition(":")
    name, value = name.strip().lower(), value.strip()
    if not colon or not _TOKEN.fullmatch(name):
        raise InputError(f"{where} is no header; write 'NAME: VALUE'.")
    if name in _NOT_OURS:
        raise InputError(f"{where}: {name!r} can't be set: {_NOT_OURS[name]}.")
    if name == "te" and value.lower() not in ("", "trailers"):
        raise InputError(f"{where}: 'te' can only be 'trailers' (RFC 9113 §8.2.2, RFC 9114 §4.2).")
    if not _FIELD_VALUE.fullmatch(value):
        raise InputError(f"{where}: a header's value is ASCII without control characters.")
    return name, value


def of_command(lines: Sequence[str]) -> Fields:
    """The command line's; ours first unless it is set, or taken away by an empty value."""
    fields = [field(line, f"-H {line!r}") for line in lines]
    if not any(name == "user-agent" for name, _ in fields):
        fields.insert(0, ("user-agent", USER_AGENT))
    return tuple((name, value) for name, value in fields if value)


def overridden(below: Fields, above: Iterable[tuple[str, str]]) -> Fields:
    """`below` without what `above` names as well, and that; an empty value takes a field away."""
    own = tuple(above)
    names = {name for name, _ in own}
    kept = tuple(one for one in below if one[0] not in names)
    return kept + tuple(one for one in own if one[1])
