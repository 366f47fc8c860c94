"""The bodies of an archive: on disk from the beginning, and as sent in the end."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pronghorn.archiving import choose, seeded
from pronghorn.archiving.draft import Body, Draft
from pronghorn.archiving.masking import Mask
from pronghorn.archiving.spool import Spool
from pronghorn.archiving.texts import MOST_BYTES, Text, is_text
from pronghorn.errors import InputError
from pronghorn.sites import codings
from pronghorn.sites.archive import Made, Writer, limits

MOST_MADE = 512 * 2**20
"""Bytes of all bodies that are made up (512 MiB): a source that lacks more names sizes no page has."""

BROKEN = "body whose coding can't be undone, replaced by seeded bytes"
POSTED = "posted body whose coding can't be undone, replaced by seeded bytes"
LONG = "text too long to be searched for secrets, replaced by seeded bytes"


_LEAVE_OUT = "Leave this entry out of the file."


class Coded(NamedTuple):
    """A body as it is sent, and the codings that it has. `made`: the source lacked it; `guessed`: even its
    size; `recoded`: it came without its coding."""

    content: bytes = b""
    coding: tuple[str, ...] = ()
    made: bool = False
    guessed: bool = False
    recoded: bool = False


class Written(NamedTuple):
    """A body in the archive: its SHA-256, and its bytes as sent."""

    digest: str | None = None
    size: int = 0


_BATCH = 8 * 2**20
"""Characters that are searched at once."""


@dataclass
class _Kept:
    """A body on disk, by its name in the spool; `coded`: as sent; `text`: it may hold secrets."""

    name: str
    coded: bool
    text: bool


class Bodies:
    """`repaired` counts by kind what had to be put right. `take` for each draft, `mask` once, then
    `write`."""

    def __init__(self, writer: Writer, mask: Mask, repaired: Counter[str]) -> None:
        self._writer = writer
        self._mask = mask
        self._repaired = repaired
        self._spool = Spool(writer.scratch)
        self._kept: dict[int, _Kept] = {}
        self._posted: dict[int, list[str]] = {}
        self._counts = Counter[str]()
        self._unsearched: list[str] = []

    def take(self, draft: Draft) -> None:
        """Keeps a draft's body on disk, and looks for secrets in it. A body that can't be searched is let go:
        seeded bytes stand in for it. InputError where it is too large."""
        body = draft.body
        if not body.content:
            self._refuse_large(draft)
            return
        if len(body.content) > limits.MOST_BODY:
            raise InputError(
                f"the body of {draft.url[:200]} has {len(body.content)} bytes; {limits.MOST_BODY} (256 MiB) "
                "at most are allowed.",
                hint=_LEAVE_OUT,
            )
        coding = [] if body.decoded else codings.named(draft.header("content-encoding"))
        plain = body.content
        if coding:
            try:
                plain = codings.undone(body.content, coding)
            except codings.Undecodable:
                self._let_go(draft, BROKEN, None)
                return
        searched = is_text(draft.media_type) and not self._mask.keep_secrets
        if searched and len(plain) > MOST_BYTES:
            self._let_go(draft, LONG, len(plain))
            return
        if searched:
            self._unsearched.append(Text.of(plain).text)
            self._search(_BATCH)
        self._kept[id(draft)] = _Kept(self._spool.keep(body.content), bool(coding), searched)
        draft.body = Body(None, not coding, len(body.content) if coding else body.coded_bytes, len(plain))

    def take_posted(self, draft: Draft) -> None:
        """Undoes the coding of what a request posted, so that its secrets are found. Seeded bytes stand in
        where it can't be undone."""
        coding = codings.named(draft.request_header("content-encoding"))
        if not draft.request_body or not coding or self._mask.keep_secrets:
            return
        try:
            draft.request_body = codings.undone(draft.request_body, coding, MOST_BYTES)
        except codings.Undecodable:
            self._repaired[POSTED] += 1
            size = len(draft.request_body)
            draft.request_body = seeded.made(draft.url, "other", [], coded=size, decoded=None)
            return
        self._posted[id(draft)] = coding

    def text(self, draft: Draft) -> str:
        """A draft's body as text; empty where there is none."""
        kept = self._kept.get(id(draft))
        return Text.of(self._plain(draft, kept)).text if kept else ""

    def refuse_many(self, drafts: Sequence[Draft]) -> None:
        """InputError where the bodies that drafts lack would take more than `MOST_MADE` bytes."""
        lacking = [one.body for one in drafts if id(one) not in self._kept and not choose.has_no_body(one)]
        if sum(body.largest for body in lacking) > MOST_MADE:
            raise InputError(
                f"the bodies that the source lacks have more than {MOST_MADE} bytes (512 MiB).",
                hint="Export the file again with its contents.",
            )

    def searched(self) -> None:
        """All bodies have been taken: looks for secrets in those that are left."""
        self._search(0)

    def mask(self, drafts: Sequence[Draft]) -> None:
        """Puts stand-ins for the secrets into the bodies of drafts."""
        batch: list[tuple[_Kept, Text]] = []
        size = 0
        for draft in drafts:
            kept = self._kept.get(id(draft))
            if kept is None or not kept.text:
                continue
            text = Text.of(self._plain(draft, kept))
            batch.append((kept, text))
            size += len(text.text)
            if size >= _BATCH:
                self._replace(batch)
                batch, size = [], 0
        self._replace(batch)

    def coded(self, draft: Draft, asks: Sequence[seeded.Asked]) -> Coded:
        """A draft's body as it is sent; `asks` are the URLs that a document asked for, and their kinds. Any
        thread may ask, once all have been taken and masked."""
        coding = codings.named(draft.header("content-encoding"))
        kept = self._kept.get(id(draft))
        if kept is not None and kept.coded:
            return Coded(self._spool.read(kept.name), tuple(coding))
        if not codings.known(coding):
            coding = []
        if kept is None:
            return _made_up(draft, coding, asks)
        content = codings.applied(self._spool.read(kept.name), coding)
        return Coded(content, tuple(coding), recoded=bool(coding))

    def write(self, body: Coded) -> Written:
        """Writes a body as it is sent."""
        self._counts["recoded"] += body.recoded
        self._counts["bodies"] += body.made
        self._counts["bytes"] += len(body.content) if body.made else 0
        self._counts["sizes"] += body.guessed
        return Written(self._writer.body(body.content), len(body.content))

    def posted(self, draft: Draft) -> Written:
        """Writes what a request posted, with its coding."""
        content = codings.applied(draft.request_body or b"", self._posted.get(id(draft), []))
        return Written(self._writer.body(content), len(content))

    def made(self) -> Made:
        """What was made up so far."""
        counts = self._counts
        return Made(
            bodies=counts["bodies"], bytes=counts["bytes"], sizes=counts["sizes"], recoded=counts["recoded"]
        )

    def _plain(self, draft: Draft, kept: _Kept) -> bytes:
        content = self._spool.read(kept.name)
        return (
            codings.undone(content, codings.named(draft.header("content-encoding")))
            if kept.coded
            else content
        )

    def _search(self, least: int) -> None:
        if sum(map(len, self._unsearched)) >= least:
            self._mask.find_in_texts(self._unsearched)
            self._unsearched.clear()

    def _replace(self, batch: Sequence[tuple[_Kept, Text]]) -> None:
        replaced = self._mask.replaced([text.text for _, text in batch])
        for (kept, text), other in zip(batch, replaced, strict=True):
            if other != text.text:
                kept.name, kept.coded = self._spool.keep(text.bytes_of(other)), False

    def _let_go(self, draft: Draft, why: str, decoded: int | None) -> None:
        self._repaired[why] += 1
        content = draft.body.content or b""
        draft.body = Body(None, False, len(content), decoded)

    def _refuse_large(self, draft: Draft) -> None:
        for size in (draft.body.coded_bytes, draft.body.decoded_bytes):
            if size is not None and size > limits.MOST_BODY:
                raise InputError(
                    f"{draft.url[:200]} lacks its body, which is said to have {size} bytes; "
                    f"{limits.MOST_BODY} (256 MiB) at most are allowed.",
                    hint=_LEAVE_OUT,
                )


def _made_up(draft: Draft, coding: list[str], asks: Sequence[seeded.Asked]) -> Coded:
    """Seeded bytes for a body that the source lacks."""
    body = draft.body
    if choose.has_no_body(draft) or not (body.coded_bytes or body.decoded_bytes):
        return Coded(coding=tuple(coding))
    plain = seeded.made(
        draft.url,
        draft.kind or "other",
        coding,
        coded=body.coded_bytes,
        decoded=body.decoded_bytes,
        asks=asks,
    )
    content = codings.applied(plain, coding)
    return Coded(content, tuple(coding), made=True, guessed=body.coded_bytes is None)
