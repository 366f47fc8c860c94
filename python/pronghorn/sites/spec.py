"""The specifications of the generated sites: counts, ranges and totals, in bytes (1 kB = 1000 bytes)."""

from dataclasses import dataclass

_KB = 1000
_MB = 1000 * _KB


@dataclass(frozen=True)
class Group:
    """`count` resources of one kind, each of `low` to `high` bytes."""

    count: int
    low: int
    high: int


NONE = Group(0, 1, 1)


@dataclass(frozen=True)
class SiteSpec:
    """A page: `total` bytes in all, `document` of them HTML.

    `fonts` and `backgrounds` are named by the styles alone, so that a client learns of them one round trip
    later; `deferred` says that all scripts stand in the head and wait for the document, as an application's
    do.
    """

    name: str
    title: str
    total: int
    document: int
    scripts: Group = NONE
    images: Group = NONE
    styles: Group = NONE
    fonts: Group = NONE
    backgrounds: Group = NONE
    deferred: bool = False

    @property
    def requests(self) -> int:
        """How many resources the page has, the document among them."""
        groups = (self.scripts, self.images, self.styles, self.fonts, self.backgrounds)
        return 1 + sum(group.count for group in groups)


def _document(name: str, title: str, size: int) -> SiteSpec:
    return SiteSpec(name, title, total=size, document=size)


_ALL = (
    SiteSpec(
        "small",
        "A small page",
        total=600 * _KB,
        document=20 * _KB,
        scripts=Group(10, 2 * _KB, 100 * _KB),
        images=Group(10, 1 * _KB, 50 * _KB),
    ),
    SiteSpec(
        "content",
        "A page rich in content",
        total=10 * _MB,
        document=80 * _KB,
        scripts=Group(50, 2 * _KB, 1 * _MB),
        images=Group(55, 1 * _KB, 1 * _MB),
    ),
    SiteSpec(
        "spa",
        "A single-page application",
        total=15 * _MB,
        document=12 * _KB,
        scripts=Group(85, 2 * _KB, 1 * _MB),
        images=Group(30, 1 * _KB, 50 * _KB),
        deferred=True,
    ),
    _document("page-15k", "A document of 15 kB", 15 * _KB),
    _document("page-1m", "A document of 1 MB", 1 * _MB),
    _document("tiny", "A document of 612 bytes", 612),
    # Counts and sizes of `cms` are guesses at a shop's start page as a content-management system makes it.
    SiteSpec(
        "cms",
        "A shop",
        total=2_400 * _KB,
        document=60 * _KB,
        scripts=Group(16, 2 * _KB, 200 * _KB),
        images=Group(30, 2 * _KB, 200 * _KB),
        styles=Group(5, 5 * _KB, 90 * _KB),
        fonts=Group(4, 15 * _KB, 45 * _KB),
        backgrounds=Group(6, 2 * _KB, 80 * _KB),
    ),
)

SPECIFICATIONS: dict[str, SiteSpec] = {spec.name: spec for spec in _ALL}
"""Every generated site by its name."""
