"""What stacks are known to ship and don't tell: told with its source, until it is read back."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from pronghorn.fairness.group import Group
from pronghorn.fairness.values import Value
from pronghorn.model import origin_name
from pronghorn.model.arm import S2N
from pronghorn.model.stacks import is_url

_CHROMIUM = "chromium"

_WINDOWS: Mapping[tuple[str, str, str], str] = MappingProxyType(
    {
        (_CHROMIUM, "h2", "stream"): f"{6 * 2**20} bytes (kSpdyStreamMaxRecvWindowSize)",
        (_CHROMIUM, "h2", "connection"): f"{15 * 2**20} bytes (kSpdySessionMaxRecvWindowSize)",
        (_CHROMIUM, "h3", "stream"): f"{6 * 2**20} bytes at first (kQuicStreamMaxRecvWindowSize)",
        (_CHROMIUM, "h3", "connection"): f"{15 * 2**20} bytes at first (kQuicSessionMaxRecvWindowSize)",
    }
)
"""Clients' receive windows by client, protocol and kind; the native client reports its own."""

_PRIORITIES: Mapping[str, str] = MappingProxyType(
    {"builtin": "urgency and incremental (RFC 9218)", "nginx": "none", "haproxy": "none"}
)
"""Which priorities of HTTP/2 and HTTP/3 servers honour, as far as docs/servers.md knows."""


def window(group: Group, kind: Literal["stream", "connection"]) -> list[Value]:
    """The client's receive window."""
    found = _WINDOWS.get((group.cell.client, group.arm.protocol, kind))
    return [found] if found is not None else []


def pacing(group: Group) -> list[Value]:
    """Whether a foreign origin's end paces: kernels do where the devices' queue is fq, or the congestion
    control wants it."""
    if group.arm.over_quic or group.own_origin or is_url(group.cell.origin):
        return []
    if group.sysctls.get("net.core.default_qdisc") == "fq":
        return ["yes (fq)"]
    return ["yes (BBR's own)" if group.arm.congestion_control == "bbr" else "no (Linux without fq)"]


def priorities(group: Group) -> list[Value]:
    """Which priorities the origin heeds."""
    if group.arm.protocol == "h1":
        return []
    if group.own_origin and group.arm.over_quic and group.arm.stack == S2N:
        return ["urgency and incremental (RFC 9218), by the origin above s2n-quic"]
    found = _PRIORITIES.get(origin_name.plain(group.cell.origin).partition(":")[0])
    return [found] if found is not None else []
