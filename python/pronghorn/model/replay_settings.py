"""How recorded sites are replayed: `replay = { think = "none" }`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pronghorn.model import units
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.recorded_site import RecordedSite

KEY = "replay"
EXAMPLE = '{ think = "recorded", compute = "recorded" }'

RECORDED, NONE = "recorded", "none"

Compute = Literal["recorded", "none"]


class ReplaySettings(BaseModel):
    """`think` is how long servers take before they answer: as recorded, not at all, or a share of what is
    recorded, such as `50%`. `compute` is whether the native client waits as long as the recorded browser
    computed before a request."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    think: str = RECORDED
    compute: Compute = "recorded"

    @property
    def think_factor(self) -> float:
        """By what the recorded time of servers is multiplied."""
        if self.think == RECORDED:
            return 1.0
        return 0.0 if self.think == NONE else units.share(self.think)

    def definition(self) -> dict[str, Any]:
        """The settings as a TOML table which parses to them again."""
        return self.model_dump()


def parse(reader: ExperimentReader, sites: tuple[str, ...]) -> ReplaySettings:
    """The settings in the table that `reader` reads, of an experiment with these `sites`; InputError where
    one is wrong, or no site is recorded."""
    reader.allow("think", "compute")
    if reader.table and not any(RecordedSite.of(site) for site in sites):
        raise reader.error(
            None, "no site is an archive, and only a recorded site is replayed. Leave the key out."
        )
    think = reader.text("think", RECORDED)
    if think not in (RECORDED, NONE):
        try:
            units.share(think)
        except units.UnitError:
            raise reader.error(
                "think", f"{think!r} is none of 'recorded', 'none' and a share, such as '50%'."
            ) from None
    compute = reader.choice("compute", "word", (RECORDED, NONE), RECORDED)
    return ReplaySettings(
        think=think,
        compute="none" if compute == NONE else "recorded",
    )
