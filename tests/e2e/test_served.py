"""What origins tell of each request beside its protocol: how long they had it, and what became of tickets."""

import asyncio
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from . import pages, stages
from .foreign_origins import FOREIGN
from .pages import Named
from .stages import Scene

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

NAMED = [Named("large", "image", 600_000)]
ROUND_TRIP_S = 0.04
SLOW: stages.Definition = {
    direction: {"rate": "8Mbit", "delay": "20ms", "queue": "60kB"} for direction in ("down", "up")
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "site"
    pages.write(folder, NAMED)
    return folder


@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
@pytest.mark.parametrize("origin", ["builtin", *FOREIGN])
def test_each_origin_tells_how_long_it_had_each_request(
    origin: str, protocol: str, site: Path, identity: Certificates, tmp_path: Path
) -> None:
    """No kernel takes 600 kB before an acknowledgement has come; QUIC's stacks may take them at once."""
    scene = Scene(protocol, site, identity, path=SLOW, client="native", origin=origin)
    (found,), _ = asyncio.run(stages.load(scene, tmp_path))
    assert found.page.outcome == "ok", found.page.detail
    served_s = {one.path: one.served_s for one in found.log.requests}
    assert len(served_s) == 2
    assert all(time is not None and time >= 0 for time in served_s.values()), served_s
    large = next(one for one in found.page.resources if one.bytes == NAMED[0].size)
    longest = served_s[large.path]
    assert longest is not None
    assert longest >= (0 if protocol == "h3" else ROUND_TRIP_S / 2)


@pytest.mark.parametrize(("arm", "transport"), [("h2+0rtt", "tcp"), ("h3+resumed", "quic")])
def test_what_became_of_the_tickets_is_told_of_the_measured_load_alone(
    arm: str, transport: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    scene = Scene(arm, tiny, identity, client="native")
    (found,), _ = asyncio.run(stages.load(scene, tmp_path))
    assert found.page.outcome == "ok", found.page.detail
    nothing = {"redeemed": 0, "replayed": 0, "unknown": 0}
    expected = {"tcp": nothing, "quic": nothing} | {transport: {**nothing, "redeemed": 1}}
    assert found.log.tickets == expected
