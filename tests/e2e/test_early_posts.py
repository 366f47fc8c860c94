"""A request that changes something is answered as early data only by that it has to come again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import Certificates
from pronghorn.engine import EngineError
from pronghorn.model.trial import OriginRequest, PageLoad

from .benches import bench
from .links import both_ways, link

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

RTT_S = 0.4
"""Long enough for a server that is stopped for 300 ms to see early data before the handshake's end."""

EXECUTE = "/.pronghorn/execute"


async def post(
    folder: Path, site: Path, identity: Certificates, protocol: str
) -> tuple[PageLoad, dict[str, Any]]:
    """A POST as early data, and the origin's log."""
    async with bench(folder) as one:
        await one.open(both_ways(link(1000 * RTT_S / 2)))
        port = await one.serve(site, identity, early_data=True)
        await one.visit(identity, protocol, port, session="gain")
        page = await one.visit(identity, protocol, port, session="0rtt", method="POST", document=EXECUTE)
        return page, await one.engine.request("origin_log")


@pytest.mark.parametrize(("protocol", "round_trips"), [("h1", 3), ("h2", 3), ("h3", 2)])
def test_a_post_in_early_data_is_executed_once_after_the_handshake(
    tmp_path: Path, tiny: Path, identity: Certificates, protocol: str, round_trips: int
) -> None:
    page, log = asyncio.run(post(tmp_path, tiny, identity, protocol))

    (document,) = page.resources
    assert (page.outcome, document.method, document.status) == ("ok", "POST", 204)
    assert [one.early_data for one in page.connections] == ["accepted"]
    assert page.round_trips == round_trips
    assert document.too_early_s is not None and document.first_byte_s is not None
    assert document.too_early_s >= (round_trips - 1) * RTT_S
    assert document.first_byte_s >= round_trips * RTT_S
    requests = [OriginRequest.model_validate(entry) for entry in log["requests"]]
    told = [(one.method, one.status, one.early) for one in requests if one.path == EXECUTE]
    assert told == [("POST", 425, True), ("POST", 204, False)]
    transport = "quic" if protocol == "h3" else "tcp"
    assert log["tickets"][transport] == {"redeemed": 1, "replayed": 0, "unknown": 0}


@pytest.mark.parametrize(("method", "said"), [("A B", "GET or POST"), ("CONNECT", "tunnel")])
def test_what_is_no_method_of_a_load_is_refused(
    tmp_path: Path, tiny: Path, identity: Certificates, method: str, said: str
) -> None:
    async def refused() -> EngineError:
        async with bench(tmp_path) as one:
            await one.open(both_ways(link(1)))
            port = await one.serve(tiny, identity)
            with pytest.raises(EngineError) as caught:
                await one.visit(identity, "h2", port, method=method)
            return caught.value

    error = asyncio.run(refused())
    assert error.kind == "input"
    assert said in error.message
