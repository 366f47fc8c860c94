"""Knobs over a real path: what an arm was asked for is what kernel and stack read back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pronghorn.model.trial import Trial

from . import programme
from .experiments import NEAR
from .programme import Loaded

pytestmark = [pytest.mark.needs("engine", "guest"), pytest.mark.beside]

MIB = 2**20

SHIPPED_UDP_BUFFER = 212992
"""Linux's net.core.rmem_default and wmem_default, in bytes."""


def run(folder: Path, arms: Sequence[str], text: str) -> Loaded:
    """Two blocks of the experiment `text` on the path `near`, more where a busy host left an arm without a
    load."""
    file = folder / "knobs.toml"
    file.write_text(
        f'sites = ["tiny"]\npaths = ["near"]\narms = {list(arms)}\nrepeat = 2\nseed = 1\n'
        f'clock = "virtual"\n{text}{NEAR}',
        encoding="utf-8",
    )
    return programme.load_every_arm(str(file), arms=arms, folder=folder)


def by_arm(found: Loaded) -> dict[str, list[Trial]]:
    """The loads of each arm, those on a busy host too; none of them failed."""
    loads: dict[str, list[Trial]] = {}
    for trial in found.loads:
        assert trial.status != "failed", trial.detail
        loads.setdefault(trial.arm, []).append(trial)
    return loads


def of_origin(trials: list[Trial]) -> dict[str, set[Any]]:
    """Every setting of the origin's connections, with all values that were read back."""
    return _read([one.model_dump()["settings"] for trial in trials for one in trial.origin_connections])


def of_client(trials: list[Trial]) -> dict[str, set[Any]]:
    """Those of the client's, their ciphers and groups among them."""
    connections = [one.model_dump() for trial in trials if trial.page for one in trial.page.connections]
    offered = ("cipher", "key_exchange")
    return _read([one["settings"] | {key: one[key] for key in offered} for one in connections])


def _read(settings: list[dict[str, Any]]) -> dict[str, set[Any]]:
    return {key: {one.get(key) for one in settings} for one in settings for key in one}


def hosts(trials: list[Trial]) -> list[dict[str, Any]]:
    """What TCP ran with in both hosts of each trial."""
    told = [
        trial.counters.host.model_dump()["tcp"] for trial in trials if trial.counters and trial.counters.host
    ]
    return [one[host] for one in told for host in ("client", "server")]


def test_arms_that_differ_in_one_knob_differ_in_what_is_read_back(tmp_path: Path) -> None:
    found = by_arm(
        run(
            tmp_path,
            ("h2", "h2#wide", "h3", "h3#wide"),
            '[knobs."h2#wide"]\ninitial_window = "30kB"\n'
            # How far the search for larger datagrams has come when a load ends is chance.
            '[knobs."h3"]\nmtu_discovery = false\n'
            '[knobs."h3#wide"]\ninitial_window = "30kB"\nmtu_discovery = false\n',
        )
    )
    windows = {arm: of_origin(trials)["initial_window"] for arm, trials in found.items()}
    assert windows == {"h2": {14480}, "h2#wide": {20 * 1448}, "h3": {12000}, "h3#wide": {30000}}
    for key in ("mss", "pacing", "stream_window"):
        assert of_origin(found["h2"])[key] == of_origin(found["h2#wide"])[key]
    for key in ("pacing", "udp_payload", "stream_window"):
        assert of_origin(found["h3"])[key] == of_origin(found["h3#wide"])[key]
    assert {one["initial_window_segments"] for one in hosts(found["h2#wide"])} == {20}


def test_fair_arms_are_equal_in_what_is_read_back(tmp_path: Path) -> None:
    finished = run(tmp_path, ("h2", "h3"), "fair = true\n")
    found = by_arm(finished)
    for trials in found.values():
        origin, client = of_origin(trials), of_client(trials)
        assert origin["initial_window"] == {14480}
        assert origin["pacing"] == {True}
        assert client["stream_window"] == {16 * MIB}
        assert client["connection_window"] == {24 * MIB}
        assert client["key_exchange"] == {"X25519"}
    assert of_client(found["h2"])["cipher"] == {"TLS_AES_128_GCM_SHA256"}
    for host in hosts(found["h2"]):
        assert (host["receive_buffer"][2], host["send_buffer"][2]) == (16 * MIB, 16 * MIB)
        assert host["slow_start_after_idle"] is False
    over_quic = of_origin(found["h3"])
    assert over_quic["udp_payload"] == {1472}
    assert over_quic["mtu_discovery"] == {False}
    for buffers in (of_client(found["h3"])["udp_receive_buffer"], over_quic["udp_send_buffer"]):
        assert min(buffers) > SHIPPED_UDP_BUFFER, "what the kernel allows this user"
    assert [
        arm["knobs"][0]["knobs"]["initial_window"] for arm in finished.run.manifest()["arms"].values()
    ] == [14480] * 2
