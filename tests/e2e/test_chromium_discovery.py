"""Chromium finds HTTP/3 as browsers do: by Alt-Svc, or by the DNS record HTTPS; which request went over what
is in the record, and in the origin's log."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.execute.stage import Measurement
from pronghorn.model import arm as arms
from pronghorn.origins import nginx_conf
from pronghorn.trust import proof

from .pages import Named, write
from .stages import FAR, Scene, load, stage

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

LAST = 10

TRIES = 3
"""Chromium races TCP against QUIC and bounds its wait for a DNS record: where a busy host delays one or the
other, a load may begin over h2. That h3 comes first in some of a few loads is what is asked."""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page whose scripts ask for one another, so that requests come one after the other."""
    root = tmp_path_factory.mktemp("steps") / "site"
    write(root, [Named("step-0", "script", 100)])
    for step in range(LAST):
        following = f"s=document.createElement('script');s.src='/step-{step + 1}.js';document.head.append(s);"
        (root / f"step-{step}.js").write_text(f"var {following}")
    (root / f"step-{LAST}.js").write_text("/* the last */")
    return root


def over(found: Measurement) -> list[str | None]:
    """What each request went over, in the order of their start; both ends agree."""
    assert (found.page.outcome, found.page.detail) == ("ok", None)
    page = found.page.resources
    assert Counter((one.path, one.protocol) for one in page) == Counter(
        (one.path, one.protocol) for one in found.log.requests
    )
    return [one.protocol for one in page]


def test_a_first_view_begins_over_h2_and_goes_on_over_h3_once_alt_svc_is_known(
    steps: Path, identity: Certificates, tmp_path: Path
) -> None:
    (found,), _ = asyncio.run(load(Scene("h3~altsvc", steps, identity, path=FAR), tmp_path))

    seen = over(found)
    assert seen[0] == "h2"
    assert seen[-1] == "h3"
    assert seen == sorted(seen, key=str), "it went back to h2"
    assert {one.protocol for one in found.page.connections} == {"h2", "h3"}
    assert proof.mismatch(arms.parse("h3~altsvc"), found.page, found.log) is None


def test_a_repeat_view_over_new_connections_begins_over_h3(
    steps: Path, identity: Certificates, tmp_path: Path
) -> None:
    def loads() -> Iterator[set[str | None]]:
        for number in range(TRIES):
            scene = Scene("h3~altsvc+resumed", steps, identity, path=FAR)
            (found,), _ = asyncio.run(load(scene, tmp_path / f"try-{number}"))
            assert found.page.connections[0].start_s is not None, "the visit's connection was kept"
            yield set(over(found))

    assert any(protocols == {"h3"} for protocols in loads())


def test_a_dns_record_gives_h3_on_the_first_request(
    steps: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def looked_up(folder: Path) -> tuple[Measurement, list[dict[str, object]]]:
        async with stage(Scene("h3~https", steps, identity, path=FAR), folder) as opened:
            found = await opened.load(1)
            return found, (await opened._engine.request("dns_log"))["queries"]

    def loads() -> Iterator[set[str | None]]:
        for number in range(TRIES):
            found, queries = asyncio.run(looked_up(tmp_path / f"try-{number}"))
            assert {query["type"] for query in queries} == {"A", "HTTPS"}
            yield set(over(found))

    assert any(protocols == {"h3"} for protocols in loads())


def test_an_arm_beside_it_looks_the_name_up_as_well_and_stays_with_h2(
    steps: Path, identity: Certificates, tmp_path: Path
) -> None:
    scene = Scene("h2", steps, identity, arms_beside=("h3~https",))
    (found,), _ = asyncio.run(load(scene, tmp_path))

    assert set(over(found)) == {"h2"}
    assert found.page.round_trips == 4


ALTERNATIVE = """h3=":443"; ma=86400"""


@pytest.mark.needs("nginx")
@pytest.mark.parametrize(("last", "next_view"), [(ALTERNATIVE, "h3"), ("clear", "h2")])
def test_alt_svc_clear_sends_the_next_request_back_to_h2(
    last: str, next_view: str, steps: Path, identity: Certificates, tmp_path: Path
) -> None:
    headers = f"""
    map $request_uri $alternative {{ default '{ALTERNATIVE}'; /step-{LAST}.js '{last}'; }}
    add_header Alt-Svc $alternative always;
    add_header Cache-Control no-store always;
    """
    text = nginx_conf.shipped(early_data=False).replace("${PRONGHORN_HEADERS}", headers)
    settings = {"texts": {"mine": text}}
    scene = Scene("h3~altsvc", steps, identity, path=FAR, origin="nginx:mine", settings=settings)
    (first, second), _ = asyncio.run(load(scene, tmp_path, times=2))

    assert over(first)[0] == "h2"
    assert over(first)[-1] == "h3"
    assert over(second)[0] == next_view
