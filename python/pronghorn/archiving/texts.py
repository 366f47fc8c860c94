"""Bodies as text, in which secrets are searched and replaced byte by byte."""

import codecs
import re
from typing import NamedTuple

MOST_BYTES = 64 * 2**20
"""Bytes of a text, decoded; no page has such a one."""

_BINARY = re.compile(
    r"(?:image/(?!svg)|font/|audio/|video/|application/(?:font|x-font|vnd\.ms-fontobject|wasm|pdf|zip|gzip)).*"
)
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Text(NamedTuple):
    """A body's text, and how it becomes bytes again."""

    text: str
    encoding: str

    @classmethod
    def of(cls, content: bytes) -> "Text":
        """The text of any bytes: each is a character, unless a mark says UTF-16."""
        encoding = _UTF_16.get(content[:2], "latin-1")
        try:
            return cls(content.decode(encoding), encoding)
        except UnicodeDecodeError:
            return cls(content.decode("latin-1"), "latin-1")

    def bytes_of(self, text: str) -> bytes:
        """Another text in the same encoding."""
        return text.encode(self.encoding, "replace")


def is_text(media_type: str) -> bool:
    """Whether a body of this media type may hold text."""
    return _BINARY.fullmatch(media_type) is None
