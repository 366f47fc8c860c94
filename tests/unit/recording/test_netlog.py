"""Bodies and headers out of a NetLog: as sent, in the order of requests. A broken log is no error."""

import base64
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pronghorn.recording.netlog import Log

from ..runs.mutations import mutated_lines

TYPES = {
    "URL_REQUEST_START_JOB": 10,
    "HTTP_TRANSACTION_READ_RESPONSE_HEADERS": 11,
    "URL_REQUEST_FILTERS_SET": 12,
    "URL_REQUEST_JOB_BYTES_READ": 13,
    "URL_REQUEST_JOB_FILTERED_BYTES_READ": 14,
    "SOCKET_BYTES_SENT": 15,
}
URL = "https://shop.example/"


def event(kind: str, source: int, params: dict[str, Any], phase: int = 0) -> str:
    """A line as Chromium writes it."""
    told = {"params": params, "phase": phase, "source": {"id": source, "start_time": "1", "type": 1}}
    return json.dumps(told | {"time": "2", "type": TYPES[kind]}, separators=(",", ":"))


def data(kind: str, source: int, content: bytes) -> str:
    """Bytes that were read."""
    params = {"byte_count": len(content), "bytes": base64.b64encode(content).decode()}
    return event(kind, source, params)


def written(folder: Path) -> Path:
    """A log of a redirect with its compressed target, and of the same URL once more."""
    start = {"method": "GET", "url": URL}
    headers = {"headers": ["HTTP/1.1 200", "set-cookie: a=1", "set-cookie: b=2: x", "content-encoding: gzip"]}
    lines = [
        event("URL_REQUEST_START_JOB", 1, {"method": "GET", "url": "http://shop.example/"}, 1),
        event("HTTP_TRANSACTION_READ_RESPONSE_HEADERS", 1, {"headers": ["HTTP/1.1 301", f"location: {URL}"]}),
        event("URL_REQUEST_START_JOB", 1, {}, 2),
        event("URL_REQUEST_START_JOB", 1, start, 1),
        event("SOCKET_BYTES_SENT", 9, {"byte_count": 3, "bytes": "eHh4"}),
        event("URL_REQUEST_START_JOB", 2, start | {"url": f"{URL}#part"}, 1),
        event("HTTP_TRANSACTION_READ_RESPONSE_HEADERS", 1, headers),
        event("URL_REQUEST_FILTERS_SET", 1, {"filters": "GZIP"}),
        data("URL_REQUEST_JOB_BYTES_READ", 1, b"co"),
        data("URL_REQUEST_JOB_FILTERED_BYTES_READ", 2, b"plain"),
        data("URL_REQUEST_JOB_BYTES_READ", 1, b"ded"),
        data("URL_REQUEST_JOB_FILTERED_BYTES_READ", 1, b"decoded"),
    ]
    file = folder / "netlog.json"
    first = '{"constants":' + json.dumps({"logEventTypes": TYPES}) + ',\n"events": [\n'
    file.write_text(first + ",\n".join(lines) + "]}\n", encoding="utf-8")
    return file


def test_bodies_are_as_sent_and_headers_in_their_order(tmp_path: Path) -> None:
    log = Log(written(tmp_path))
    first, second = log.take("GET", URL), log.take("GET", f"{URL}#other")
    assert first is not None
    assert second is not None
    assert log.body(first) == b"coded"
    assert first.headers[:2] == [("set-cookie", "a=1"), ("set-cookie", "b=2: x")]
    assert log.body(second) == b"plain"
    assert log.take("GET", URL) is None
    redirect = log.take("GET", "http://shop.example/")
    assert redirect is not None
    assert redirect.headers == [("location", URL)]
    assert log.body(redirect) == b""


@pytest.mark.parametrize(
    "content", [None, b"", b"{", b'{"constants":{}}\n', b'{"constants":7,\n', b"\xff" * 99]
)
def test_what_is_no_log_has_no_responses(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "netlog.json"
    if content is not None:
        file.write_bytes(content)
    assert Log(file).take("GET", URL) is None


def test_mutated_logs_give_whole_bodies_or_none(tmp_path: Path) -> None:
    file = written(tmp_path)
    whole = file.read_bytes()
    for case in range(60):
        file.write_bytes(mutated_lines(whole, Random(case)))
        log = Log(file)
        while (response := log.take("GET", URL)) is not None:
            body = log.body(response)
            assert body is None or len(body) < 100
