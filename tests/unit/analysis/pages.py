"""Page loads as a client would record them, without a network."""

from typing import Any

from pronghorn.model.trial import PageLoad, Trial

from .synthetic import cell, trial

SECURED_S = 0.2
"""When the first connection's handshake is over; its TCP handshake at half of it."""


def resource(number: int, protocol: str | None = "h2", **changes: Any) -> dict[str, Any]:
    """The resource `number`, found a hundredth after its predecessor and there 0.3 s later."""
    start_s = number / 100
    sent_s = max(start_s, SECURED_S)
    return {
        "path": f"/image-{number:02}.png" if number else "/",
        "kind": "image" if number else "document",
        "urgency": 3 if number else 0,
        "incremental": True,
        "protocol": protocol,
        "status": 200,
        "bytes": 12_340,
        "connection": 0,
        "start_s": start_s,
        "request_s": sent_s,
        "first_byte_s": sent_s + 0.1,
        "last_byte_s": sent_s + 0.3,
        "error": None,
    } | changes


def connection(protocol: str = "h2", **changes: Any) -> dict[str, Any]:
    """A connection that was begun at once."""
    return {
        "protocol": protocol,
        "start_s": 0.0,
        "connected_s": SECURED_S if protocol == "h3" else SECURED_S / 2,
        "secured_s": SECURED_S,
    } | changes


def page(resources: list[dict[str, Any]], protocol: str = "h2", **changes: Any) -> PageLoad:
    """A load of `resources` over one connection."""
    return PageLoad.model_validate(
        {
            "outcome": "ok",
            "load_s": 0.6,
            "ttfb_s": 0.3,
            "requests": len(resources),
            "connections": [connection(protocol)],
            "resources": resources,
        }
        | changes
    )


def loaded(
    arm: str, block: int, load_s: float | None, loaded_page: PageLoad | None, path: str = "lte"
) -> Trial:
    """The trial of a load."""
    return trial(cell(path), arm, block, load_s).model_copy(update={"page": loaded_page})
