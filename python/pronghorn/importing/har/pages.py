"""Which of a HAR file's pages, and what holds for all of its entries."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn import __version__
from pronghorn.archiving import Source
from pronghorn.errors import InputError
from pronghorn.importing.har.timing import moment, written
from pronghorn.importing.har.values import items, number, pairs, table, text
from pronghorn.sites.archive import Device

_HTTP = ("http://", "https://")
_LISTED = 5
_MOST_LOAD_MS = 3_600_000.0


class Chosen(NamedTuple):
    """The entries of one page, and what holds for them."""

    entries: Sequence[dict[str, Any]]
    source: Source


def choose(log: dict[str, Any], page: str | None, file: Path) -> Chosen:
    """The entries of the page `page`: a URL, an id or a number from 1; None: the first that has entries. A
    file without pages, as proxies write it, is one page. InputError where there is no such page."""
    entries = [one for one in items(log.get("entries")) if isinstance(one, dict)]
    ids = [text(one.get("id")) for one in items(log.get("pages")) if isinstance(one, dict)]
    refs = {text(one.get("pageref")) for one in entries}
    ids = [one for one in dict.fromkeys(ids) if one in refs] or []
    wanted = _wanted(entries, ids, page, file)
    mine = entries if len(ids) < 2 else [one for one in entries if text(one.get("pageref")) == wanted]
    url = page if page and page.startswith(_HTTP) else None
    source = Source(_recorded(mine), _by(log), url, device=_device(mine))
    source.load_s = _load_s(log, wanted)
    source.left_out["of another page"] = len(entries) - len(mine)
    source.left_out["entry that can't be read"] = len(items(log.get("entries"))) - len(entries)
    return Chosen(mine, source)


def _wanted(entries: list[dict[str, Any]], ids: list[str], page: str | None, file: Path) -> str | None:
    if page is None:
        return ids[0] if ids else None
    if page.startswith(_HTTP):
        refs = [text(one.get("pageref")) for one in entries if text(table(one, "request").get("url")) == page]
        return refs[0] if refs else ids[0] if ids else None
    if page in ids:
        return page
    if page.isascii() and page.isdigit() and len(page) < 6 and 1 <= int(page) <= len(ids):
        return ids[int(page) - 1]
    listed = ", ".join(ids[:_LISTED]) + (" …" if len(ids) > _LISTED else "")
    raise InputError(
        f"{file}: no page {page!a}. It has {len(ids)}: {listed or 'none with a name'}.",
        hint="Name a page by its URL, its id or its number from 1: --page 1",
    )


def _load_s(log: dict[str, Any], page: str | None) -> float | None:
    for one in items(log.get("pages")):
        if text(table(one).get("id")) == page:
            told = number(table(one, "pageTimings").get("onLoad"))
            return told / 1e3 if told is not None and 0 < told < _MOST_LOAD_MS else None
    return None


def _recorded(entries: list[dict[str, Any]]) -> str:
    moments = (moment(one.get("startedDateTime")) for one in entries)
    return written(next((at for at in moments if at is not None), 0.0))


def _by(log: dict[str, Any]) -> str:
    names = [f"pronghorn {__version__} (import)"]
    for key in ("creator", "browser"):
        told = table(log, key)
        name = f"{text(told.get('name'), 100)} {text(told.get('version'), 100)}".strip()
        if name:
            names.append(name)
    return ", ".join(names)


def _device(entries: list[dict[str, Any]]) -> Device:
    for one in entries:
        headers = {name.lower(): value for name, value in pairs(table(one, "request").get("headers"))}
        if agent := headers.get("user-agent"):
            mobile = {"?1": True, "?0": False}.get(headers.get("sec-ch-ua-mobile", ""))
            return Device(user_agent=agent[:1000], mobile=mobile)
    return Device()
