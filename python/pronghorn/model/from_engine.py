"""What the engine's records have in common."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from pronghorn.model import bounds
from pronghorn.model.bounds import Text, Told, Whole

Settings = Annotated[dict[Text, Whole | bool | Text | None], bounds.Several]
"""What one end of a connection ran with, as read back, by the names of the engine's protocol; what it can't
know is null or absent."""


Controller = Annotated[
    Text | None, Field(validation_alias=AliasChoices("congestion_controller", "congestion_control"))
]
"""The congestion control that one connection ran, as read back. The engine calls it `congestion_controller`,
our own files `congestion_control`."""


class FromEngine(BaseModel):
    """A record which the engine made; keys of a newer engine are kept, where their values are within the
    bounds."""

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[str, Told] = Field(init=False)
