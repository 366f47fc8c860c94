"""What varies about a link's delay: jitter and reordering."""

from typing import Any

from pronghorn.model import units
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import JitterSpec, ReorderSpec

DISTRIBUTIONS = ("uniform", "normal", "pareto", "paretonormal", "table")


def jitter(reader: Reader, *, bottleneck: bool, varies: bool) -> JitterSpec | None:
    """Without an `order`, netem's own: a link with a rate keeps it, one without lets packets overtake. None
    where nothing strays, unless a schedule `varies` it."""
    reader.allow("spread", "distribution", "table", "correlation", "order")
    reader.require("spread", 'such as "10ms"')
    spread = reader.take("spread", units.time_ns)
    tabled = "table" in reader
    distribution = reader.choice(
        "distribution", DISTRIBUTIONS, "table" if tabled else "uniform", "distribution"
    )
    if tabled and distribution != "table":
        raise reader.error("table", f'a table belongs to distribution = "table", not {distribution!r}.')
    found: dict[str, Any] = {
        "distribution": distribution,
        "spread_ns": spread,
        "correlation": reader.read("correlation", units.share, 0.0) or None,
        "table": reader.file("table", "a distribution file of netem's") if distribution == "table" else None,
        "order": reader.choice("order", ("keep", "break"), "keep" if bottleneck else "break", "order"),
    }
    return JitterSpec.model_validate(found) if spread or varies else None


def reorder(reader: Reader, *, varies: bool) -> ReorderSpec | None:
    """Packets that aren't delayed: the share `probability` of every `gap`-th one. None where there are none,
    unless a schedule `varies` it."""
    reader.allow("probability", "correlation", "gap")
    reader.require("probability", 'such as "25%"')
    probability = reader.take("probability", units.share)
    correlation = reader.read("correlation", units.share, 0.0) or None
    gap = reader.whole("gap", 1, least=1, most=10**9)
    if not (probability or varies):
        return None
    return ReorderSpec(probability=probability, correlation=correlation, gap=gap)
