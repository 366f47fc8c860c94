"""Building a generated site: sizes, then every resource, then the page that names them."""

from pathlib import Path

from pronghorn.sites import compression, css, html, lookup, png, script, sizes, woff
from pronghorn.sites.built import BuiltSite, Kind, Resource
from pronghorn.sites.spec import Group, SiteSpec
from pronghorn.sites.stream import Stream

DOCUMENT = "/"
_INDEX = "index.html"


def generate(spec: SiteSpec, seed: int, directory: Path, *, compressed: bool = False) -> BuiltSite:
    """Writes the site `spec` into `directory`; OSError where that can't be. Where it is to be `compressed`,
    its text is one that compresses, and the sizes of `spec` are those on the wire."""
    stream = Stream(seed, spec.name)
    groups = {
        "script": spec.scripts,
        "image": spec.images,
        "style": spec.styles,
        "font": spec.fonts,
        "background": spec.backgrounds,
    }
    size_of = _sizes(spec, groups, stream)
    labels = {name: _labels(name, group) for name, group in groups.items()}
    site = _Writer(directory)

    for label in labels["script"]:
        path, size = f"/{label}.js", size_of[label]
        if compressed:
            site.write_coded(path, "script", *script.compressed(stream, label, size))
        else:
            site.write(path, "script", script.script(stream, label, size))
    pictures = []
    for label in labels["image"] + labels["background"]:
        image = png.image(stream, label, size_of[label])
        site.write(f"/{label}.png", "image", image.content)
        if label in labels["image"]:
            pictures.append(html.Picture(f"/{label}.png", image.width, image.height))
    for label in labels["font"]:
        site.write(f"/{label}.woff", "font", woff.font(stream, label, size_of[label]))
    for index, label in enumerate(labels["style"]):
        step = len(labels["style"])
        fonts = [f"/{font}.woff" for font in labels["font"][index::step]]
        backgrounds = [f"/{background}.png" for background in labels["background"][index::step]]
        path, size = f"/{label}.css", size_of[label]
        if compressed:
            site.write_coded(path, "style", *css.compressed(stream, label, size, fonts, backgrounds))
        else:
            site.write(path, "style", css.style(stream, label, size, fonts, backgrounds))

    parts = html.Parts(
        styles=[f"/{label}.css" for label in labels["style"]],
        scripts=[f"/{label}.js" for label in labels["script"]],
        pictures=pictures,
        classes=labels["font"] + labels["background"],
    )
    if compressed and spec.document >= compression.LEAST_BYTES:
        site.write_coded(DOCUMENT, "document", *html.compressed(spec, stream, parts))
    else:
        site.write(DOCUMENT, "document", html.page(spec, stream, parts))
    lookup.write(directory)
    return BuiltSite(directory, DOCUMENT, tuple(sorted(site.resources, key=lambda resource: resource.path)))


def _labels(name: str, group: Group) -> list[str]:
    return [f"{name}-{number:02}" for number in range(1, group.count + 1)]


def _sizes(spec: SiteSpec, groups: dict[str, Group], stream: Stream) -> dict[str, int]:
    labels = [label for name, group in groups.items() for label in _labels(name, group)]
    if not labels:
        return {}
    ranges = [(group.low, group.high) for group in groups.values() for _ in range(group.count)]
    drawn = sizes.draw(ranges, stream.fractions("sizes", len(labels)), spec.total - spec.document)
    return dict(zip(labels, drawn, strict=True))


class _Writer:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.resources: list[Resource] = []

    def write(self, path: str, kind: Kind, content: bytes) -> None:
        self._file(path).write_bytes(content)
        self.resources.append(Resource(path, kind, len(content)))

    def write_coded(self, path: str, kind: Kind, content: bytes, coded: bytes) -> None:
        self._file(path).write_bytes(content)
        self._file(path, compression.SIBLINGS["br"]).write_bytes(coded)
        self.resources.append(Resource(path, kind, len(content), len(coded)))

    def _file(self, path: str, ending: str = "") -> Path:
        return self._directory / ((_INDEX if path == DOCUMENT else path.lstrip("/")) + ending)
