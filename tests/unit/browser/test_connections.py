"""What the response that a connection was made for knows of it, the connection's record has."""

from typing import Any

from pronghorn.browser.connections import Connections
from pronghorn.browser.events import Exchange

MADE_IT = {"dnsStart": 1.0, "dnsEnd": 30.0, "connectStart": 30.0, "sslStart": 60.0, "connectEnd": 90.0}
REUSED_IT = dict.fromkeys(MADE_IT, -1)


def exchange(protocol: str, timing: dict[str, Any]) -> Exchange:
    found = Exchange({"request": {"url": "https://origin.test/"}, "timestamp": 10.0})
    found.response = {
        "protocol": protocol,
        "connectionId": 7,
        "timing": {"requestTime": 10.0, "sendStart": 91.0} | timing,
    }
    return found


def record(*exchanges: Exchange) -> dict[str, Any]:
    connections = Connections(10.0, {})
    assert [connections.of(one) for one in exchanges] == [0] * len(exchanges)
    (found,) = connections.records
    return {name: round(value, 6) for name, value in found.items() if name.endswith("_s")}


def test_the_look_up_the_handshakes_and_their_ends_are_told_apart() -> None:
    assert record(exchange("h2", REUSED_IT), exchange("h2", MADE_IT)) == {
        "resolving_s": 0.001,
        "start_s": 0.03,
        "connected_s": 0.06,
        "secured_s": 0.09,
    }


def test_quic_has_one_handshake() -> None:
    found = record(exchange("h3", MADE_IT))
    assert found["connected_s"] == found["secured_s"] == 0.09


def test_a_browser_that_knows_the_address_looks_nothing_up() -> None:
    assert "resolving_s" not in record(exchange("h2", MADE_IT | {"dnsStart": -1, "dnsEnd": -1}))
