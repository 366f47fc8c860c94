"""Readers of foreign bytes in Python, each as a function that fails where it does anything but read them or
refuse them in one sentence. `fuzz.py` looks for bytes on which one fails; `make test` tries `corpus`."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from pronghorn import sites
from pronghorn.errors import InputError
from pronghorn.importing import bring
from pronghorn.model.recorded_site import REWRITINGS
from pronghorn.sites.archive import read

PARTED = b"\n-----\n"
"""What parts the files of an archive."""

_BODY = b"a" * 10
_DIGEST = "bf2cb58a68f684d95a3b78ef8f661c9a4e5b09e82cc8f9cc88cce90528caeb27"


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
        (folder / "bodies" / _DIGEST[:2]).mkdir(parents=True)
        (folder / "bodies" / _DIGEST[:2] / _DIGEST).write_bytes(_BODY)
        (folder / "site.toml").write_bytes(site)
        (folder / "requests.jsonl").write_bytes(requests)
        for number, words in enumerate(("", *(f"+{word}" for word in REWRITINGS))):
            root = Path(made) / str(number)
            root.mkdir()
            with _refused_in_one_sentence():
                sites.build(f"archive:{folder}{words}", 1, root)


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
    {one.__name__: one for one in (import_har, import_warc, site_archive)}
)
