"""What a document or a style sheet asks for when it is loaded, as its addresses are written."""

import re
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

_URL = re.compile(r"url\(\s*(?:\"([^\"]*)\"|'([^']*)'|([^)\s\"']*))\s*\)", re.IGNORECASE)
_IMPORT = re.compile(r"@import\s+(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


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
        if tag == "link" and _LINKS & set(told.get("rel", "").lower().split()):
            self.found += [told["href"]] if "href" in told else _candidates(told.get("imagesrcset", ""))
        for attribute in _SOURCES.get(tag, ()):
            value = told.get(attribute, "")
            self.found += _candidates(value) if attribute == "srcset" else [value]
        self.found += in_style(told.get("style", ""))

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


def in_style(text: str) -> list[str]:
    """What a style sheet asks for; what it may ask for is asked for."""
    plain = _COMMENT.sub("", text)
    found = [*_IMPORT.findall(plain), *_URL.findall(plain)]
    return [address for each in found if (address := "".join(each))]


def _candidates(srcset: str) -> list[str]:
    """All candidates of a `srcset`: which one is chosen depends on the screen."""
    return [each.split()[0] for each in re.split(r",\s+|,(?=\S+\s)", srcset) if each.split()]
