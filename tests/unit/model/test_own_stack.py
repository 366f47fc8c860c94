"""Stacks of one's own: what a table declares is honoured and nothing else; what a command leaves is read or
refused."""

import json
from typing import Any

import pytest

from pronghorn.clients import result
from pronghorn.model import arm as arms
from pronghorn.model.own_stack import OwnStack, environment
from pronghorn.origins.command import Command
from pronghorn.origins.live import Live

ONE = OwnStack(
    command="x",
    directory="/",
    protocols=("h2", "h3"),
    options=("0rtt", "https"),
    congestion_controls=("bbr",),
)


@pytest.mark.parametrize("arm", ["h2", "h3", "h3+0rtt", "h3~https", "h3@bbr", "h2@bbr"])
def test_what_is_declared_is_honoured(arm: str) -> None:
    assert Command("mine", ONE).refusal(arms.parse(arm)) is None


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ("h1", "its table declares protocols = ['h2', 'h3']"),
        ("h2+tls12", "its table does not declare 'tls12' among its options"),
        ("h3+resumed", "its table does not declare 'resumed' among its options"),
        ("h3~altsvc", "its table does not declare 'altsvc' among its options"),
        ("h3@cubic", "its table does not declare 'cubic' among its congestion_controls"),
    ],
)
def test_what_is_not_declared_is_refused(arm: str, said: str) -> None:
    assert Command("mine", ONE).refusal(arms.parse(arm)) == said


def test_a_discovery_needs_both_protocols() -> None:
    alone = ONE.model_copy(update={"protocols": ("h3",)})
    assert alone.refusal(arms.parse("h3~https")) == "its table declares protocols = ['h3']"


def test_a_live_servers_congestion_control_is_its_own() -> None:
    live = Live("https://a.test/", None)
    assert live.refusal(arms.parse("h3")) is None
    assert live.refusal(arms.parse("h3@bbr")) == "a live server chooses its congestion control itself"


def test_a_command_is_told_of_its_arm() -> None:
    assert environment(arms.parse("h3@bbr~altsvc+resumed#x")) == {
        "PRONGHORN_ARM": "h3@bbr~altsvc+resumed#x",
        "PRONGHORN_CONGESTION_CONTROL": "bbr",
        "PRONGHORN_DISCOVERY": "altsvc",
        "PRONGHORN_OPTIONS": "resumed",
        "PRONGHORN_PROTOCOL": "h3",
    }


def test_a_short_result_becomes_a_page() -> None:
    page = result.parse(
        said(
            ok=True,
            load_s=0.5,
            protocol="h2",
            requests=[
                {"path": "/", "status": 200, "bytes": 7},
                {"path": "/x", "protocol": "h3", "status": 404},
            ],
        )
    )
    assert (page.outcome, page.load_s, page.requests, page.bytes, page.failures) == ("ok", 0.5, 2, 7, 1)
    assert [resource.protocol for resource in page.resources] == ["h2", "h3"]


def test_a_failed_short_result_keeps_its_reason_and_no_load_time() -> None:
    page = result.parse(said(ok=False, load_s=0.5, reason="connect", detail="refused"))
    assert (page.outcome, page.reason, page.detail, page.load_s) == ("failed", "connect", "refused", None)


def test_a_whole_page_is_taken_as_it_is() -> None:
    page = result.parse(
        said(
            outcome="ok",
            load_s=1,
            resources=[{"path": "/", "protocol": "h1", "status": 200}],
            vitals={"x": 1},
        )
    )
    assert page.load_s == 1
    assert page.vitals is not None
    assert page.vitals.model_extra == {"x": 1}


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"{", "it is no JSON"),
        (b"[]", "it is no table, but a list"),
        (b'{"load_s": 1}', "Field required"),
        (b'{"ok": true, "laod_s": 1}', "Extra inputs"),
        (b'{"ok": true, "load_s": -1}', "greater than or equal to 0"),
        (b'{"ok": true, "load_s": NaN}', "it is no JSON"),
        (b'{"ok": true, "protocol": "h1"}', "without 'load_s'"),
        (b'{"ok": true, "load_s": 1}', "without any request"),
        (
            b'{"ok": true, "load_s": 1, "requests": [{"path": "/", "status": 200}]}',
            "it does not name the 'protocol' of /",
        ),
        (b'{"outcome": "good"}', "'ok' or 'failed'"),
    ],
)
def test_a_result_that_proves_nothing_is_refused(content: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        result.parse(content)


def said(**table: Any) -> bytes:
    return json.dumps(table).encode()
