"""From drafts to a folder: secrets replaced, bodies as sent, initiators and hosts named."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, cast

from pronghorn.archiving import addresses, choose, hosts, reach
from pronghorn.archiving.ahead import ahead
from pronghorn.archiving.bodies import Bodies
from pronghorn.archiving.draft import Body, Draft, Source
from pronghorn.archiving.headers import kept, with_value
from pronghorn.archiving.initiators import Origins
from pronghorn.archiving.masking import Mask
from pronghorn.errors import InputError
from pronghorn.sites import codings
from pronghorn.sites.archive import Exchange, Kind, Site, Writer, limits

_LONGEST_S = 86_400.0


class Told(NamedTuple):
    """What was written: the site, its requests and the bytes of their bodies as sent."""

    folder: Path
    site: Site
    requests: int
    total_bytes: int


class Making:
    """An archive in the making: `take` for each draft, then `finish`. Without `finish` nothing is left."""

    def __init__(self, target: Path, source: Source, *, keep_secrets: bool = False) -> None:
        """InputError where `target` is there already; HostError where nothing can be written."""
        self._source = source
        self._target = target
        self._writer = Writer(target)
        self._mask = Mask(keep_secrets=keep_secrets)
        self._bodies = Bodies(self._writer, self._mask, source.repaired)
        self._drafts: list[Draft] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.__exit__(kind, error, trace)

    def take(self, draft: Draft) -> None:
        """Takes a draft over, or counts why not. Its body is kept on disk. InputError where there are too
        many drafts."""
        why = choose.left_out(draft)
        url = addresses.clean(draft.url) if why is None else None
        repaired = Counter[str]() if url is None else self._source.repaired
        draft.headers = kept(draft.headers, repaired)
        draft.hints = kept(draft.hints, repaired)
        draft.request_headers = kept(draft.request_headers, repaired)
        if url is None:
            self._source.left_out[why or "a URL that leads to no server"] += 1
            # What it was sent with stands in the pages and scripts that are kept, too.
            if why != choose.SCHEME:
                self._mask.find_in_url(draft.url)
                self._mask.find(draft)
            return
        if len(self._drafts) >= limits.MOST_EXCHANGES:
            raise InputError(f"more than {limits.MOST_EXCHANGES} requests; a page's load has far fewer.")
        self._mask.find_in_url(draft.url)
        draft.url = url
        draft.initiator = addresses.clean(draft.initiator) if draft.initiator else None
        draft.frame = addresses.clean(draft.frame) if draft.frame else None
        draft.kind = draft.kind or cast(Kind, choose.kind_by_headers(draft))
        if choose.has_no_body(draft) and draft.status != 304:
            draft.body = Body()
        self._bodies.take_posted(draft)
        self._mask.find(draft)
        self._bodies.take(draft)
        self._drafts.append(draft)

    def finish(self) -> Told:
        """Writes the archive. InputError where the drafts have no page."""
        drafts = choose.without_cached(sorted(self._drafts, key=lambda one: one.start_s), self._source)
        if not drafts:
            raise InputError(
                f"nothing in it can be archived{_listed(self._source.left_out)}.",
                hint="Load the page again, and export that load with its contents.",
            )
        page = choose.page_of(drafts, self._source)
        if self._source.timed:
            self._source.left_out["before the page"] += page
            drafts = drafts[page:]
        else:
            named = reach.reached(drafts, page, lambda place: self._bodies.text(drafts[place]))
            self._source.left_out["not named by the page"] += len(drafts) - len(named)
            drafts = [drafts[place] for place in named]
        origins = Origins(drafts, lambda place: self._bodies.text(drafts[place]))
        _name_redirects(drafts, origins)
        documents = [one.url for one in drafts if one.kind == "document"] or [drafts[0].url]
        tables = hosts.tables(drafts, documents[0])
        if len(tables) > limits.MOST_HOSTS:
            raise InputError(f"more than {limits.MOST_HOSTS} hosts; a page's load has far fewer.")
        start_s = drafts[0].start_s
        self._keep_within_a_day(drafts, start_s)
        self._bodies.refuse_many(drafts)
        self._bodies.searched()
        self._mask.apply(drafts)
        self._bodies.mask(drafts)
        asks: dict[int, list[tuple[str, str]]] = {}
        for place, (initiator, _) in enumerate(origins.found):
            if initiator is not None:
                asks.setdefault(initiator, []).append((drafts[place].url, drafts[place].kind or "other"))
        exchanges = list(self._exchanges(drafts, origins, asks, start_s))
        site = Site(
            recorded=self._source.recorded,
            by=self._source.by[:1000],
            page=drafts[0].url,
            load_s=None if self._source.load_s is None else round(self._source.load_s, 6),
            device=self._source.device,
            hosts=tables,
            made=self._bodies.made(),
            left_out=choose.counted(self._source.left_out),
            redacted=choose.counted(self._mask.counts),
            repaired=choose.counted(self._source.repaired),
        )
        self._writer.finish(site, exchanges)
        return Told(self._target, site, len(exchanges), sum(one.body_bytes for one in exchanges))

    def _keep_within_a_day(self, drafts: list[Draft], start_s: float) -> None:
        for one in drafts:
            if one.start_s - start_s > _LONGEST_S:
                one.start_s = start_s + _LONGEST_S
                self._source.repaired["request that starts days after the page"] += 1

    def _exchanges(
        self,
        drafts: list[Draft],
        origins: Origins,
        asks: dict[int, list[tuple[str, str]]],
        start_s: float,
    ) -> Iterator[Exchange]:
        coded = ahead(
            lambda place: self._bodies.coded(drafts[place], asks.get(place, ())),
            range(len(drafts)),
            lambda place: drafts[place].body.largest,
        )
        for (place, draft), body in zip(enumerate(drafts), coded, strict=True):
            written = self._bodies.write(body)
            initiator, how = origins.found[place]
            document = origins.frame(place)
            headers = _headers(draft, written.size, body.coding)
            posted = self._bodies.posted(draft)
            yield Exchange(
                id=place + 1,
                url=draft.url,
                method=draft.method,
                status=draft.status,
                headers=tuple(headers),
                hints=tuple(draft.hints),
                body=written.digest,
                body_bytes=written.size,
                made=body.made,
                recoded=body.recoded,
                kind=draft.kind or "other",
                initiator=None if initiator is None else initiator + 1,
                how=how,
                document=None if document is None else document + 1,
                start_s=round(max(0.0, draft.start_s - start_s), 6),
                blocked_s=round(max(0.0, draft.blocked_s), 6),
                wait_s=round(max(0.0, draft.wait_s), 6),
                receive_s=round(max(0.0, draft.receive_s), 6),
                priority=draft.priority,
                protocol=draft.protocol,
                connection=draft.connection,
                request_headers=tuple(draft.request_headers),
                request_body=posted.digest,
                request_bytes=posted.size,
            )


def _name_redirects(drafts: list[Draft], origins: Origins) -> None:
    """A redirect is for what it leads to."""
    for place in range(len(drafts) - 1, 0, -1):
        before, how = origins.found[place]
        if how == "redirect" and before is not None:
            drafts[before].kind = drafts[place].kind


def _headers(draft: Draft, size: int, coding: tuple[str, ...]) -> list[tuple[str, str]]:
    """The response's headers, with the length and the coding that its body has now."""
    headers = draft.headers
    if tuple(codings.named(draft.header("content-encoding"))) != coding:
        headers = with_value(headers, "content-encoding", ", ".join(coding) or None)
    if choose.has_no_body(draft):
        return headers
    return with_value(headers, "content-length", str(size))


def _listed(counts: Counter[str]) -> str:
    words = ", ".join(f"{word}: {count}" for word, count in sorted(counts.items()) if count)
    return f" ({words})" if words else ""
