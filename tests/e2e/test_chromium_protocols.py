"""Chromium speaks the protocol of its arm, in every request, at both ends."""

import asyncio
from pathlib import Path

import pytest

from pronghorn import sites
from pronghorn.certificates import Certificates
from pronghorn.model import arm as arms
from pronghorn.trust import proof

from .stages import Scene, load

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

REQUESTS = 21
BYTES = 600_000


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site `small`: a document, ten scripts, ten images."""
    root = tmp_path_factory.mktemp("small")
    sites.build("small", 1, root)
    return root


@pytest.mark.parametrize("arm", ["h1", "h2", "h2+tls12", "h3"])
def test_every_request_of_a_cold_load_goes_over_the_arms_protocol(
    arm: str, small: Path, identity: Certificates, tmp_path: Path
) -> None:
    (found,), counters = asyncio.run(load(Scene(arm, small, identity), tmp_path))
    page, log = found.page, found.log.requests

    assert (page.outcome, page.detail) == ("ok", None)
    assert (page.requests, page.bytes, page.failures) == (REQUESTS, BYTES, 0)
    protocol = arm[:2]
    assert {resource.protocol for resource in page.resources} == {protocol}
    assert sorted(resource.path for resource in page.resources) == sorted(one.path for one in log)
    assert {one.protocol for one in log} == {protocol}
    assert proof.mismatch(arms.parse(arm), page, found.log) is None
    assert {one.tls_version for one in page.connections} == {"1.2" if "tls12" in arm else "1.3"}
    assert counters.down is not None and counters.down.bytes_out > BYTES


def test_the_times_of_a_load_follow_one_another(small: Path, identity: Certificates, tmp_path: Path) -> None:
    (found,), _ = asyncio.run(load(Scene("h2", small, identity), tmp_path))
    page = found.page

    assert page.load_s is not None
    for resource in page.resources:
        assert resource.start_s is not None and resource.request_s is not None
        assert resource.first_byte_s is not None and resource.last_byte_s is not None
        assert 0 <= resource.start_s <= resource.request_s < resource.first_byte_s <= resource.last_byte_s
        assert resource.last_byte_s <= page.load_s
    document, *others = page.resources
    assert (document.kind, document.initiator, document.urgency) == ("document", None, 0)
    assert {other.initiator for other in others} == {"/"}
    assert {other.kind for other in others} == {"script", "image"}


def test_a_kept_browser_loads_again_over_the_connections_that_it_has(
    small: Path, identity: Certificates, tmp_path: Path
) -> None:
    found, _ = asyncio.run(load(Scene("h2", small, identity), tmp_path, times=3))

    assert [(one.page.outcome, one.page.requests, len(one.log.requests)) for one in found] == [
        ("ok", REQUESTS, REQUESTS)
    ] * 3
