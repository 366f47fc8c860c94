"""What Chromium's first byte takes in round trips of 100 ms: TLS 1.2 no more than 1.3 (False Start), QUIC one
less, 0-RTT least."""

import asyncio
import statistics
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from .stages import FAR, Scene, load

pytestmark = pytest.mark.needs("namespaces", "chromium")

ROUND_TRIP_S = 0.1
TRIALS = 3


def first_byte(arm: str, root: Path, identity: Certificates, folder: Path) -> float:
    """The median of the time to the first byte, in round trips."""

    async def times() -> list[float]:
        found = []
        for trial in range(TRIALS):
            (one,), _ = await load(Scene(arm, root, identity, path=FAR), folder / str(trial))
            assert (one.page.outcome, one.page.detail) == ("ok", None)
            assert one.page.ttfb_s is not None
            assert one.page.load_s is not None
            assert one.page.load_s >= one.page.round_trips * ROUND_TRIP_S
            found.append(one.page.ttfb_s)
        return found

    return statistics.median(asyncio.run(times())) / ROUND_TRIP_S


def test_the_first_byte_takes_the_round_trips_of_its_handshakes(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    took = {
        arm: first_byte(arm, tiny, identity, tmp_path / arm)
        for arm in ("h2+tls12", "h2", "h2+0rtt", "h3", "h3+0rtt")
    }

    assert round(took["h2+tls12"]) == round(took["h2"]) == 3, took
    assert round(took["h3"]) == round(took["h2+0rtt"]) == 2, took
    assert round(took["h3+0rtt"]) == 1, took
