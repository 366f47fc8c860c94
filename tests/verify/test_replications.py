"""A claim that follows from counting round trips is reproduced, in whatever setting."""

import json
from pathlib import Path

import pytest

from ..e2e import programme

pytestmark = pytest.mark.needs("namespaces", "engine")

EARLIER = "The first byte comes earlier with h3 and 0-RTT than with h2."


def test_a_request_in_the_first_flight_is_answered_earlier(tmp_path: Path) -> None:
    """Cloudflare's first byte at its quick size: three round trips against one on each path. A busy host may
    leave the mean of six blocks undecided, most likely on the shortest path, but not turn it."""
    done = programme.run(
        "replicate", "cloudflare/first-byte", "--quick", "--seed", "1", "--json", folder=tmp_path
    )
    assert done.status == 0, done.stderr
    [study] = json.loads(done.stdout)
    [claim] = [one for one in study["claims"] if one["claim"] == EARLIER]
    parts = {reading["setting"]: reading["parts"][0] for reading in claim["readings"]}
    assert len(parts) == 3
    states = [part["state"] for part in parts.values()]
    assert "not reproduced" not in states and states.count("reproduced") >= 2, parts
    assert all(part["ours"]["value"] < 1 for part in parts.values() if part["ours"]["blocks"])
    [effect] = [one for one in study["effects"] if one["theirs"] is not None and one["settings"]]
    assert {one["setting"] for one in effect["settings"]} == set(parts)
