"""The corpus of small pages (`tests/pages`): what each holds, how it is built, and how a load is held against
it.

A page is a folder `NAME` with its site and a file `NAME.toml`, which says what a real Chromium asks for:

    feature     what the page is about
    made        files that are made when the page is built: images, fonts, sounds, text, 3 MB of noise
    encoding    that of the page and its style sheets, UTF-8 where it says nothing
    tolerate    as in an experiment
    scripted    requests that scripts make, and so none of the native client's, which names the scripts
    icons       the browser's own requests, which are none of the load
    beyond      requests that a document makes, by that document: nobody who leaves it out knows of them
    unheard     requests that Chromium may make before it tells of who makes them, and so may not record
    compressed  requests whose response has a content coding
    requests    path and query of each request, with its kind
    left_out    by client: what it has to name as left out, with the reason; a URL of the page's own host is
                written as its path"""

import io
import tomllib
import wave
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from pronghorn.certificates import HOST_NAME
from pronghorn.model.trial import PageLoad
from pronghorn.sites import png, woff
from pronghorn.sites.stream import Stream

PAGES = Path(__file__).parents[1] / "pages"

_NOISE = 3_000_000
"""Bytes of a body that is larger than what a browser takes in without its being read."""

_PADDING = "".join(f"/* Text that compresses well, line {line}. */\n" for line in range(200)).encode()


class Page(BaseModel):
    """One page of the corpus, as its file describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    feature: str
    requests: Mapping[str, str]
    made: tuple[str, ...] = ()
    encoding: str = "utf-8"
    tolerate: tuple[str, ...] = ()
    scripted: tuple[str, ...] = ()
    icons: tuple[str, ...] = ()
    beyond: Mapping[str, str] = {}
    unheard: tuple[str, ...] = ()
    compressed: tuple[str, ...] = ()
    left_out: Mapping[str, Mapping[str, str]] = {}

    @classmethod
    def read(cls, name: str) -> Self:
        """The page `name`."""
        table = tomllib.loads((PAGES / f"{name}.toml").read_text(encoding="utf-8"))
        return cls.model_validate({"name": name, **table})

    @property
    def telling(self) -> bool:
        """Whether a browser's record has more to say of it than its document's references."""
        left_out = self.left_out.get("chromium")
        return bool(left_out or self.scripted or self.tolerate or self.icons or self.compressed)

    def build(self, folder: Path) -> Path:
        """The page's site in a new folder below `folder`."""
        source, root = PAGES / self.name, folder / self.name
        for file in sorted(source.rglob("*")):
            if file.is_file():
                _write(root / file.relative_to(source), self._encoded(file))
        for name in self.made:
            _write(root / name, made(name))
        return root

    def expected(self, client: str) -> dict[str, str]:
        """What `client` asks for, with the kinds: nothing that scripts would ask for where it runs none."""
        unseen = self.scripted if client == "native" else ()
        return {path: kind for path, kind in self.requests.items() if path not in unseen}

    def _encoded(self, file: Path) -> bytes:
        content = file.read_bytes()
        if self.encoding == "utf-8" or file.suffix not in (".html", ".css"):
            return content
        return content.decode().encode(self.encoding)


def names() -> list[str]:
    """The pages, by their names."""
    return sorted(file.stem for file in PAGES.glob("*.toml"))


def made(name: str) -> bytes:
    """The content of a made file, by the ending of its name before any query."""
    stream = Stream(1, name)
    match Path(name.partition("?")[0]).suffix:
        case ".woff":
            return woff.font(stream, "face", 4000)
        case ".wav":
            return _silence()
        case ".bin":
            return stream.bytes("noise", _NOISE)
        case ".zip":
            return b"PK\5\6" + bytes(18)
        case ".css":
            return b"body { color: #222 }\n" + _PADDING
        case ".js":
            return b"document.title += '.';\n" + _PADDING
        case _:
            return png.image(stream, name, 200).content


def _silence() -> bytes:
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 800)
    return content.getvalue()


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def asked(load: PageLoad) -> dict[str, str]:
    """What a load asked for, by path and query, with the kinds."""
    return {resource.path: resource.kind for resource in load.resources}


def left_out(load: PageLoad) -> dict[str, str]:
    """What a load names as left out, with the reason; URLs of the page's own host as paths."""
    return {_short(one.url): one.why for one in load.left_out}


def _short(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("https", "wss") or parts.hostname != HOST_NAME:
        return url
    return url[url.index("/", len(f"{parts.scheme}://")) :]


def faults(page: Page, client: str, load: PageLoad, served: Iterable[str]) -> Iterator[str]:
    """In which a load is otherwise than the page's file says, a sentence each. `served` are path and query of
    what the origin served."""
    expected, got, out = page.expected(client), asked(load), left_out(load)
    if load.outcome != "ok":
        yield f"failed: {load.reason}: {load.detail}"
    unheard = set(page.unheard) if client == "chromium" else set()
    unseen = unheard | {path for path, document in page.beyond.items() if document in out}
    for path in expected.keys() - got.keys() - out.keys() - unseen:
        yield f"not asked for, nor named as left out: {path} ({expected[path]})"
    for path in got.keys() - expected.keys() - set(page.icons):
        yield f"asked for, unlike Chromium: {path} ({got[path]})"
    for path in got.keys() & expected.keys():
        if got[path] != expected[path]:
            yield f"{path} is a {got[path]}, not a {expected[path]}"
    if client == "native" and page.scripted and not load.scripts_not_run_count:
        yield f"no script named that may make requests, as for {page.scripted[0]}"
    named = page.left_out.get(client, {})
    for url in named.keys() - out.keys():
        yield f"not named as left out: {url} ({named[url]})"
    for url in named.keys() & out.keys():
        if named[url] != out[url]:
            yield f"{url} is left out as {out[url]}, not as {named[url]}"
    for path in set(served) - got.keys() - out.keys() - set(page.icons) - unheard:
        yield f"served, and neither recorded nor named as left out: {path}"
    for resource in load.resources:
        if resource.path in page.compressed and not resource.content_coding:
            yield f"{resource.path} came without a content coding"
