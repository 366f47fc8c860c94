"""`pronghorn why` names nginx's 64 kB a round trip of a live URL, without being asked for it."""

import json
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from .pages import Named
from .programme import run
from .trap_scenes import WIDE, Answer, Scene, play

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

_TURNS = 2
"""How often a busy machine's answer is asked for: what it then says is taken, as tests/verify asks longer."""

_PAGE = [Named("large", "image", 1_300_000)]
"""Twenty times nginx's buffer, and little for a path of 50 Mbit/s."""


@pytest.mark.needs("nginx")
def test_nginx_as_shipped_brings_64_kb_in_a_round_trip(identity: Certificates, tmp_path: Path) -> None:
    async def work(scene: Scene) -> Answer:
        scene.page(_PAGE)
        await scene.nginx()
        return await scene.why(scene.url, "--visits=2")

    answer = play(
        work, tmp_path, WIDE, identity, expects=lambda one: one.traps == ["stream-buffer"], turns=_TURNS
    )
    if answer.is_lost:  # tests/verify asserts the trap
        assert answer.told["spoilt_visits"] > 0, answer.told
        return
    assert answer.traps == ["stream-buffer"], answer.told
    assert answer.status == 1
    (found,) = answer.told["findings"]
    assert found["changes"][0]["where"] == "nginx"
    assert "stream-buffer, nginx: http3_stream_buffer_size 1m" in answer.told["advice"]


@pytest.mark.needs("tshark")
def test_a_capture_of_both_protocols_is_read(identity: Certificates, tmp_path: Path) -> None:
    async def work(scene: Scene) -> Answer:
        scene.page(_PAGE)
        await scene.builtin()
        for protocol in ("h2", "h3"):
            page = await scene.bench.visit(identity, protocol, 443)
            assert page.outcome == "ok", page.detail
        return Answer(0, {}, "")

    play(work, tmp_path, WIDE, identity, capture=tmp_path / "client.pcapng")
    result = run("why", "--pcap", "client.pcapng", "--json", folder=tmp_path)
    told = json.loads(result.stdout)
    assert (told["visits"]["h2"]["used"], told["visits"]["h3"]["used"]) == (1, 1)
    assert told["visits"]["h3"]["round_trip_s"] >= 0.06
    assert "stream-buffer" not in [one["trap"] for one in told["findings"]]
    assert "can't be decrypted" not in result.stdout


def test_the_built_in_origin_is_sound(identity: Certificates, tmp_path: Path) -> None:
    async def work(scene: Scene) -> Answer:
        scene.page([])
        await scene.builtin()
        return await scene.why(scene.url, "--visits=2")

    answer = play(work, tmp_path, WIDE, identity, expects=lambda one: one.status == 0, turns=_TURNS)
    assert answer.traps == [], answer.told
    if not answer.is_lost:
        assert answer.status == 0, answer.told
        assert {"not-offered", "offer-dead", "mtu", "stream-buffer"} <= set(answer.told["judged"])
