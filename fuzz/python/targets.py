"""Readers of foreign bytes in Python, each as a function that fails where it does anything but read them or
refuse them in one sentence. `fuzz.py` looks for bytes on which one fails; `make test` tries `corpus`."""

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from pronghorn import sites
from pronghorn.check import alternatives
from pronghorn.check.facts import Answer
from pronghorn.check.probes import forwarding, versions
from pronghorn.check.probes.trust import Authorities
from pronghorn.errors import InputError
from pronghorn.importing import bring
from pronghorn.model.recorded_site import REWRITINGS
from pronghorn.sites.archive import layout, read

PARTED = b"\n-----\n"
"""What parts the files of an archive."""

_BODIES = (b"a" * 10, b'<script src="https://b.test/x" integrity="sha384-a">https:\\/\\/b.test\\/y</script>')
AUTHORITIES = Authorities(None)
_WORDS = ("", *(f"+{word}" for word in REWRITINGS), "+no-third-parties+no-images+one-host+all-h3")


def import_har(content: bytes) -> None:
    """A HAR file."""
    _import(content, ".har")


def import_warc(content: bytes) -> None:
    """A WARC file."""
    _import(content, ".warc")


def site_archive(content: bytes) -> None:
    """A site archive, its two files parted by `PARTED`, as it is and rewritten in every way."""
    site, _, requests = content.partition(PARTED)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "archive"
        for body in _BODIES:
            file = layout.body(folder, hashlib.sha256(body).hexdigest())
            file.parent.mkdir(parents=True)
            file.write_bytes(body)
        (folder / "site.toml").write_bytes(site)
        (folder / "requests.jsonl").write_bytes(requests)
        for number, words in enumerate(_WORDS):
            root = Path(made) / str(number)
            root.mkdir()
            with _refused_in_one_sentence():
                sites.build(f"archive:{folder}{words}", 1, root)


def checked_host(content: bytes) -> None:
    """What a host answers `pronghorn check`: Alt-Svc, an echo of headers, a QUIC packet, a certificate."""
    advertised = alternatives.parse(content.decode("latin-1").split("\n"))
    assert advertised is None or all(0 < each.port < 65536 for each in advertised.alternatives)
    forwarding.read("h1", Answer(200, (), len(content), "", content))
    assert all(0 <= each < 1 << 32 for each in versions.read(content, content[6:14]))
    AUTHORITIES.judge([content], "shop.test")


def _import(content: bytes, ending: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        file = folder / f"site{ending}"
        file.write_bytes(content)
        with _refused_in_one_sentence():
            bring(file, folder / "archive")
        left = {one.name for one in folder.iterdir()} - {file.name}
        assert left <= {"archive"}, left
        if left:
            archive = read(folder / "archive")
            for one in archive.exchanges:
                assert one.body is None or len(archive.body(one.body)) == one.body_bytes, one.url


@contextlib.contextmanager
def _refused_in_one_sentence() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        assert "\n" not in error.message, error.message


TARGETS: Mapping[str, Callable[[bytes], None]] = MappingProxyType(
    {one.__name__: one for one in (checked_host, import_har, import_warc, site_archive)}
)
