"""A population: on which networks a site's clients are, what they ask for, and what is hard about them."""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from pronghorn import reading
from pronghorn.errors import InputError
from pronghorn.mapping.domain import parse as parse_domain
from pronghorn.model import bounds, foreign, units

DEFAULT = "data/populations/default.toml"


def _reading(read: Callable[[object], float]) -> BeforeValidator:
    """A quantity with its unit written out, as a number in the smallest unit."""

    def value(written: object) -> float:
        return float(read(written))

    return BeforeValidator(value)


Share = Annotated[float, _reading(lambda text: 0.0 if text == 0 else units.share(text))]
Seconds = Annotated[float, _reading(lambda text: units.mean_time_ns(text) / 1e9)]
Bytes = Annotated[float, _reading(units.size)]
Spread = Annotated[float, Field(ge=0, le=3)]
Positive = Annotated[float, Field(gt=0)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Network(_Table):
    """A kind of network: ranges as `pronghorn map` takes them; `share` is relative to the others'."""

    name: str
    share: Annotated[float, Field(ge=0)]
    rtt: str
    loss: str
    rate: str
    udp_blocked: Share = 0.0

    def to_engine(self) -> dict[str, Any]:
        """As the engine's protocol has it."""
        try:
            domain = parse_domain(self.rtt, self.loss, self.rate)
        except InputError as error:
            raise InputError(f"network '{self.name}': {error.message.removeprefix('--')}") from None
        return {
            "name": self.name,
            "share": self.share,
            "rtt_ms": [domain.rtt.low * 1e3, domain.rtt.high * 1e3],
            "loss": [domain.loss.low, domain.loss.high],
            "rate_mbit": [domain.rate.low / 1e6, domain.rate.high / 1e6],
            "udp_blocked": self.udp_blocked,
        }


class Hard(_Table):
    """Shares of clients that are hard to judge."""

    flapping: Share = 0.0
    flap: Seconds = 1200.0
    nat: Share = 0.0
    nat_clients: Annotated[int, Field(ge=2, le=1000)] = 8
    drift: Share = 0.0

    def to_engine(self) -> dict[str, Any]:
        """As the engine's protocol has it."""
        return {
            "flapping": self.flapping,
            "flap_s": self.flap,
            "nat": self.nat,
            "nat_clients": self.nat_clients,
            "drift": self.drift,
        }


class Traffic(_Table):
    """What clients ask for, and when."""

    sessions_per_day: Positive
    sessions_sd: Spread
    pages: Annotated[float, Field(ge=1)]
    pause: Seconds
    responses: Positive
    bytes: Bytes
    bytes_sd: Spread

    def to_engine(self) -> dict[str, Any]:
        """As the engine's protocol has it."""
        named = self.model_dump()
        return {**{key: named[key] for key in named if key != "pause"}, "pause_s": self.pause}


class Noise(_Table):
    """How times scatter: standard deviations of logarithms. A session's pages share `visit`. Clients differ
    by `between_clients` where the ln ratio is 0; each unit of it adds the slope, as variances are added."""

    response: Spread
    page: Spread
    visit: Spread = 0.0
    between_clients: Spread
    between_clients_slope: Spread = 0.0
    own_loss: Share


class Events(_Table):
    """What befalls all clients at once: what is added to h3's ln ratio, and for each page visits of
    strangers, and of programs of the client's own prefix that ignore offers."""

    upgrade: float | None = None
    flood: Annotated[int, Field(ge=1, le=100)] | None = None
    ignoring: Annotated[int, Field(ge=1, le=100)] | None = None


class Population(_Table):
    """The whole file."""

    name: str
    network: Annotated[tuple[Network, ...], Field(min_length=1)]
    hard: Hard = Hard()
    traffic: Traffic
    noise: Noise
    events: Events = Events()


def read(file: Path | None) -> Population:
    """The population in `file`, else the default one; InputError with the key that is wrong."""
    place = str(file) if file else "the default population"
    try:
        text = (
            reading.text(file, reading.MOST_TOML, "a population")
            if file
            else resources.files("pronghorn").joinpath(DEFAULT).read_text(encoding="utf-8")
        )
        return Population.model_validate(foreign.toml(text))
    except ValidationError as error:
        raise InputError(f"{place}: {bounds.wrong(error)}.") from None
    except (reading.Unreadable, ValueError) as error:
        raise InputError(f"{place}: can't be read: {error}.") from None
