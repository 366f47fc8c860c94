"""The connections of a load, as the responses that came over them tell."""

from collections.abc import Mapping
from typing import Any

from pronghorn.browser.events import Exchange

_PROTOCOLS = {"http/1.0": "h1", "http/1.1": "h1", "h2": "h2", "h3": "h3"}
_TLS = {"TLS 1.2": "1.2", "TLS 1.3": "1.3", "QUIC": "1.3"}


class Connections:
    """Numbers connections in the order of their first response, and records each once. `started` is the
    navigation's start by the browser's clock, `resumed` what is known otherwise of sockets, by their
    number."""

    def __init__(self, started: float, resumed: Mapping[int, bool]) -> None:
        self.records: list[dict[str, Any]] = []
        self._started = started
        self._resumed = resumed
        self._numbers: dict[tuple[Any, str], int] = {}

    def of(self, exchange: Exchange) -> int | None:
        """The number of the connection that carried an exchange; None where none did, or nobody tells."""
        response = exchange.response
        if response is None or exchange.from_cache or "protocol" not in response:
            return None
        if not response.get("connectionId") and not response.get("timing"):
            return None
        key = (response.get("connectionId"), response["protocol"])
        if key not in self._numbers:
            self._numbers[key] = len(self.records)
            self.records.append(self._new(response))
        number = self._numbers[key]
        self._complete(self.records[number], response)
        return number

    def _new(self, response: dict[str, Any]) -> dict[str, Any]:
        record: dict[str, Any] = {"protocol": _PROTOCOLS.get(response["protocol"])}
        if (known := self._resumed.get(int(response.get("connectionId") or 0))) is not None:
            record["resumed"] = known
        return record

    def _complete(self, record: dict[str, Any], response: dict[str, Any]) -> None:
        """Adds what the response of the request that made the connection knows.

        A request that was answered and had left before the handshake was over has travelled as 0-RTT data:
        one that is refused is sent anew, after it."""
        timing = response.get("timing") or {}
        if timing.get("connectStart", -1) >= 0 and "start_s" not in record:
            base = timing["requestTime"] - self._started
            over_quic = record["protocol"] == "h3"
            record["start_s"] = base + timing["connectStart"] / 1e3
            if timing.get("dnsStart", -1) >= 0:
                record["resolving_s"] = base + timing["dnsStart"] / 1e3
            record["secured_s"] = base + timing["connectEnd"] / 1e3
            record["connected_s"] = record["secured_s"] if over_quic else base + timing["sslStart"] / 1e3
            if over_quic and 0 <= timing["sendStart"] < timing["connectEnd"]:
                record.update(resumed=True, early_data="accepted")
        security = response.get("securityDetails") or {}
        if security and "tls_version" not in record:
            record["tls_version"] = _TLS.get(security["protocol"])
            record["cipher"] = security["cipher"]
            record["key_exchange"] = security.get("keyExchangeGroup") or None
            record["alpn"] = {"h1": "http/1.1"}.get(record["protocol"], record["protocol"])
