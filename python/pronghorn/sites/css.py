"""Styles of an exact size, which name the fonts and background images that only they name."""

from collections.abc import Sequence

from pronghorn.sites.stream import Stream


def style(stream: Stream, label: str, size: int, fonts: Sequence[str], backgrounds: Sequence[str]) -> bytes:
    """A style sheet of `size` bytes (at least 200 and 200 more for each font and background).

    A font's or a background's file stem is its family and the class that uses it: `.font-01` is set in
    font-01, `.background-01` shows background-01.
    """
    rules = [rule for path in fonts for rule in _font(path)]
    rules += [f".{_stem(path)}{{background:url({path}) center/cover}}" for path in backgrounds]
    head = "".join(f"{rule}\n" for rule in rules) + "/*"
    tail = "*/\n"
    return f"{head}{stream.text(label, size - len(head) - len(tail))}{tail}".encode("ascii")


def _font(path: str) -> tuple[str, str]:
    family = _stem(path)
    return (
        f'@font-face{{font-family:"{family}";src:url("{path}") format("woff");font-display:swap}}',
        f'.{family}{{font-family:"{family}",sans-serif}}',
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
