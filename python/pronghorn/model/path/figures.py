"""What a path's links are on the whole, as the engine derives it from their specification."""

from pydantic import BaseModel, ConfigDict


class LinkFigures(BaseModel):
    """Rates in bits per second; None where nothing limits the link. For a trace `max_rate_bit_per_s` is the
    most that any millisecond delivers."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    mean_rate_bit_per_s: float | None = None
    min_rate_bit_per_s: float | None = None
    max_rate_bit_per_s: float | None = None


class PathFigures(BaseModel):
    """Both directions; `handover`: of the path after one."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    down: LinkFigures = LinkFigures()
    up: LinkFigures = LinkFigures()
    handover: "PathFigures | None" = None
