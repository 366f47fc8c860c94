"""Page loads made by hand, to go with hand-made arrivals."""

from typing import Any

from pronghorn.model.trial import PageLoad


def resource(
    path: str,
    start_s: float,
    request_s: float,
    last_byte_s: float,
    *,
    initiator: str | None = None,
    kind: str = "other",
    connection: int = 0,
    first_byte_s: float | None = None,
) -> dict[str, Any]:
    """A resource's times."""
    return {
        "path": path,
        "kind": kind,
        "initiator": initiator,
        "connection": connection,
        "status": 200,
        "start_s": start_s,
        "request_s": request_s,
        "first_byte_s": first_byte_s or last_byte_s,
        "last_byte_s": last_byte_s,
    }


def page(
    *resources: dict[str, Any],
    secured_s: float = 0.0,
    connections: list[dict[str, Any]] | None = None,
    load_s: float | None = None,
) -> PageLoad:
    """A load that ended with its last resource, or at `load_s`; its connection was opened at 0."""
    opened = [{"start_s": 0.0, "connected_s": secured_s, "secured_s": secured_s}]
    return PageLoad.model_validate(
        {
            "outcome": "ok",
            "started_monotonic_s": 0.0,
            "load_s": load_s if load_s is not None else max(one["last_byte_s"] for one in resources),
            "connections": opened if connections is None else connections,
            "resources": list(resources),
        }
    )
