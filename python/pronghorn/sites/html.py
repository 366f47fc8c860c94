"""The page of a generated site, of an exact size."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pronghorn.sites.compression import brotli_of, fitted
from pronghorn.sites.prose import Prose
from pronghorn.sites.spec import SiteSpec
from pronghorn.sites.stream import Stream

_SURE_RATIO = 2
"""What every text of `Prose` compresses by, at least."""


@dataclass(frozen=True)
class Picture:
    """An image in the page: its URL path and its dimensions in pixels."""

    path: str
    width: int
    height: int


@dataclass(frozen=True)
class Parts:
    """What the page names, as URL paths, and the classes that its sections get from the styles."""

    styles: Sequence[str]
    scripts: Sequence[str]
    pictures: Sequence[Picture]
    classes: Sequence[str]


class _Frame(NamedTuple):
    """A page without its text: what precedes the paragraphs, each paragraph's opening and what follows it,
    what closes the page."""

    head: list[str]
    paragraphs: list[tuple[str, str]]
    foot: list[str]


def page(spec: SiteSpec, stream: Stream, parts: Parts) -> bytes:
    """A document of `spec.document` bytes that names every part once.

    Styles stand in the head; of the scripts the first fifth too (in turn blocking, `defer` and `async`), the
    rest before the body's end; a deferred site has them all in the head with `defer`. Images stand between
    paragraphs of random text. The icon is empty, so that no browser asks for one.
    """
    frame = _frame(spec, parts)
    bare = [f"{opening}</p>{section}" for opening, section in frame.paragraphs]
    missing = spec.document - len("\n".join([*frame.head, *bare, *frame.foot]).encode())
    if missing < 0:
        raise _no_room(spec, f"{-missing} bytes short")
    share, rest = divmod(missing, len(frame.paragraphs))
    body = [
        f"{opening}{stream.words(f'paragraph {index}', share + (rest if index == 0 else 0))}</p>{section}"
        for index, (opening, section) in enumerate(frame.paragraphs)
    ]
    return "\n".join([*frame.head, *body, *frame.foot]).encode()


def compressed(spec: SiteSpec, stream: Stream, parts: Parts) -> tuple[bytes, bytes]:
    """As `page`, but with text that makes it compress to `spec.document` bytes; and its brotli stream.

    The paragraphs share most of that text; one at the end has the rest."""
    frame = _frame(spec, parts)
    bare = [f"{opening}</p>{section}" for opening, section in frame.paragraphs]
    room = spec.document - len(brotli_of("\n".join([*frame.head, *bare, *frame.foot]).encode()))
    text = Prose(stream, "paragraphs")
    share = max(0, room) * _SURE_RATIO // len(frame.paragraphs)
    body = [f"{opening}{text.take(share).decode()}</p>{section}" for opening, section in frame.paragraphs]
    head, foot = "\n".join([*frame.head, *body, "<p>"]), "\n".join(["</p>", *frame.foot])
    try:
        return fitted(head.encode(), text.take, foot.encode(), spec.document)
    except ValueError as error:
        raise _no_room(spec, str(error)) from None


def _no_room(spec: SiteSpec, lack: str) -> ValueError:
    return ValueError(f"the document of {spec.name} is too small for the resources that it names: {lack}")


def _frame(spec: SiteSpec, parts: Parts) -> _Frame:
    in_head = len(parts.scripts) if spec.deferred else -(-len(parts.scripts) // 5)
    head = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f'<title>{spec.title}</title><link rel="icon" href="data:,">',
        *(f'<link rel="stylesheet" href="{path}">' for path in parts.styles),
        *(
            f'<script src="{path}"{_mode(index, spec.deferred)}></script>'
            for index, path in enumerate(parts.scripts[:in_head])
        ),
        "</head><body>",
    ]
    foot = [*(f'<script src="{path}"></script>' for path in parts.scripts[in_head:]), "</body></html>\n"]
    sections = [_section(picture) for picture in parts.pictures] or [""]
    classes = [_opening(parts.classes, index) for index in range(max(len(sections), len(parts.classes)))]
    sections += [""] * (len(classes) - len(sections))
    return _Frame(head, list(zip(classes, sections, strict=True)), foot)


def _mode(index: int, deferred: bool) -> str:
    if deferred:
        return " defer"
    return ("", " defer", " async")[index % 3]


def _opening(classes: Sequence[str], index: int) -> str:
    return f'<p class="{classes[index]}">' if index < len(classes) else "<p>"


def _section(picture: Picture) -> str:
    return f'<img src="{picture.path}" width="{picture.width}" height="{picture.height}" alt="">'
