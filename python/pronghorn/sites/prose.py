"""Seeded text that compresses as a page's does: to about a third."""

from collections.abc import Iterator

from pronghorn.sites.stream import Stream

_BLOCK_WORDS = 1 << 14
_IDENTIFIER_EVERY = 16
_IDENTIFIER = 8

_ONSETS = ("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "h")
_RIMES = ("ane", "ear", "ing", "ode", "est", "all", "urn")
_WORDS = [(onset + rime).encode() for rime in _RIMES for onset in _ONSETS]
_TABLE = (
    [word for word in _WORDS[:16] for _ in range(8)]
    + [word for word in _WORDS[16:48] for _ in range(2)]
    + _WORDS[48:112]
)
"""A word for each byte: of 112, sixteen make up half of a text."""


class Prose:
    """One text, given piece by piece: words, of which few are frequent, and every sixteenth one random."""

    def __init__(self, stream: Stream, label: str) -> None:
        self._blocks = _blocks(stream, label)
        self._left = b""

    def take(self, count: int) -> bytes:
        """The next `count` characters, ASCII letters, digits, `-`, `_` and spaces."""
        pieces = [self._left]
        have = len(self._left)
        while have < count:
            pieces.append(next(self._blocks))
            have += len(pieces[-1])
        text = b"".join(pieces)
        self._left = text[count:]
        return text[:count]


def _blocks(stream: Stream, label: str) -> Iterator[bytes]:
    number = 0
    while True:
        words = [_TABLE[byte] for byte in stream.bytes(f"{label} words {number}", _BLOCK_WORDS)]
        random = _BLOCK_WORDS // _IDENTIFIER_EVERY
        letters = stream.text(f"{label} identifiers {number}", random * _IDENTIFIER).encode()
        words[::_IDENTIFIER_EVERY] = [
            letters[at : at + _IDENTIFIER] for at in range(0, len(letters), _IDENTIFIER)
        ]
        yield b" ".join(words) + b" "
        number += 1
