"""Which kind of source a path is, by what it holds and not by its name."""

from collections.abc import Callable
from pathlib import Path

from pronghorn import reading
from pronghorn.archiving import Told
from pronghorn.errors import InputError
from pronghorn.importing import folder, har, warc

_LOOK = 64
_GZIP = b"\x1f\x8b"


def bring(source: Path, target: Path, *, page: str | None = None, keep_secrets: bool = False) -> Told:
    """Makes the archive `target` of a HAR file, a WARC file or a folder. `page` chooses one of several
    pages: its URL, or in a HAR its id or number. InputError where `source` is none of these or can't be
    read as such, or where `target` is there already; HostError where nothing can be written."""
    try:
        return _reader(source)(source, target, page=page, keep_secrets=keep_secrets)
    except InputError as error:
        if str(source) in error.message or str(target) in error.message:
            raise
        raise InputError(f"{source}: {error.message}", hint=error.hint) from None


def _reader(source: Path) -> Callable[..., Told]:
    if source.is_dir():
        return folder.bring
    try:
        with reading.opened(source) as stream:
            beginning = stream.read(_LOOK)
    except reading.Unreadable as error:
        raise InputError(f"{source}: {error}.") from None
    if beginning.startswith((_GZIP, b"WARC/")):
        return warc.bring
    if beginning.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1] == b"{":
        return har.bring
    raise InputError(
        f"{source}: this is neither a HAR file (JSON) nor a WARC file nor a folder.",
        hint="In a browser's developer tools: Network, then 'Save all as HAR with content'.",
    )
