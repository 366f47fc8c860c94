"""Bodies and headers as they were sent, out of a NetLog that holds all bytes.

Chromium logs what a URL request reads before its content decoder (URL_REQUEST_JOB_BYTES_READ) and after
(URL_REQUEST_JOB_FILTERED_BYTES_READ). Without a content coding there is only the second."""

import base64
import binascii
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import from_json

from pronghorn import reading
from pronghorn.sites.archive import limits

_START, _HEADERS = "URL_REQUEST_START_JOB", "HTTP_TRANSACTION_READ_RESPONSE_HEADERS"
_FILTERS, _RAW, _FILTERED = (
    "URL_REQUEST_FILTERS_SET",
    "URL_REQUEST_JOB_BYTES_READ",
    "URL_REQUEST_JOB_FILTERED_BYTES_READ",
)
_WANTED = (_START, _HEADERS, _FILTERS, _RAW, _FILTERED)
_TAIL = re.compile(rb'"source":\{"id":(\d+),[^{}]*\},"time":"\d+","type":(\d+)\}')
_MOST_LINE = 64 * 2**20
_BEGIN = 1


@dataclass
class Response:
    """One response. `headers` as sent, the status line left out; places in the log where its bytes stand."""

    headers: list[tuple[str, str]] = field(default_factory=list)
    coded: bool = False
    raw: list[int] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)


class Log:
    """A NetLog that is written to its end. `take` gives the responses of a method and URL in the order in
    which they were asked for."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._responses: dict[tuple[str, str], deque[Response]] = {}
        try:
            with reading.opened(file) as stream:
                self._read(stream)
        except (reading.Unreadable, ValueError, LookupError, TypeError):
            # Without it bodies are made up, and counted.
            return

    def take(self, method: str, url: str) -> Response | None:
        """The next response; None where the log has none."""
        waiting = self._responses.get((method, url.partition("#")[0]))
        return waiting.popleft() if waiting else None

    def body(self, response: Response) -> bytes | None:
        """The bytes of a response as they were sent; None where the log doesn't have them whole."""
        content = bytearray()
        with reading.opened(self._file) as stream:
            for place in response.raw if response.coded else response.plain:
                stream.seek(place)
                parameters = _event(stream.readline(_MOST_LINE)).get("params", {})
                try:
                    piece = base64.b64decode(parameters["bytes"], validate=True)
                except (KeyError, TypeError, ValueError, binascii.Error):
                    return None
                content += piece
                if len(piece) != parameters.get("byte_count") or len(content) > limits.MOST_BODY:
                    return None
        return bytes(content)

    def _read(self, stream: BinaryIO) -> None:
        first = stream.readline(_MOST_LINE).strip().rstrip(b",")
        types = from_json(first + b"}")["constants"]["logEventTypes"]
        wanted = {types[name]: name for name in _WANTED if name in types}
        current: dict[int, Response] = {}
        for place, line in _lines(stream):
            found = _TAIL.search(line, max(0, len(line) - 300))
            name = wanted.get(int(found[2])) if found else None
            if found is None or name is None:
                continue
            source = int(found[1])
            if name == _RAW and source in current:
                current[source].raw.append(place)
            elif name == _FILTERED and source in current:
                current[source].plain.append(place)
            else:
                self._note(name, source, _event(line), current)

    def _note(self, name: str, source: int, event: dict[str, Any], current: dict[int, Response]) -> None:
        parameters = event.get("params") or {}
        if name == _START and event.get("phase") == _BEGIN and "url" in parameters:
            response = current[source] = Response()
            key = str(parameters.get("method", "GET")), str(parameters["url"]).partition("#")[0]
            self._responses.setdefault(key, deque()).append(response)
        elif source not in current:
            return
        elif name == _FILTERS:
            current[source].coded = bool(parameters.get("filters"))
        elif name == _HEADERS:
            lines = [str(one).partition(": ") for one in parameters.get("headers", [])[1:]]
            current[source].headers = [(key, value) for key, _, value in lines]


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    while True:
        place = stream.tell()
        line = stream.readline(_MOST_LINE)
        if not line:
            return
        yield place, line


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = from_json(line.strip().rstrip(b","))
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
