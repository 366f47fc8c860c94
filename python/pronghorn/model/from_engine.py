"""What the engine's records have in common."""

from pydantic import BaseModel, ConfigDict

Settings = dict[str, int | bool | str | None]
"""What one end of a connection ran with, as read back, by the names of the engine's protocol; what it can't
know is null or absent."""


class FromEngine(BaseModel):
    """A record which the engine made; keys of a newer engine are kept."""

    model_config = ConfigDict(extra="allow")
