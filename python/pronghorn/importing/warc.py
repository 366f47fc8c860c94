"""A WARC file (ISO 28500), compressed or not, read by the library warcio."""

import gzip
import importlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pronghorn import __version__, reading
from pronghorn.archiving import Body, Draft, Making, Source, Told
from pronghorn.errors import InputError
from pronghorn.foreign import line
from pronghorn.importing.har.timing import moment, written
from pronghorn.sites.archive import limits

MOST_BYTES = 4 * 2**30
"""Of a WARC file, decompressed (4 GiB)."""

_MOST_LINE = limits.MOST_BODY
"""Bytes without a line's end: the reader collects a line in memory, however long it is."""

_GZIP = b"\x1f\x8b"
_LONGEST = 64 * 2**10


class _Bounded:
    """A file of records, decompressed, that ends in an InputError beyond its bounds."""

    def __init__(self, source: Path, stream: BinaryIO) -> None:
        self._source = source
        compressed = stream.read(2) == _GZIP
        stream.seek(0)
        self._stream: Any = gzip.GzipFile(fileobj=stream) if compressed else stream
        self._total = self._line = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most 64 KiB of them."""
        piece: bytes = self._stream.read(min(size, _LONGEST) if size >= 0 else _LONGEST)
        self._total += len(piece)
        end = piece.rfind(b"\n")
        self._line = len(piece) - end - 1 if end >= 0 else self._line + len(piece)
        if self._total > MOST_BYTES or self._line > _MOST_LINE:
            raise InputError(
                f"{self._source}: decompressed it has more than {MOST_BYTES} bytes (4 GiB), or "
                f"{_MOST_LINE} without a line's end.",
                hint="Cut it down to one page.",
            )
        return piece


def bring(source: Path, target: Path, *, page: str | None = None, keep_secrets: bool = False) -> Told:
    """Makes the archive `target` of the WARC file `source`. `page` is the page's URL; the first document
    without it. InputError where the file is none."""
    by = f"pronghorn {__version__} (import of a WARC file)"
    described = Source(written(0.0), by, page, timed=False)
    try:
        with reading.opened(source) as stream, Making(target, described, keep_secrets=keep_secrets) as making:
            for draft in _drafts(_Bounded(source, stream), described):
                making.take(draft)
            return making.finish()
    except reading.Unreadable as error:
        raise InputError(f"{source}: {error}.") from None
    except (EOFError, OSError, zlib.error, ValueError) as error:
        raise InputError(
            f"{source}: this is no whole WARC file: {line(' '.join(str(error).split()))}."
        ) from None


def _drafts(stream: _Bounded, source: Source) -> Iterator[Draft]:
    """The responses, each with its request's headers where the file has them beside it."""
    requests: dict[str, list[tuple[str, str]]] = {}
    waiting: list[tuple[str, Draft]] = []
    for record in _records(stream):
        kind, headers = record.rec_type, record.rec_headers
        url = (headers.get_header("WARC-Target-URI") or "").strip().strip("<>")
        if kind == "request" and record.http_headers is not None:
            requests[headers.get_header("WARC-Concurrent-To") or url] = _pairs(record.http_headers)
            requests[url] = _pairs(record.http_headers)
        elif kind in ("response", "resource"):
            draft = _draft(record, kind, url, source)
            yield from _ready(waiting, requests)
            if draft is not None:
                waiting.append((headers.get_header("WARC-Record-ID") or "", draft))
        elif kind == "revisit":
            source.left_out["revisit of a WARC file"] += 1
    yield from _ready(waiting, requests)


def _records(stream: _Bounded) -> Iterator[Any]:
    """The library's records. It was written for whole files: a broken one may end it with any error."""
    records = iter(_warcio().archiveiterator.ArchiveIterator(stream))
    while True:
        try:
            record = next(records, None)
        except InputError:
            raise
        except Exception as error:
            raise ValueError(f"a record can't be read: {error}") from error
        if record is None:
            return
        yield record


def _ready(waiting: list[tuple[str, Draft]], requests: dict[str, list[tuple[str, str]]]) -> Iterator[Draft]:
    """The responses before, whose requests have been read by now, whichever of the two stands first."""
    for record, draft in waiting:
        draft.request_headers = requests.get(record) or requests.get(draft.url) or []
        yield draft
    waiting.clear()
    if len(requests) > limits.MOST_EXCHANGES:
        requests.clear()


def _draft(record: Any, kind: str, url: str, source: Source) -> Draft | None:
    recorded = moment(record.rec_headers.get_header("WARC-Date"))
    if recorded is not None and source.recorded.startswith("1970-"):
        source.recorded = written(recorded)
    if kind == "resource":
        headers = [("Content-Type", record.rec_headers.get_header("Content-Type") or "")]
        return Draft(url, headers=headers, body=Body(_payload(record)))
    if record.http_headers is None:
        source.left_out["record that is no HTTP response"] += 1
        return None
    status = record.http_headers.get_statuscode() or ""
    return Draft(
        url,
        status=int(status) if status.isascii() and status.isdigit() and len(status) < 4 else 0,
        headers=_pairs(record.http_headers),
        body=Body(_payload(record)),
        protocol="h1" if record.http_headers.protocol.upper().startswith("HTTP/1") else None,
    )


def _payload(record: Any) -> bytes:
    """The body as sent: without the chunks of HTTP/1.1, with its content coding."""
    stream = record.raw_stream
    coding = record.http_headers.get_header("Transfer-Encoding") if record.http_headers is not None else None
    if coding and "chunked" in coding.lower():
        stream = _warcio().bufferedreaders.ChunkedDataReader(stream, decomp_type=None)
    content = bytearray()
    while piece := stream.read(_LONGEST):
        content += piece
        if len(content) > limits.MOST_BODY:
            raise InputError(
                f"a record has more than {limits.MOST_BODY} bytes (256 MiB), the most for a body.",
                hint="Leave it out of the file.",
            )
    return bytes(content)


def _pairs(headers: Any) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in headers.headers]


def _warcio() -> Any:
    """The library, loaded when it is first needed."""
    for part in ("archiveiterator", "bufferedreaders"):
        importlib.import_module(f"warcio.{part}")
    return importlib.import_module("warcio")
