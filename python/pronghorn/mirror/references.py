"""What a document or a style sheet asks for when it is loaded, as its addresses are written."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser

_SOURCES = {
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "script": ("src",),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "input": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
"""Elements, and those of their attributes that name a resource."""

_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "apple-touch-icon", "manifest", "mask-icon"}
"""What a `link` is that has its `href` loaded."""

# Each ends at the next character that can't be in it, so that no text takes more than one pass.
_URL = re.compile(r"url\(\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^()\s\"']*+))\s*+\)", re.IGNORECASE)
_IMPORT = re.compile(r"@import\s++(?:\"([^\"]*+)\"|'([^']*+)')", re.IGNORECASE)


class _Document(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.base: str | None = None
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value for name, value in attrs if value}
        if tag == "base" and self.base is None:
            self.base = told.get("href")
        if tag == "style":
            self._style = True
        self.found += of_element(tag, told)

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self._style = False

    def handle_data(self, data: str) -> None:
        if self._style:
            self.found += in_style(data)


def in_document(text: str) -> tuple[str | None, list[str]]:
    """The document's `<base href>`, if any, and what it asks for."""
    document = _Document()
    document.feed(text)
    document.close()
    return document.base, [each.strip() for each in document.found if each.strip()]


def of_element(tag: str, attributes: Mapping[str, str]) -> list[str]:
    """What an element asks for by its attributes; both names in lower case."""
    found: list[str] = []
    if tag == "link" and _LINKS & set(attributes.get("rel", "").lower().split()):
        srcset = _candidates(attributes.get("imagesrcset", ""))
        found += [attributes["href"]] if "href" in attributes else srcset
    for attribute in _SOURCES.get(tag, ()):
        value = attributes.get(attribute, "")
        found += _candidates(value) if attribute == "srcset" else [value]
    return found + in_style(attributes.get("style", ""))


def in_style(text: str) -> list[str]:
    """What a style sheet asks for; what it may ask for is asked for."""
    plain = _without_comments(text)
    found = [*_IMPORT.findall(plain), *_URL.findall(plain)]
    return [address for each in found if (address := "".join(each))]


def _without_comments(text: str) -> str:
    """A style sheet's text without its comments, of which the last may lack its end."""
    kept, at = [], 0
    while (begin := text.find("/*", at)) >= 0:
        kept.append(text[at:begin])
        end = text.find("*/", begin + 2)
        at = end + 2 if end >= 0 else len(text)
    return "".join([*kept, text[at:]])


def _candidates(srcset: str) -> list[str]:
    """All candidates of a `srcset`: which one is chosen depends on the screen."""
    return [each.split()[0] for each in re.split(r",\s+|,(?=\S+\s)", srcset) if each.split()]
