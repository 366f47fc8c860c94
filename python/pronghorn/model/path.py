"""A path between the hosts: its definition in TOML and what the engine makes of it.

The stages and their semantics are those of netem (tc-netem(8)): duplicate, lose, corrupt, then delay and
rate."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pronghorn.model import units
from pronghorn.model.source import Keys, Source

DIRECT = "direct"
"""The path without an emulated network: loopback of this host."""

DEFAULT_QUEUE_PACKETS = 1000
"""The queue of a link with a rate that names none, as netem's `limit`."""

_PATH_KEYS = ("description", "source", "down", "up")
_LINK_KEYS = ("delay", "jitter", "loss", "duplicate", "corrupt", "rate", "queue")
_JITTER_KEYS = ("spread", "distribution", "order")
_GILBERT_ELLIOTT_KEYS = ("model", "enter", "leave", "bad", "good")


class JitterSpec(BaseModel):
    """Variation of the delay. `spread_ns`: half the width for uniform, the standard deviation for normal."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    distribution: Literal["uniform", "normal"] = "uniform"
    spread_ns: int
    order: Literal["keep", "break"]


class LossSpec(BaseModel):
    """Loss of packets: independent, or by the two states of Gilbert (1960) and Elliott (1963)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model: Literal["independent", "gilbert-elliott"]
    probability: float | None = None
    enter: float | None = None
    leave: float | None = None
    loss_bad: float | None = None
    loss_good: float | None = None

    @property
    def mean(self) -> float:
        """The long-run share of packets lost, in 0..1."""
        if self.probability is not None:
            return self.probability
        enter, leave = self.enter or 0.0, self.leave or 0.0
        bad = enter / (enter + leave) if enter + leave > 0 else 0.0
        return bad * (self.loss_bad or 0.0) + (1 - bad) * (self.loss_good or 0.0)


class LinkSpec(BaseModel):
    """One direction, as the engine takes it: nanoseconds, bits per second, probabilities."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    delay_ns: int = 0
    jitter: JitterSpec | None = None
    loss: LossSpec | None = None
    duplicate: float = 0.0
    corrupt: float = 0.0
    rate_bit_per_s: int | None = None
    queue: dict[str, int] | None = None


class PathSpec(BaseModel):
    """Both directions; `down` carries server to client."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    down: LinkSpec
    up: LinkSpec

    @property
    def round_trip_s(self) -> float:
        """The undisturbed round trip in seconds, without serialisation and queueing."""
        return (self.down.delay_ns + self.up.delay_ns) / 1e9

    def to_engine(self) -> dict[str, Any]:
        """The engine's JSON."""
        return self.model_dump(exclude_none=True)


class PathProfile(BaseModel):
    """A named path. `definition` is its TOML table; `spec` is None for `direct`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    description: str = ""
    source: str = ""
    definition: dict[str, Any] = {}
    spec: PathSpec | None = None


def direct() -> PathProfile:
    """The special path `direct`."""
    return PathProfile(name=DIRECT, description="loopback, no emulated network")


def parse(name: str, table: object, source: Source, keys: Keys = ()) -> PathProfile:
    """The profile `name` from its TOML `table`, which stands at `keys` of `source`; InputError where it is
    wrong."""
    if not isinstance(table, dict):
        raise source.error(keys, f"a path is a table with 'down' and 'up', not {table!r}.")
    source.refuse_unknown(keys, table, _PATH_KEYS)
    for text in ("description", "source"):
        if not isinstance(table.get(text, ""), str):
            raise source.error((*keys, text), f"{table[text]!r} is no text.")
    for link in ("down", "up"):
        if link not in table:
            raise source.error(
                keys, f"path '{name}' lacks '{link}'; a link without impairment is written {link} = {{}}."
            )
    spec = PathSpec(**{link: _link(table[link], source, (*keys, link)) for link in ("down", "up")})
    return PathProfile(
        name=name,
        description=table.get("description", ""),
        source=table.get("source", ""),
        definition=table,
        spec=spec,
    )


def _link(table: object, source: Source, keys: Keys) -> LinkSpec:
    if not isinstance(table, dict):
        raise source.error(
            keys, f'a link is a table such as {{ rate = "20Mbit", delay = "75ms" }}, not {table!r}.'
        )
    source.refuse_unknown(keys, table, _LINK_KEYS)

    def read(key: str, reader: Any, default: Any) -> Any:
        return _read(reader, table[key], source, (*keys, key)) if key in table else default

    rate = read("rate", units.rate, None)
    if "queue" in table and rate is None:
        raise source.error(
            (*keys, "queue"), "a queue only exists with a rate; give the link a 'rate' as well."
        )
    jitter = (
        _jitter(table["jitter"], rate is not None, source, (*keys, "jitter")) if "jitter" in table else None
    )
    return LinkSpec(
        delay_ns=read("delay", units.time_ns, 0),
        jitter=jitter,
        loss=_loss(table["loss"], source, (*keys, "loss")) if "loss" in table else None,
        duplicate=read("duplicate", units.share, 0.0),
        corrupt=read("corrupt", units.share, 0.0),
        rate_bit_per_s=rate,
        queue=read("queue", units.queue, {"packets": DEFAULT_QUEUE_PACKETS} if rate is not None else None),
    )


def _jitter(value: object, rated: bool, source: Source, keys: Keys) -> JitterSpec | None:
    """Without an `order`, netem's own: a link with a rate keeps it, one without lets packets overtake."""
    table = value if isinstance(value, dict) else {"spread": value}
    source.refuse_unknown(keys, table, _JITTER_KEYS)
    if "spread" not in table:
        raise source.error(keys, "jitter lacks its 'spread', such as \"10ms\".")
    spread = _read(
        units.time_ns, table["spread"], source, (*keys, "spread") if isinstance(value, dict) else keys
    )
    distribution = _choice(table, "distribution", ("uniform", "normal"), "uniform", source, keys)
    order = _choice(table, "order", ("keep", "break"), "keep" if rated else "break", source, keys)
    if spread == 0:
        return None
    return JitterSpec.model_validate({"distribution": distribution, "spread_ns": spread, "order": order})


def _loss(value: object, source: Source, keys: Keys) -> LossSpec | None:
    if not isinstance(value, dict):
        probability = _read(units.share, value, source, keys)
        return LossSpec(model="independent", probability=probability) if probability else None
    source.refuse_unknown(keys, value, _GILBERT_ELLIOTT_KEYS)
    _choice(value, "model", ("gilbert-elliott",), None, source, keys)
    shares = {}
    for key, default in (("enter", None), ("leave", None), ("bad", "100%"), ("good", "0%")):
        if key not in value and default is None:
            raise source.error(
                keys,
                f"the Gilbert-Elliott model lacks '{key}', the chance per packet to {key} the bad state.",
            )
        shares[key] = _read(units.share, value.get(key, default), source, (*keys, key))
    return LossSpec(
        model="gilbert-elliott",
        enter=shares["enter"],
        leave=shares["leave"],
        loss_bad=shares["bad"],
        loss_good=shares["good"],
    )


def _choice(
    table: dict[str, Any], key: str, allowed: tuple[str, ...], default: str | None, source: Source, keys: Keys
) -> str:
    value = table.get(key, default)
    if value not in allowed:
        raise source.error((*keys, key), f"{value!r} is none of the allowed: {', '.join(allowed)}.")
    return str(value)


def _read(reader: Any, value: object, source: Source, keys: Keys) -> Any:
    try:
        return reader(value)
    except units.UnitError as error:
        raise source.error(keys, f"{error}.") from None
