"""The lines of an input file as requests: URLs, vegeta's JSON and HTTP formats, or an access log.

[METHOD] URL [weight=N]        and /PATH of the command line's host instead of URL
NAME: VALUE                    a header of the target above
@FILE                          its body
{"method": …, "url": …, "header": {NAME: [VALUE, …]}, "body": BASE64, "weight": N}
… "GET /PATH HTTP/1.1" …       a line of an access log
"""

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pronghorn.errors import InputError
from pronghorn.load import bodies, fields, places
from pronghorn.load.bodies import Body
from pronghorn.model import foreign

LONGEST = 32 * 2**20
"""The longest line in bytes: one with a body of some 20 MiB in base64."""

MOST_WEIGHT = 1_000_000
_BLOCK = 2**16
_PLAIN = re.compile(rb"(?:(?:https?://[0-9A-Za-z.:\[\]-]+)?" + places.PATH.encode() + rb"\n)+")
_BLANKS = re.compile(r"[ \t]+")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:(?!//)")
_WEIGHT = re.compile(r"weight=([0-9]{1,9})")
_LOGGED = re.compile(r'"([A-Z]+) (\S+) HTTP/[0-9.]+"')
_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS")
"""The methods that are taken from an access log, which has no bodies."""

_KEYS = ("method", "url", "header", "headers", "body", "weight")


class Line(NamedTuple):
    """A request at `where`. `url` as it is written, or a path of the command line's host. None: as the
    command line has it."""

    where: str
    url: str
    method: str | None = None
    own: fields.Fields = ()
    body: Body | None = None
    weight: int = 1


class Plain(NamedTuple):
    """Lines from `number` on that are URLs or paths and no more, each with its newline: there may be
    millions."""

    number: int
    urls: bytes


class Left(NamedTuple):
    """A line of an access log that is no request which could be sent again."""

    where: str


def read(stream: BinaryIO, name: str) -> Iterator[Line | Left | Plain]:
    """All requests, in order."""
    return _Lines(name).of(stream)


def of_plain(plain: Plain, name: str) -> Iterator[Line]:
    """The same requests, each with where it is."""
    for number, url in enumerate(plain.urls.decode("ascii").splitlines(), plain.number):
        yield Line(f"{name}, line {number}", url)


class _Lines:
    """Reads one list. What a line says is told once the next one has shown that it says no more of it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._number = 0
        self._is_log: bool | None = None
        self._waiting: Line | None = None

    def of(self, stream: BinaryIO) -> Iterator[Line | Left | Plain]:
        while block := stream.read(_BLOCK):
            if not block.endswith(b"\n"):
                block += stream.readline(LONGEST + 1)
            if self._is_log is False and _PLAIN.fullmatch(block):
                yield from self._plain(block)
                continue
            for raw in block.removesuffix(b"\n").split(b"\n"):
                self._number += 1
                yield from self._line(raw)
        yield from self._waited()

    def _plain(self, block: bytes) -> Iterator[Line | Plain]:
        """A block of nothing but URLs. To the last of them more may belong."""
        yield from self._waited()
        lines = block.count(b"\n")
        last = block.rfind(b"\n", 0, -1) + 1
        if last:
            yield Plain(self._number + 1, block[:last])
        self._number += lines
        (self._waiting,) = of_plain(Plain(self._number, block[last:]), self._name)

    def _line(self, raw: bytes) -> Iterator[Line | Left]:
        where = f"{self._name}, line {self._number}"
        line = _text(raw, where)
        if self._is_log is None and line and not line.startswith("#"):
            self._is_log = _is_logged(line)
        if self._is_log:
            if line:
                yield _of_log(line, where)
            return
        if self._waiting is not None and (more := _belonging(line, self._waiting, where)) is not None:
            self._waiting = more
            return
        yield from self._waited()
        if line.startswith("{"):
            yield _of_json(line, where)
        elif line and not line.startswith("#"):
            self._waiting = _of_words(line, where)

    def _waited(self) -> Iterator[Line]:
        if self._waiting is not None:
            yield self._waiting
            self._waiting = None


def _text(raw: bytes, where: str) -> str:
    if len(raw) > LONGEST:
        raise InputError(f"{where}: longer than {LONGEST // 2**20} MiB.")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start} of the line is not UTF-8.") from None
    return text.removesuffix("\n").removesuffix("\r").strip(" \t")


def _is_logged(line: str) -> bool:
    return not line.startswith("{") and _LOGGED.search(line) is not None


def _of_log(line: str, where: str) -> Line | Left:
    found = _LOGGED.search(line)
    if found is None or found[1] not in _WITHOUT_BODY:
        return Left(where)
    url = found[2].partition("#")[0]
    if re.fullmatch(places.PATH, url) is None:
        return Left(where)
    return Line(where, url, found[1])


def _of_words(line: str, where: str) -> Line:
    if _HEADER.match(line) or line.startswith("@"):
        raise InputError(f"{where}: {line!r} has no target above it; write URL or METHOD URL first.")
    words = _BLANKS.split(line)
    weight = 1
    if len(words) > 1 and (found := _WEIGHT.fullmatch(words[-1])) is not None:
        weight = _weight(int(found[1]), where)
        words.pop()
    if len(words) > 2:
        raise InputError(f"{where}: {line!r} is no target; write URL or METHOD URL.")
    method = fields.method(words[0], where) if len(words) == 2 else None
    return Line(where, words[-1], method, weight=weight)


def _belonging(line: str, target: Line, where: str) -> Line | None:
    """The target with what a line below it says; None where that says nothing of it."""
    if line.startswith("@"):
        file = line[1:].strip()
        return target._replace(body=bodies.of_file(Path(file), f"{where}: {file}"))
    if _HEADER.match(line):
        return target._replace(own=(*target.own, fields.field(line, f"{where}: {line!r}")))
    return None


def _of_json(line: str, where: str) -> Line:
    try:
        table = foreign.json_table(line)
    except ValueError as error:
        raise InputError(f"{where}: no JSON object: {error}.") from None
    for key in table:
        if key not in _KEYS:
            raise InputError(f"{where}: unknown key {key!r}. Allowed: {', '.join(_KEYS)}.")
    url = _string(table, "url", where)
    if url is None:
        raise InputError(f"{where}: 'url' is missing.")
    method = _string(table, "method", where)
    return Line(
        where,
        url,
        None if method is None else fields.method(method, where),
        tuple(_headers(table, where)),
        _body(table, where),
        _weight(table.get("weight", 1), where),
    )


def _string(table: dict[str, Any], key: str, where: str) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{where}: {key!r} is no text.")
    return value


def _headers(table: dict[str, Any], where: str) -> Iterator[tuple[str, str]]:
    found = table.get("header", table.get("headers")) or {}
    if not isinstance(found, dict):
        raise InputError(f"{where}: 'header' is no object of names and lists of values.")
    for name, values in found.items():
        values = [values] if isinstance(values, str) else values
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise InputError(f"{where}: the value of {name!r} is neither text nor a list of texts.")
        for value in values:
            yield fields.field(f"{name}: {value}", f"{where}: {name!r}")


def _body(table: dict[str, Any], where: str) -> Body | None:
    text = _string(table, "body", where)
    if text is None:
        return None
    try:
        return Body(content=base64.b64decode(text, validate=True))
    except binascii.Error as error:
        raise InputError(f"{where}: 'body' is not in base64 (RFC 4648 §4): {error}.") from None


def _weight(weight: object, where: str) -> int:
    if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight <= MOST_WEIGHT:
        raise InputError(f"{where}: weight {weight}; allowed are whole numbers from 1 to {MOST_WEIGHT}.")
    return weight
