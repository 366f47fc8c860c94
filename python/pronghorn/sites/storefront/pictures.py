"""The shop's pictures and icons: PNG of random pixels, SVG of random paths."""

from dataclasses import dataclass

from pronghorn.sites import png
from pronghorn.sites.storefront.hosts import IMAGES
from pronghorn.sites.storefront.texts import KB, STREAM, text

GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
"""A transparent pixel."""


@dataclass(frozen=True)
class Picture:
    """A picture by its `name` in `width` pixels, as the document names it, and its file."""

    name: str
    width: int
    content: bytes

    @property
    def url(self) -> str:
        """Where it is."""
        return sized(self.name, self.width)


def sized(name: str, width: int) -> str:
    """The address of a picture in a width: the host makes them of one original."""
    return f"{IMAGES}/p/{name}.png?w={width}&q=75"


def _series(name: str, count: int, width: int, least: int, most: int) -> tuple[Picture, ...]:
    """Pictures of `least` to `most` bytes, most of them small."""
    shares = STREAM.fractions(f"{name} sizes", count)
    sizes = [round(least * (most / least) ** share) for share in shares]
    labels = [f"{name}-{number:02}" for number in range(1, count + 1)]
    return tuple(
        Picture(label, width, png.image(STREAM, label, size).content)
        for label, size in zip(labels, sizes, strict=True)
    )


HERO = Picture("hero", 1366, png.image(STREAM, "hero", 142 * KB).content)
BANNERS = _series("banner", 3, 640, 38 * KB, 70 * KB)
CATEGORIES = _series("category", 8, 160, 6 * KB, 16 * KB)
PRODUCTS = _series("product", 24, 240, 9 * KB, 26 * KB)
RECOMMENDED = _series("recommended", 6, 200, 10 * KB, 20 * KB)
STORIES = _series("story", 8, 320, 12 * KB, 28 * KB)
BACKGROUNDS = _series("background", 3, 480, 8 * KB, 24 * KB)
CREATIVES = _series("creative", 2, 300, 16 * KB, 24 * KB)
"""Pictures of an advertisement, of another host."""


def svg(label: str, strokes: int) -> str:
    """A drawing in a square of 64 units."""
    places = STREAM.bytes(label, 6 * strokes)
    curves = (
        "c" + " ".join(str(byte % 33 - 16) for byte in places[at : at + 6]) for at in range(0, len(places), 6)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<title>{text(label, 12).strip()}</title><path fill="none" stroke="currentColor" '
        f'd="M32 32{"".join(curves)}"/></svg>\n'
    )


def sprite(names: tuple[str, ...]) -> str:
    """A drawing of symbols, one for each name."""
    symbols = (
        svg(name, 24)
        .replace('<svg xmlns="http://www.w3.org/2000/svg"', f'<symbol id="{name}"')
        .replace("</svg>\n", "</symbol>")
        for name in names
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(symbols)}</svg>\n'
