"""A folder as an archive: each file within its bounds, each line a request, each body there."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pronghorn import reading
from pronghorn.errors import InputError
from pronghorn.model import bounds
from pronghorn.model.source import Source
from pronghorn.sites.archive import layout, limits, site
from pronghorn.sites.archive.exchange import Exchange
from pronghorn.sites.archive.site import Site


@dataclass(frozen=True)
class Archive:
    """An archive on disk. `exchanges` stand in the order of their start. `rewritten` are bodies of
    theirs that aren't on disk, by their SHA-256."""

    folder: Path
    site: Site
    exchanges: tuple[Exchange, ...]
    rewritten: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def page(self) -> Exchange:
        """The exchange that the load begins with; its response may be a redirect."""
        return next(one for one in self.exchanges if one.url == self.site.page and one.method == "GET")

    @property
    def total_bytes(self) -> int:
        """The bytes of all response bodies as sent, one asked for twice counted twice."""
        return sum(one.body_bytes for one in self.exchanges)

    def file(self, digest: str) -> Path:
        """The file of a body."""
        return layout.body(self.folder, digest)

    def body(self, digest: str) -> bytes:
        """The bytes of a body; InputError where they can't be read, or are others than its name says."""
        if digest in self.rewritten:
            return self.rewritten[digest]
        file = self.file(digest)
        try:
            content = reading.content(file, limits.MOST_BODY, "a body")
        except reading.Unreadable as error:
            raise InputError(f"{file}: {error}.") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise InputError(
                f"{file}: its bytes have another SHA-256 than its name says.",
                hint="Record or import the site again.",
            )
        return content


def read(folder: Path) -> Archive:
    """The archive in `folder`. InputError, with file, line and key, where it is none: a file is missing or
    larger than `limits` says, a key is wrong, a body isn't there or has another size. What a body holds is
    compared with its name when it is read."""
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder.", hint="pronghorn import FILE.har -o DIR makes an archive."
        )
    file = folder / layout.SITE
    described = site.parse(Source(str(file), reading.asked(file, reading.MOST_TOML, "a site"), folder))
    archive = Archive(folder, described, tuple(_exchanges(folder / layout.REQUESTS)))
    _refuse_inconsistent(archive)
    _refuse_missing(archive)
    return archive


def _exchanges(file: Path) -> Iterator[Exchange]:
    try:
        opened = reading.opened(file)
    except reading.Unreadable as error:
        raise InputError(f"{file}: {error}.") from None
    number = 0
    with opened as stream:
        while line := stream.readline(limits.MOST_LINE + 1):
            number += 1
            if len(line) > limits.MOST_LINE:
                raise InputError(f"{file}, line {number}: longer than {limits.MOST_LINE} bytes.")
            if number > limits.MOST_EXCHANGES:
                raise InputError(f"{file}: more than {limits.MOST_EXCHANGES} lines.")
            try:
                yield Exchange.model_validate_json(line, strict=True)
            except ValidationError as error:
                raise InputError(f"{file}, line {number}: {bounds.wrong(error)}.") from None


def _refuse_inconsistent(archive: Archive) -> None:
    file = archive.folder / layout.REQUESTS
    for place, one in enumerate(archive.exchanges, 1):
        wrong, before = None, archive.exchanges[max(place - 2, 0)]
        if one.id != place:
            wrong = f"id is {one.id}: ids count the lines from 1"
        elif one.start_s < before.start_s:
            wrong = f"start_s is {one.start_s}, less than {before.start_s} of the line before"
        elif (one.initiator or 0) >= place or (one.document or 0) >= place:
            wrong = "initiator and document are ids of lines before it"
        elif (one.body is None) != (one.body_bytes == 0):
            wrong = "body is null if body_bytes is 0, and a SHA-256 if it isn't"
        elif one.target.host not in archive.site.hosts:
            wrong = f"its host has no table in {layout.SITE}: [hosts.{bounds.shown(one.target.host)}]"
        if wrong:
            raise InputError(f"{file}, line {place}: {wrong}.")
    if not any(one.url == archive.site.page and one.method == "GET" for one in archive.exchanges):
        raise InputError(
            f"{archive.folder / layout.SITE}: key 'page': no request of {layout.REQUESTS} has this URL."
        )


def _refuse_missing(archive: Archive) -> None:
    top = archive.folder.resolve()
    sizes: dict[str, int] = {}
    for place, one in enumerate(archive.exchanges, 1):
        for digest, size in ((one.body, one.body_bytes), (one.request_body, one.request_bytes)):
            if digest is None:
                continue
            if digest not in sizes:
                sizes[digest] = _size(archive.file(digest), top)
            if sizes[digest] != size:
                raise InputError(
                    f"{archive.folder / layout.REQUESTS}, line {place}: a body of {size} bytes, but "
                    f"{archive.file(digest)} has {sizes[digest]}."
                )
    if sum(sizes.values()) > limits.MOST_BODIES:
        raise InputError(
            f"{archive.folder}: its bodies have {sum(sizes.values())} bytes; {limits.MOST_BODIES} (2 GiB) "
            "at most are allowed."
        )


def _size(file: Path, top: Path) -> int:
    try:
        with reading.opened(file) as stream:
            if not file.resolve().is_relative_to(top):
                raise InputError(f"{file}: a link that leaves the archive.")
            return stream.seek(0, 2)
    except reading.Unreadable as error:
        raise InputError(f"{file}: {error}.", hint="Record or import the site again.") from None
