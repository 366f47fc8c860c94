"""What is requested: URLs, methods, headers and a body, from the command line's words and an input file."""

import ipaddress
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from pronghorn import __version__, reading
from pronghorn.errors import InputError
from pronghorn.load.spec import Protocol, Target

USER_AGENT = f"pronghorn/{__version__}"
MOST_BODY = 16 * 2**20
"""The largest body of a request in bytes."""

MOST_TARGETS = 64 * 2**20
"""The longest list of URLs in bytes."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e]*")
_BLANKS = re.compile(r"[ \t]+")
_LABEL = re.compile(r"[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?")
_WRITTEN = re.compile(r"^[^:]*://[^/?#]*|#.*", re.DOTALL)
"""The characters before a URL's path and after its query that are sent as written."""

_STRIPPED = re.compile(r"[\t\r\n]")
"""The characters that urllib removes from URLs."""

_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_PATH = re.compile(r"[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7c\x7e%]*")

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


PORTS = {"https": 443, "http": 80}


class Host(NamedTuple):
    """Whom all requests go to; `name` is a host name or an address without brackets."""

    scheme: str
    name: str
    port: int

    def __str__(self) -> str:
        """As a URL begins; the scheme's own port isn't written."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{self.scheme}://{name}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")


class Wanted(NamedTuple):
    """The words that say what is requested. `method` None: GET, with a body POST. `body` and `data`: a text,
    and a file that holds the body."""

    urls: Sequence[str]
    input_file: str | None = None
    method: str | None = None
    headers: Sequence[str] = ()
    body: str | None = None
    data: Path | None = None


def read(wanted: Wanted) -> tuple[Host, tuple[Target, ...]]:
    """The host and its targets, in the order in which they are asked; InputError where a word is wrong."""
    body = _body(wanted)
    headers = _headers(wanted.headers)
    method = _method(wanted.method, "--method") if wanted.method else ("GET" if body is None else "POST")
    places = [(where, method, _place(url, where)) for where, url in _numbered(wanted.urls)]
    if wanted.input_file is not None:
        base = places[0][2][0] if places else None
        places = list(_lines(wanted.input_file, base, method))
    if not places:
        raise InputError("no URL to load.", hint="Write one: pronghorn load https://localhost:8443/")
    host = places[0][2][0]
    targets = []
    for where, own_method, (found, path) in places:
        if found != host:
            raise InputError(
                f"{where}: this is {found}, but {places[0][0]} is {host}; all URLs of a load share scheme, "
                "host and port.",
                hint="Run one load for each host.",
            )
        targets.append(Target(url=f"{host}{path}", method=own_method, headers=headers, body=body))
    return host, tuple(targets)


def refuse_over(targets: Sequence[Target], protocol: Protocol) -> None:
    """InputError where a field can't be sent over `protocol`."""
    if protocol == "h1" and any(name == "te" for name, _ in targets[0].headers):
        raise InputError(
            "-H 'te: trailers': over HTTP/1.1 'te' belongs to the connection, not to the request (RFC "
            "9110 §10.1.4).",
            hint="HTTP/2 and 3 allow it: --http 2",
        )


def _numbered(urls: Sequence[str]) -> "list[tuple[str, str]]":
    """The command line's URLs, each with where it stands."""
    if len(urls) == 1:
        return [("URL", urls[0])]
    return [(f"URL {number}", url) for number, url in enumerate(urls, 1)]


def _lines(name: str, base: Host | None, method: str) -> "list[tuple[str, str, tuple[Host, str]]]":
    """The input file's lines, `[METHOD] URL` or `[METHOD] /PATH` of the command line's host, each with where
    it stands."""
    found = []
    for number, line in enumerate(_text(name).split("\n"), 1):
        words = _BLANKS.split(line.removesuffix("\r").strip(" \t"))
        if not words[0] or words[0].startswith("#"):
            continue
        where = f"{name}, line {number}"
        if len(words) > 2:
            raise InputError(f"{where}: {line!r} is no target; write URL or METHOD URL.")
        own_method = _method(words[0], where) if len(words) == 2 else method
        url = words[-1]
        if url.startswith("/"):
            if base is None:
                raise InputError(
                    f"{where}: {url!r} names no host.",
                    hint=f"Name one on the command line: pronghorn load https://localhost/ -i {name}",
                )
            url = f"{base}{url}"
        found.append((where, own_method, _place(url, where)))
    if not found:
        raise InputError(f"{name}: holds no URL. Write one per line.")
    return found


def _text(name: str) -> str:
    if name != "-":
        return reading.asked(Path(name), MOST_TARGETS, "a list of URLs")
    try:
        read = sys.stdin.buffer.read(MOST_TARGETS + 1)
        text = read.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start} of stdin is no UTF-8.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: {getattr(error, 'strerror', None) or error}.") from None
    if len(read) > MOST_TARGETS:
        raise InputError(f"{name}: stdin has over {MOST_TARGETS // 2**20} MiB, the most for a list of URLs.")
    return text


def _place(url: str, where: str) -> tuple[Host, str]:
    """The host and the path with its query; a fragment is never sent."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(f"{where}: {url!r} is no URL: {error}.") from None
    if parts.scheme not in ("http", "https"):
        raise InputError(f"{where}: {url!r} is no URL; it begins with https:// or http://.")
    if url != url.strip() or _STRIPPED.search(url):
        raise InputError(f"{where}: {url!r}: a URL has no tabs, line ends or blanks at its ends.")
    name = _host_name(url, parts, where)
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
    return Host(parts.scheme, name, port or PORTS[parts.scheme]), path


def _shown(character: str) -> str:
    return "a blank" if character == " " else repr(character)


def _host_name(url: str, parts: SplitResult, where: str) -> str:
    if parts.username is not None or parts.password is not None:
        raise InputError(
            f"{where}: a URL with a user's name isn't supported.",
            hint="Send the header instead: -H 'authorization: Basic …'",
        )
    name = parts.hostname
    if not name:
        raise InputError(f"{where}: {url!r} names no host.")
    if "[" in parts.netloc:
        return _literal(url, name, where)
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
    if _NUMBER.fullmatch(name.removesuffix(".").rpartition(".")[2]):
        return _literal(url, name, where)
    return name


def _literal(url: str, name: str, where: str) -> str:
    """An IP address within a URL."""
    if "%" in name:
        raise InputError(
            f"{where}: {url!r}: an address with a zone ({name.partition('%')[2]!r}) can't be loaded.",
            hint="Write an address of global scope.",
        )
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        raise InputError(
            f"{where}: {url!r}: {name!r} is no IP address; write four numbers up to 255, or an IPv6 "
            "address in brackets."
        ) from None


def _method(text: str, where: str) -> str:
    if not _TOKEN.fullmatch(text) or text != text.upper():
        raise InputError(f"{where}: {text!r} is no method; write one such as GET or POST (RFC 9110 §9.1).")
    if text == "CONNECT":
        raise InputError(f"{where}: CONNECT opens a tunnel and has no response to measure.")
    return text


def _headers(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The fields in lower case, as HTTP/2 and 3 send them; ours first unless it is set, or taken away by an
    empty value."""
    fields: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or not _TOKEN.fullmatch(name):
            raise InputError(f"-H {line!r} is no header; write 'NAME: VALUE'.")
        if name in _NOT_OURS:
            raise InputError(f"-H {line!r}: {name!r} can't be set: {_NOT_OURS[name]}.")
        if name == "te" and value.lower() not in ("", "trailers"):
            raise InputError(f"-H {line!r}: 'te' can only be 'trailers' (RFC 9113 §8.2.2, RFC 9114 §4.2).")
        if not _FIELD_VALUE.fullmatch(value):
            raise InputError(f"-H {line!r}: a header's value is ASCII without control characters.")
        fields.append((name, value))
    if not any(name == "user-agent" for name, _ in fields):
        fields.insert(0, ("user-agent", USER_AGENT))
    return tuple((name, value) for name, value in fields if value)


def _body(wanted: Wanted) -> bytes | None:
    if wanted.data is None:
        return None if wanted.body is None else wanted.body.encode()
    if wanted.body is not None:
        raise InputError("--body and --data exclude each other: a request has one body.")
    try:
        return reading.content(wanted.data, MOST_BODY, "a body")
    except reading.Unreadable as error:
        raise InputError(f"--data {wanted.data}: {error}.") from None
