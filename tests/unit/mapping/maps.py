"""What a map is asked for."""

from pronghorn.mapping.terms import Terms


def a_map(**changes: object) -> Terms:
    asked = {
        "site": "small",
        "rtt": "5ms..300ms",
        "loss": "0..15%",
        "rate": "1Mbit..1Gbit",
        "arms": ("h2", "h3"),
        "origin": "builtin",
        "client": "native",
        "margin": "3%",
        "seed": 1,
        "budget": 600,
    }
    return Terms.model_validate(asked | changes)
