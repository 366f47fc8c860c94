"""Links and paths as the engine's protocol writes them."""

from typing import Any

Link = dict[str, Any]
Path = dict[str, Link]


def link(
    delay_ms: float,
    *,
    rate_mbit: float | None = None,
    loss: float = 0.0,
    queue_bytes: int | None = None,
    **more: Any,
) -> Link:
    """One direction; a queue needs a rate."""
    made: Link = {"delay_ns": round(delay_ms * 1e6), **more}
    if rate_mbit is not None:
        made["rate_bit_per_s"] = round(rate_mbit * 1e6)
        if queue_bytes is not None:
            made["queue"] = {"bytes": queue_bytes}
    if loss:
        made["loss"] = {"model": "independent", "probability": loss}
    return made


def both_ways(one: Link) -> Path:
    """A path with the same link in both directions."""
    return {"down": one, "up": dict(one)}
