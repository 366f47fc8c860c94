"""Whole answers of `pronghorn-engine`, in which the fake engine replaces what a test is about."""

# It is imported for every trial, and so imports only what it can't do without.
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COUNTED = (
    "packets_in", "bytes_in", "packets_out", "bytes_out", "lost", "loss_decisions", "duplicated", "corrupted",
    "reordered", "too_big", "udp_dropped", "outage_dropped", "policed", "queue_dropped", "aqm_dropped",
    "left_behind", "marked", "queue_high_water_bytes", "queue_high_water_packets", "held", "ring_dropped",
    "superpackets_in", "superpackets_out", "ignored", "malformed", "nat_dropped", "undeliverable",
)  # fmt: skip
"""What a link counts."""


def delays(count: int = 0, late_s: float = 0.0) -> dict[str, Any]:
    """A distribution whose 99th percentile is `late_s`."""
    half_s = late_s / 2
    return {"count": count, "mean_s": half_s, "median_s": half_s, "p99_s": late_s, "max_s": late_s}


def link(**counted: Any) -> dict[str, Any]:
    """LinkCounters."""
    waits = {name: delays() for name in ("lateness", "intake_wait", "wake", "handover")}
    return {**dict.fromkeys(COUNTED, 0), "bottleneck_s": 0.0, "delay_min_s": None, **waits, **counted}


def host_tcp() -> dict[str, Any]:
    """HostTcp of a host of which nothing is known."""
    unknown = ("initial_window_segments", "receive_buffer", "send_buffer", "slow_start_after_idle", "hystart")
    return {**dict.fromkeys(unknown), "tcp_congestion_controls": []}


def host(**counted: Any) -> dict[str, Any]:
    """HostCounters."""
    nothing = {"client": 0, "server": 0}
    kinds = ("udp_receive_buffer_drops", "checksum_errors", "tcp_retransmits")
    return {
        "steal_share": 0.0,
        "cpu": None,
        **{kind: dict(nothing) for kind in kinds},
        "driver_priority": "ordinary",
        "offloads": [],
        "tcp": {"client": host_tcp(), "server": host_tcp()},
        **counted,
    }


def connection(protocol: str, **told: Any) -> dict[str, Any]:
    """ConnectionRecord."""
    unknown = (
        "connected_s", "secured_s", "key_exchange", "congestion_controller", "udp_receive_buffer", "resumed",
        "early_data",
    )  # fmt: skip
    return {
        "host": "origin.pronghorn.test",
        "protocol": protocol,
        "alpn": protocol,
        "start_s": 0.0,
        "tls_version": "TLSv1_3",
        "cipher": "AES_256",
        **dict.fromkeys(unknown),
        "settings": {},
        "migrations": [],
        **told,
    }


def resource(path: str, **told: Any) -> dict[str, Any]:
    """ResourceRecord."""
    unknown = (
        "initiator", "protocol", "status", "content_coding", "connection", "request_s", "too_early_s",
        "first_byte_s", "last_byte_s", "error",
    )  # fmt: skip
    known = {"method": "GET", "path": path, "kind": "other", "urgency": 3, "incremental": False}
    return {**known, "bytes": 0, "start_s": 0.0, **dict.fromkeys(unknown), **told}


def page(**told: Any) -> dict[str, Any]:
    """PageLoad."""
    unknown = ("reason", "detail", "load_s", "ttfb_s", "connect_s", "tls_s")
    nothing = ("left_out", "scripts_not_run")
    return {
        "outcome": "ok",
        "started_monotonic_s": 1.0,
        **dict.fromkeys(unknown),
        "requests": 0,
        "bytes": 0,
        "failures": 0,
        "round_trips": 0,
        **{name: [] for name in nothing},
        **{f"{name}_count": 0 for name in nothing},
        "cpu": {
            name: {"used_s": 0.01, "waited_s": 0.0, "critical_s": 0.0, "longest_s": 0.0, "longest_at_s": None}
            for name in ("client", "origin")
        },
        "connections": [],
        "resources": [],
        **told,
    }


def served_request(path: str, **told: Any) -> dict[str, Any]:
    """ServedRequest."""
    nothing: dict[str, Any] = {"host": None, "matched": None}
    served = {"method": "GET", "path": path, "early": False, "arrived_s": 0.0, "served_s": 0.0}
    return {**nothing, **served, **told}


def load_connections(number: int) -> dict[str, Any]:
    """ConnectionCounts of a load whose connections all stand."""
    nothing = ("resumed", "early_data_accepted", "closed_by_peer", "most_under_way")
    counts = {"attempted": number, "established": number, "failed": {}, **dict.fromkeys(nothing, 0)}
    return {**counts, "streams_allowed": None, "requests_per_second": None}


def link_figures(rate_bit_per_s: float | None, delay_ns: int) -> dict[str, Any]:
    """LinkFigures of a link without trace and schedule."""
    unknown = ("queue", "queue_ns", "trace_deliveries", "trace_period_ns", "schedule_changes")
    rates = {f"{which}_rate_bit_per_s": rate_bit_per_s for which in ("mean", "min", "max")}
    return {**rates, "min_delay_ns": delay_ns, "max_delay_ns": delay_ns, **dict.fromkeys(unknown)}
