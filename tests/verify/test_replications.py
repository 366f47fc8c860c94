"""A claim that follows from counting round trips is reproduced, in whatever setting."""

import json
from pathlib import Path

import pytest

from ..e2e import programme

pytestmark = pytest.mark.needs("namespaces", "engine")

EARLIER = "The first byte comes earlier with h3 and 0-RTT than with h2."


def test_a_request_in_the_first_flight_is_answered_earlier(tmp_path: Path) -> None:
    """Cloudflare's first byte at its quick size: three round trips against one on each path, so that the mean
    of six blocks is far from equal; a busy host may keep blocks out, but not turn the verdict."""
    done = programme.run(
        "replicate", "cloudflare/first-byte", "--quick", "--seed", "1", "--json", folder=tmp_path
    )
    assert done.status == 0, done.stderr
    [study] = json.loads(done.stdout)
    [claim] = [one for one in study["claims"] if one["claim"] == EARLIER]
    parts = {reading["setting"]: reading["parts"][0] for reading in claim["readings"]}
    assert len(parts) == 4
    for setting, part in parts.items():
        assert part["state"] == "reproduced" or part["ours"]["blocks"] < 6, (setting, part)
        assert part["ours"]["value"] < 1
    [effect] = [one for one in study["effects"] if one["theirs"] is not None and one["settings"]]
    assert {one["setting"] for one in effect["settings"]} == set(parts)
