"""Styles of an exact size, which name the fonts and background images that only they name."""

from collections.abc import Sequence

from pronghorn.sites.compression import fitted
from pronghorn.sites.prose import Prose
from pronghorn.sites.stream import Stream

_TAIL = "*/\n"


def style(stream: Stream, label: str, size: int, fonts: Sequence[str], backgrounds: Sequence[str]) -> bytes:
    """A style sheet of `size` bytes (at least 200 and 200 more for each font and background).

    A font's or a background's file stem is its family and the class that uses it: `.font-01` is set in
    font-01, `.background-01` shows background-01.
    """
    head = _head(fonts, backgrounds)
    return f"{head}{stream.text(label, size - len(head) - len(_TAIL))}{_TAIL}".encode("ascii")


def compressed(
    stream: Stream, label: str, size: int, fonts: Sequence[str], backgrounds: Sequence[str]
) -> tuple[bytes, bytes]:
    """As `style`, but text that compresses to `size` bytes; and its brotli stream."""
    return fitted(_head(fonts, backgrounds).encode(), Prose(stream, label).take, _TAIL.encode(), size)


def _head(fonts: Sequence[str], backgrounds: Sequence[str]) -> str:
    rules = [rule for path in fonts for rule in _font(path)]
    rules += [f".{_stem(path)}{{background:url({path}) center/cover}}" for path in backgrounds]
    return "".join(f"{rule}\n" for rule in rules) + "/*"


def _font(path: str) -> tuple[str, str]:
    family = _stem(path)
    return (
        f'@font-face{{font-family:"{family}";src:url("{path}") format("woff");font-display:swap}}',
        f'.{family}{{font-family:"{family}",sans-serif}}',
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
