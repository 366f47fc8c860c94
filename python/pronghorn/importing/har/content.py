"""An entry's body: HAR has it decoded, as text or in base64, or not at all."""

import base64
import binascii
import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

from pronghorn import reading
from pronghorn.archiving import Body
from pronghorn.archiving.headers import Pair
from pronghorn.archiving.texts import is_text
from pronghorn.importing.har.values import size, table, text
from pronghorn.sites import codings
from pronghorn.sites.archive import limits
from pronghorn.sites.archive.exchange import value_of

BROKEN = "body with broken base64, replaced by seeded bytes"
SHORT = "body shorter than its recorded size"
CHARSET = "body in UTF-8 instead of its recorded charset"
OTHER = "body beside the file that is not what its name says, replaced by seeded bytes"

_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_BOM = "\ufeff"
_NAME = re.compile(r"(?P<sha1>[0-9a-f]{40})(?:\.[A-Za-z0-9]{1,20})?")
_MOST_FRAMING = 4096
"""Bytes by which a body as counted by a browser exceeds its length; with more, the length is another
response's, as chrome-har has it after redirects."""

_HEADER_BYTES = 4
"""Beside a header's name and value: a colon, a space, CR and LF."""


def body(
    response: dict[str, Any],
    headers: list[Pair],
    repaired: Counter[str],
    folder: Path,
    uncompressed: int | None = None,
) -> Body:
    """The body of a response. `folder` is where the HAR file stands: Playwright keeps bodies beside it.
    What is no body is counted in `repaired`; its size stays. `uncompressed` is its decoded size
    where an entry tells it apart."""
    content = table(response, "content")
    if size(content.get("size")) == 0 and 300 <= (size(response.get("status")) or 0) < 400:
        # Some makers count a redirect's head as its body.
        return Body()
    decoded, coded = _sizes(response, content, headers)
    if uncompressed:
        # WebPageTest's `content.size` is the size as sent.
        decoded, coded = uncompressed, coded or decoded
    told = content.get("text")
    if isinstance(told, str) and told:
        found = _of_text(told, content, headers, decoded, repaired)
    else:
        found = _beside(content, folder, repaired)
    if found is None:
        return Body(None, False, coded, decoded)
    if decoded is not None and len(found) < decoded:
        repaired[SHORT] += 1
    coding = codings.named(value_of(headers, "content-encoding"))
    still_coded = bool(coding) and found.startswith(_MAGIC.get(coding[-1], b"\0\0\0\0never"))
    if still_coded and is_text(text(content.get("mimeType"), 200).partition(";")[0].lower()):
        return Body(found, False, coded, decoded)
    return Body(found, True, coded, decoded)


def _of_text(
    told: str, content: dict[str, Any], headers: list[Pair], decoded: int | None, repaired: Counter[str]
) -> bytes | None:
    if text(content.get("encoding"), 20).lower() == "base64":
        try:
            return base64.b64decode(told.encode("ascii", "replace"), validate=True)
        except (binascii.Error, ValueError):
            repaired[BROKEN] += 1
            return None
    for encoding in _encodings(told, content, headers):
        try:
            found = told.encode(encoding)
        except (UnicodeEncodeError, LookupError):
            continue
        if encoding == "utf-8" and decoded == len(found) + 3 and not told.startswith(_BOM):
            # The byte order mark, which browsers take off.
            found = b"\xef\xbb\xbf" + found
        return found
    repaired[CHARSET] += 1
    for at, (name, value) in enumerate(headers):
        if name.lower() == "content-type" and _CHARSET.search(value):
            headers[at] = name, _CHARSET.sub("charset=utf-8", value)
    return told.encode("utf-8", "replace")


def _encodings(told: str, content: dict[str, Any], headers: list[Pair]) -> list[str]:
    """Those that the response names, in its headers or in the page itself; UTF-8 where it names none."""
    for place in (value_of(headers, "content-type") or "", text(content.get("mimeType"), 400), told[:2048]):
        if found := _CHARSET.search(place):
            name = found[1].lower()
            return ["cp1252"] if name in ("iso-8859-1", "latin1", "us-ascii", "ascii") else [name]
    return ["utf-8"]


def _beside(content: dict[str, Any], folder: Path, repaired: Counter[str]) -> bytes | None:
    """The file that Playwright names for a body it has not put into the HAR; only one that stands beside
    it, and holds what its name says, the content's SHA-1: no other file gets into an archive."""
    name = content.get("_file")
    named = _NAME.fullmatch(name) if isinstance(name, str) else None
    if named is None:
        return None
    file = folder / named[0]
    try:
        if file.is_symlink():
            return None
        found = reading.content(file, limits.MOST_BODY, "a body")
    except reading.Unreadable:
        return None
    if hashlib.sha1(found, usedforsecurity=False).hexdigest() != named["sha1"]:
        repaired[OTHER] += 1
        return None
    return found


def _sizes(
    response: dict[str, Any], content: dict[str, Any], headers: list[Pair]
) -> tuple[int | None, int | None]:
    """The decoded and the coded size; None for what isn't told. A length that the server told comes first."""
    decoded = size(content.get("size"))
    decoded = decoded or None
    coding = codings.named(value_of(headers, "content-encoding"))
    length = size(value_of(headers, "content-length"))
    sent = size(response.get("bodySize"))
    if length is not None and (sent or 0) < 2 * length + _MOST_FRAMING:
        return decoded if coding else length or decoded, length or None
    if not coding:
        return decoded or sent, decoded or sent
    if sent:
        return decoded, sent
    if transferred := size(response.get("_transferSize")):
        head = size(response.get("headersSize")) or sum(
            len(name) + len(value) + _HEADER_BYTES for name, value in headers
        )
        return decoded, max(transferred - head, 1)
    saved = size(content.get("compression"))
    if saved and decoded and saved < decoded:
        return decoded, decoded - saved
    return decoded, None
