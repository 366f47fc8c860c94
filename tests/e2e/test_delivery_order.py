"""The origin delivers by RFC 9218 §10, in the same order over HTTP/2 as over HTTP/3, on either QUIC stack."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.model.trial import PageLoad, Resource

from .benches import Bench, side_by_side
from .links import both_ways, link
from .pages import Named, write

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

SLOW = both_ways(link(20, rate_mbit=4, queue_bytes=256_000))
ATTEMPTS = 5
"""A client that a busy host stops finds several responses complete at once, in whatever order."""
SIZE = 60_000
"""Many times what the kernel or a QUIC stack hold below the scheduler, so that every response waits for its
turn."""


def head(name: str, kind: str, *, blocking: bool = True) -> Named:
    return Named(name, kind, SIZE, "head", blocking)


def body(name: str, kind: str, *, blocking: bool = True, size: int = SIZE) -> Named:
    return Named(name, kind, size, "body", blocking)


# What the page names in which order, and in which order it must be complete.
MIXES = {
    "urgency comes before the order of the requests": (
        [
            head("late", "script", blocking=False),
            head("early", "script"),
            head("looks", "style"),
            body("main", "script"),
        ],
        ["looks", "early", "main", "late"],
    ),
    "equally urgent ones go in the order of their requests": (
        [head(name, "style") for name in ("one", "two", "three")]
        + [body("four", "script"), body("five", "script")],
        ["one", "two", "three", "four", "five"],
    ),
    "what is useful only when whole goes before what is useful in parts": (
        [body("picture", "image"), body("code", "script"), body("more", "script")],
        ["code", "more", "picture"],
    ),
    "what shares a turn is complete in the order of its size": (
        [
            body("large", "image", size=90_000),
            body("middle", "image", size=60_000),
            body("small", "image", size=30_000),
        ],
        ["small", "middle", "large"],
    ),
    "all at once": (
        [
            head("widget", "script", blocking=False),
            head("core", "script"),
            head("look", "style"),
            body("hero", "image", size=90_000),
            body("icon", "image", size=30_000),
            body("tail", "script"),
        ],
        ["look", "core", "tail", "icon", "hero", "widget"],
    ),
}


OVER = (("h2", "quinn"), ("h3", "quinn"), ("h3", "s2n"))
"""Protocols, and what speaks QUIC."""


def load_over_all(named: list[Named], identity: Certificates, folder: Path) -> list[PageLoad]:
    folder.mkdir()
    write(folder / "site", named)

    def trial(protocol: str, stack: str) -> Callable[[Bench], Awaitable[PageLoad]]:
        async def load(bench: Bench) -> PageLoad:
            await bench.open(SLOW)
            port = await bench.serve(folder / "site", identity, quic_stack=stack)
            page = await bench.visit(identity, protocol, port, quic_stack=stack)
            await bench.close()
            return page

        return load

    pages = asyncio.run(side_by_side(2, folder, [trial(*each) for each in OVER], virtual=True))
    for page, (protocol, _) in zip(pages, OVER, strict=True):
        assert page.outcome == "ok", page.detail
        assert {resource.protocol for resource in page.resources} == {protocol}
    return pages


def completion(page: PageLoad, named: list[Named]) -> list[str]:
    ended = {resource.path: resource.last_byte_s or 0.0 for resource in page.resources}
    return sorted((one.name for one in named), key={one.name: ended[one.path] for one in named}.__getitem__)


@pytest.mark.parametrize("mix", MIXES)
def test_every_stack_delivers_in_the_order_of_rfc_9218(
    mix: str, identity: Certificates, tmp_path: Path
) -> None:
    named, demanded = MIXES[mix]
    seen = []
    for attempt in range(ATTEMPTS):
        loads = load_over_all(named, identity, tmp_path / str(attempt))
        seen.append([completion(page, named) for page in loads])
        if seen[-1] == [demanded] * len(OVER):
            return
    pytest.fail(f"{demanded} was demanded of {OVER}, seen {seen}")


def test_only_what_is_useful_in_parts_takes_turns(identity: Certificates, tmp_path: Path) -> None:
    scripts = [body(f"script-{number}", "script") for number in range(3)]
    images = [body(f"image-{number}", "image") for number in range(3)]

    def as_demanded(page: PageLoad) -> bool:
        found = {resource.path: resource for resource in page.resources}
        in_turn, one_by_one = [found[one.path] for one in images], [found[one.path] for one in scripts]
        begun, ended = times(in_turn, "first_byte_s"), times(in_turn, "last_byte_s")
        # One by one, the last of three ends two transfers after the first; in turn, two frames after it.
        return max(begun) < min(ended) and spread(ended) < spread(times(one_by_one, "last_byte_s")) / 2

    for attempt in range(ATTEMPTS):
        loads = load_over_all(scripts + images, identity, tmp_path / str(attempt))
        if all(map(as_demanded, loads)):
            return
    pytest.fail(f"at last {[page.resources for page in loads]}")


def times(resources: list[Resource], what: str) -> list[float]:
    return [float(getattr(resource, what)) for resource in resources]


def spread(of: list[float]) -> float:
    return max(of) - min(of)
