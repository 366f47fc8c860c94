"""Makes HAR files of a few words, and imports them."""

import json
from pathlib import Path
from typing import Any

from pronghorn.importing import bring
from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, read

PAGE = "https://shop.example/"


def entry(url: str = PAGE, **more: Any) -> dict[str, Any]:
    """An entry as Chrome has it. `text`, `mime`, `status`, `headers`, `sent` (of the request), `content`
    and `response` replace its parts; what else is named stands in the entry itself."""
    text = more.pop("text", "<p>shop" if url == PAGE else "text")
    mime = more.pop("mime", "text/html" if url == PAGE else "text/plain")
    content = {"size": len(text or ""), "mimeType": mime} | ({} if text is None else {"text": text})
    headers = [{"name": "content-type", "value": mime}, *named(more.pop("headers", {}))]
    return {
        "startedDateTime": "2026-03-04T10:11:12.000Z",
        "pageref": "page_1",
        "request": {
            "method": more.pop("method", "GET"),
            "url": url,
            "httpVersion": "h2",
            "headers": named(more.pop("sent", {})),
        }
        | more.pop("request", {}),
        "response": {
            "status": more.pop("status", 200),
            "headers": headers,
            "content": content | more.pop("content", {}),
            "bodySize": -1,
        }
        | more.pop("response", {}),
        "timings": {"wait": 10, "receive": 1},
    } | more


def named(headers: dict[str, str]) -> list[dict[str, str]]:
    """Headers as HAR has them."""
    return [{"name": name, "value": value} for name, value in headers.items()]


def har(*entries: Any, **log: Any) -> dict[str, Any]:
    """A HAR of entries; `log` are further keys of its log."""
    return {
        "log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [*entries]} | log
    }


def imported(folder: Path, value: Any, **options: Any) -> Archive:
    """The archive of a HAR, which `value` is, or its bytes."""
    file = folder / "site.har"
    file.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    bring(file, folder / "archive", **options)
    return read(folder / "archive")


def everything(folder: Path) -> bytes:
    """All that stands in a folder's files and in their names, in one text; bodies also decoded."""
    found = b""
    for file in sorted(folder.rglob("*")):
        found += str(file.relative_to(folder)).encode() + b"\n"
        found += file.read_bytes() if file.is_file() else b""
    archive = read(folder)
    for one in archive.exchanges:
        if one.body is not None:
            found += decoded(archive, one.id)
    return found


def decoded(archive: Archive, number: int) -> bytes:
    """The body of an exchange without its content coding."""
    one = archive.exchanges[number - 1]
    content = archive.body(one.body) if one.body is not None else b""
    return codings.undone(content, codings.named(one.header("content-encoding")))
