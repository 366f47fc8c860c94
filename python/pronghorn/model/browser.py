"""The settings of a browser as a client."""

from pydantic import BaseModel, ConfigDict


class BrowserSettings(BaseModel):
    """`width` and `height` of the viewport in CSS pixels; `cpu_slowdown` is the factor by which the page's
    main thread is slowed down (1: not at all)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    width: int = 1366
    height: int = 768
    cpu_slowdown: float = 1.0
