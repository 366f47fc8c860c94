"""Flights of a trial's connections, as the engine tells them."""

import json
from pathlib import Path
from typing import Any

from pronghorn.model.trial import Trial

from .pages import loaded, page, resource

BASE_S = 100.0


STARTED_S = 101.0


LOAD_S = 0.6


def samples(**columns: list[float | None]) -> dict[str, Any]:
    """Samples at 0.9, 1.1 and 1.3 s of the flight's clock: 0.1 s before the load began, and 0.1 and 0.3 s
    after."""
    return {
        "at_s": [0.9, 1.1, 1.3],
        "cwnd_bytes": [14_480, 28_960, 500_000],
        "in_flight_bytes": [0, 28_000, 400_000],
        "srtt_s": [None, 0.05, 0.07],
        "acked_bytes": [1_000, 20_000, 300_000],
        "lost_packets": [None, None, None],
        "retransmits": [2, 2, 7],
        "timeouts": [0, 0, 1],
    } | columns


def end(host: str = "server", transport: str = "tcp", port: int = 443, **columns: Any) -> dict[str, Any]:
    return {
        "host": host,
        "transport": transport,
        "stack": "linux 6.18" if transport == "tcp" else "quinn-proto 0.11.19",
        "congestion_control": "cubic",
        "local_address": "198.18.0.2",
        "local_port": port,
        "peer_address": "198.18.0.1",
        "peer_port": 50_000,
        "mss": 1448,
        "mss_changes": [{"at_s": 0.9, "bytes": 1448}],
        "black_holes": None,
        "interval_s": 0.01,
        "samples": samples(**columns),
    }


def flight(*connections: dict[str, Any]) -> dict[str, Any]:
    return {"clock_base_monotonic_s": BASE_S, "interval_s": 0.01, "connections": list(connections)}


def quic() -> dict[str, Any]:
    """Its packets grow 0.1 s after the load began, and shrink after it has ended."""
    sizes = [{"at_s": at, "bytes": size} for at, size in ((0.9, 1200), (1.1, 1452), (9.0, 1000))]
    changes = {"mss": 1000, "mss_changes": sizes, "black_holes": 1}
    return end(transport="quic", lost_packets=[0, 3, 3], retransmits=[None] * 3) | changes


def trial_of(run: Path, arm: str, block: int, content: Any, **changes: Any) -> Trial:
    """A trial which left `content` as its flight: JSON, or a text that is written as it is."""
    file = f"artifacts/{arm},block{block}/flight.json"
    (run / file).parent.mkdir(parents=True)
    (run / file).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    told = {"started_monotonic_s": STARTED_S, "load_s": LOAD_S} | changes
    found = loaded(arm, block, LOAD_S, page([resource(0, arm[:2])], arm[:2], **told))
    return found.model_copy(update={"artifacts": {"flight": file}})
