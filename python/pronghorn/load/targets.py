"""What is requested: URLs, methods, headers and bodies, from the command line's words and an input file."""

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pronghorn import reading
from pronghorn.errors import HostError, InputError
from pronghorn.load import bodies, fields, input_lines, places
from pronghorn.load.bodies import Body, Spool
from pronghorn.load.input_lines import Left, Line, Plain
from pronghorn.load.places import Host
from pronghorn.load.spec import Protocol, Target

_INLINE = 1000
"""The most targets that are told to the engine at once; more are in a file, which it reads as it goes."""


class Wanted(NamedTuple):
    """The words that say what is requested. `method` None: GET, with a body POST. `body` and `data`: a text,
    and a file that holds the body; `data` and `input_file` '-': stdin."""

    urls: Sequence[str]
    input_file: str | None = None
    method: str | None = None
    headers: Sequence[str] = ()
    body: str | None = None
    data: Path | None = None


class Listed(NamedTuple):
    """All that is requested, `number` targets. `file`, of a long list: the engine's file of them; `targets`
    then has what a line doesn't say. `left`: how many lines of an access log can't be sent again, and where
    the first is."""

    host: Host
    targets: tuple[Target, ...]
    file: str | None
    number: int
    left: tuple[int, str] | None = None


def read(wanted: Wanted, spool: Spool) -> Listed:
    """The host and its targets, in the order in which they are asked; InputError where a word is wrong."""
    body = _body(wanted, spool)
    has_body = body != Body()
    method = fields.method(wanted.method, "--method") if wanted.method else ("POST" if has_body else "GET")
    template = Target(
        url="",
        method=method,
        headers=fields.of_command(wanted.headers),
        body=body.content,
        body_file=body.file,
    )
    written = [Line(where, url) for where, url in _numbered(wanted.urls)]
    if wanted.input_file is None:
        reader = _Reader(template, "")
        targets = tuple(reader.target(line) for line in written)
        if reader.host is None:
            raise InputError("no URL to load.", hint="Write one: pronghorn load https://localhost:8443/")
        return Listed(reader.host, targets, None, len(targets))
    reader = _Reader(template, wanted.input_file)
    for line in written[:1]:
        reader.host = places.read(line.url, line.where)[0]
        reader.of_host = line.where
    stream = _opened(wanted.input_file, spool)
    found = reader.all(input_lines.read(stream, wanted.input_file))
    first: list[Target | bytes] = []
    number = 0
    for some in found:
        first.append(some)
        number += some.count(b"\n") if isinstance(some, bytes) else 1
        if number > _INLINE:
            break
    if not first or reader.host is None:
        raise InputError(f"{wanted.input_file}: holds no URL. Write one per line.")
    template = template.model_copy(update={"url": f"{reader.host}/"})
    if number <= _INLINE:
        targets = tuple(target for some in first for target in reader.whole(some))
        return Listed(reader.host, targets, None, number, reader.left)
    file = spool.new()
    count = _write(file, template, itertools.chain(first, found))
    return Listed(reader.host, (template,), spool.path(file), count, reader.left)


def refuse_over(targets: Sequence[Target], protocol: Protocol) -> None:
    """InputError where a field can't be sent over `protocol`."""
    if protocol == "h1" and any(name == "te" for target in targets for name, _ in target.headers):
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


class _Reader:
    """Lines as targets of one host, whose first one says which."""

    def __init__(self, template: Target, name: str) -> None:
        self.host: Host | None = None
        self.of_host = ""
        self.left: tuple[int, str] | None = None
        self.name = name
        self._template = template

    def all(self, lines: Iterable[Line | Left | Plain]) -> Iterator[Target | bytes]:
        """The targets of all lines but those that are left out. Of those that are the template with another
        path, the paths, each with a newline."""
        for line in lines:
            if isinstance(line, Line):
                yield self.target(line)
            elif isinstance(line, Left):
                number, first = self.left or (0, line.where)
                self.left = number + 1, first
            elif (paths := self._paths(line)) is not None:
                yield paths
            else:
                yield from map(self.target, input_lines.of_plain(line, self.name))

    def _paths(self, plain: Plain) -> bytes | None:
        """None where one of them may be of another host."""
        if self.host is None:
            return None
        prefix = re.escape(f"{self.host}/".encode())
        paths = re.sub(rb"^" + prefix, b"/", plain.urls, flags=re.MULTILINE)
        return None if re.search(rb"^[^/]", paths, flags=re.MULTILINE) else paths

    def whole(self, found: Target | bytes) -> Iterator[Target]:
        """What `all` tells, as targets."""
        if isinstance(found, Target):
            yield found
            return
        for path in found.decode("ascii").splitlines():
            yield self._template.model_copy(update={"url": f"{self.host}{path}"})

    def target(self, line: Line) -> Target:
        """The request that a line says."""
        url = line.url
        if url.startswith("/") and self.name:
            if self.host is None:
                raise InputError(
                    f"{line.where}: {url!r} names no host.",
                    hint=f"Name one on the command line: pronghorn load https://localhost/ -i {self.name}",
                )
            url = f"{self.host}{url}"
            path = places.read(url, line.where)[1]
        else:
            host, path = places.read(url, line.where)
            if self.host is None:
                self.host, self.of_host = host, line.where
            elif host != self.host:
                raise InputError(
                    f"{line.where}: this is {host}, but {self.of_host} is {self.host}; all URLs of a load "
                    "share scheme, host and port.",
                    hint="Run one load for each host.",
                )
        return self._made(line, path)

    def _made(self, line: Line, path: str) -> Target:
        template, body = self._template, line.body
        method = line.method or ("POST" if body is not None and template.method == "GET" else template.method)
        return Target(
            url=f"{self.host}{path}",
            method=method,
            headers=fields.overridden(template.headers, line.own),
            body=template.body if body is None else body.content,
            body_file=template.body_file if body is None else body.file,
            weight=line.weight,
        )


def _write(file: BinaryIO, template: Target, targets: Iterable[Target | bytes]) -> int:
    """Writes the engine's list of targets, a line each; how many there are."""
    count = 0
    beginning = len(template.url) - 1
    try:
        for target in targets:
            count += target.count(b"\n") if isinstance(target, bytes) else 1
            if isinstance(target, bytes):
                file.write(target)
            elif target == template.model_copy(update={"url": target.url}):
                file.write(target.url[beginning:].encode() + b"\n")
            else:
                file.write(json.dumps(target.to_engine(), separators=(",", ":")).encode() + b"\n")
        file.flush()
    except OSError as error:
        raise HostError(
            f"the list of targets: {error.strerror}.", hint="Free some space, or set TMPDIR."
        ) from None
    return count


def _opened(name: str, spool: Spool) -> BinaryIO:
    if name == "-":
        return spool.of_stdin("-")
    try:
        return reading.opened(Path(name))
    except reading.Unreadable as error:
        raise InputError(f"{name}: {error}.") from None


def _body(wanted: Wanted, spool: Spool) -> Body:
    if wanted.data is None:
        return Body() if wanted.body is None else Body(content=wanted.body.encode())
    if wanted.body is not None:
        raise InputError("--body and --data exclude each other: a request has one body.")
    if str(wanted.data) != "-":
        return bodies.of_file(wanted.data, f"--data {wanted.data}")
    if wanted.input_file == "-":
        raise InputError("--data - and -i - exclude each other: there is one stdin.")
    return Body(file=spool.path(spool.of_stdin("--data -")))
