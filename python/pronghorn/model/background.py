"""A load that runs beside each page load, over the same path: `[background]`."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.model import arm as arms
from pronghorn.model import load, units
from pronghorn.model.arm import Arm
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.load import LoadSettings

KEY = "background"
EXAMPLE = "{ connections = 10, streams = 10, rate = 500 }"

DEFAULT_LEAD = "1s"

_KEYS = (
    "threads", "connections", "streams", "rate", "distribution", "connect", "document", "protocol", "lead",
)  # fmt: skip


class Background(BaseModel):
    """A load over `protocol`, None: as the arm goes, which begins `lead` before the page load and ends with
    it; `settings` don't say when. `lead` is as written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    settings: LoadSettings
    protocol: str | None = None
    lead: str = DEFAULT_LEAD

    @property
    def lead_s(self) -> float:
        """How long before the page load it begins, in seconds."""
        return units.time_ns(self.lead) / 1e9

    def arm(self, measured: Arm) -> Arm:
        """What it goes over beside a load of the arm `measured`: new connections without any state, with the
        arm's congestion control where the protocol is the arm's own."""
        protocol = self.protocol or measured.protocol
        same = protocol == measured.protocol
        return arms.parse(f"{protocol}@{measured.congestion_control}" if same else protocol)

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to it again."""
        told = {"protocol": self.protocol} if self.protocol is not None else {}
        return {**self.settings.definition(), **told, "lead": self.lead}


def parse(reader: ExperimentReader) -> Background:
    """The background in the table that `reader` reads; InputError where it is wrong."""
    reader.allow(*_KEYS)
    protocol = None
    if "protocol" in reader:
        protocol = reader.choice("protocol", "protocol", tuple(arms.PROTOCOLS), "h2")
    lead = load.time(reader, "lead") or DEFAULT_LEAD
    return Background(settings=load.endless(reader), protocol=protocol, lead=lead)
