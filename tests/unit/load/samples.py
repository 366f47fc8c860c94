"""Reports as the engine tells them."""

import copy
from typing import Any

from pronghorn.load.spec import Extent, LoadSpec, Target
from pronghorn.model.load_report import LoadReport

Json = dict[str, Any]


def distribution(count: int, scale: float) -> Json:
    """Of `count` samples whose median is `scale` seconds."""
    shares = {"p50": 1, "p75": 1.25, "p90": 1.5, "p95": 2, "p99": 3, "p999": 5, "p9999": 8}
    told = {key: factor * scale for key, factor in shares.items()}
    return {
        "count": count,
        "min": 0.5 * scale,
        "mean": 1.1 * scale,
        "sd": 0.4 * scale,
        "max": 10 * scale,
        **told,
    }


REPORT: Json = {
    "requests": {
        "planned": 10_000,
        "sent": 10_000,
        "unsent": 0,
        "retried": 0,
        "succeeded": 10_000,
        "failed": {},
        "statuses": {"200": 10_000},
        "warm_up": 0,
    },
    "connections": {
        "attempted": 10,
        "established": 10,
        "failed": {},
        "resumed": 0,
        "early_data_accepted": 0,
        "closed_by_peer": 0,
        "most_under_way": 100,
        "streams_allowed": None,
        "requests_per_second": {"min": 480.0, "mean": 500.0, "median": 501.0, "max": 520.0, "sd": 12.3},
    },
    "window_s": 2.0,
    "requests_per_second": 5000.0,
    "finished": True,
    "bytes": {
        "payload": 6_120_000,
        "uploaded": 0,
        "headers": 1_500_000,
        "wire_received": 8_400_000,
        "wire_sent": 900_000,
    },
    "bytes_per_second": {
        "payload": 3_060_000.0,
        "uploaded": 0.0,
        "wire_received": 4_200_000.0,
        "wire_sent": 450_000.0,
    },
    "latency_seconds": {
        "connect": distribution(10, 0.002),
        "first_byte": distribution(10_000, 0.00018),
        "total": distribution(10_000, 0.0002),
        "lag": None,
    },
    "cpu_s": {"user": 0.4, "system": 0.3, "waited": 0.0, "critical": None},
    "stood_still_s": 0.0,
    "server_drops": None,
    "max_rss_bytes": 12_300_000,
    "settings": {
        "initial_window": 14_480,
        "mss": None,
        "send_buffer": None,
        "receive_buffer": None,
        "pacing": False,
        "stream_window": None,
        "connection_window": None,
    },
    "congestion_controller": "cubic",
    "protocol": "h2",
    "tls": {"version": "TLS 1.3", "cipher": "TLS13_AES_128_GCM_SHA256"},
    "stack": "linux",
    "failures": [],
    "failure_times": [],
    "window_monotonic_s": 1000.0,
}
"""A load of 10 000 requests on 10 connections, in which nothing failed."""


def merged(below: Json, above: Json) -> Json:
    """`below` with what `above` says, table by table; counts and `settings` are replaced as a whole."""
    found = copy.deepcopy(below)
    for key, value in above.items():
        whole = key in ("failed", "statuses", "settings") or not isinstance(found.get(key), dict)
        found[key] = value if whole or value is None else merged(found[key], value)
    return found


def report(**changes: Any) -> LoadReport:
    """The sample with other values."""
    return LoadReport.model_validate(merged(REPORT, changes))


def spec(**changes: Any) -> LoadSpec:
    """What it was asked to be."""
    asked = {
        "targets": (Target(url="https://localhost:8443/"),),
        "protocol": "h2",
        "connections": 10,
        "streams": 100,
        "stop": Extent(requests=10_000),
    }
    return LoadSpec.model_validate(asked | changes)
