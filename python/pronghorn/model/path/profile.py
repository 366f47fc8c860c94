"""A named path: its definition in TOML and what the engine makes of it."""

import copy
from itertools import pairwise
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pronghorn.model import units
from pronghorn.model.path import link as links
from pronghorn.model.path.figures import LinkFigures, PathFigures
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import LEAST_MTU_BYTES, CrossSpec, PathSpec
from pronghorn.model.path.texts import Texts
from pronghorn.model.source import Keys, Source

DIRECT = "direct"
"""The path without an emulated network: loopback of this host."""

WORDS = ("description", "source")
"""The keys that are for readers alone."""

PATH_KEYS = (*WORDS, "family", "down", "up", "rebind", "cross", "handover")

MOST_CROSS_FLOWS = 64


class PathProfile(BaseModel):
    """A named path. `definition` is its TOML table, in which the files that it names are those of `texts`
    (name under which a run keeps it to content); `files` tells, by dotted key, where each was read from, and
    `place` where the path is defined. `other` is the path to which a handover leads; until `join` has found
    it, `spec` lacks the handover. `spec` is None for `direct`, `figures` until the engine was asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    description: str = ""
    source: str = ""
    definition: dict[str, Any] = {}
    spec: PathSpec | None = None
    texts: dict[str, str] = {}
    files: dict[str, str] = {}
    other: "PathProfile | None" = None
    place: str = ""
    figures: PathFigures | None = None

    @property
    def down_figures(self) -> LinkFigures:
        """What the link down is on the whole: what the engine said, else what a constant rate tells."""
        if self.figures is not None:
            return self.figures.down
        if self.spec is None or self.spec.down.schedule is not None:
            return LinkFigures()
        rate = self.spec.down.rate_bit_per_s
        return LinkFigures(mean_rate_bit_per_s=rate, min_rate_bit_per_s=rate, max_rate_bit_per_s=rate)

    def worded_as(self, other: "PathProfile") -> "PathProfile":
        """The same path described, and its source told, in another's words."""
        measured = {key: value for key, value in self.definition.items() if key not in WORDS}
        words = {key: value for key, value in other.definition.items() if key in WORDS}
        after = self.other and other.other and self.other.worded_as(other.other)
        return self.model_copy(
            update={
                "description": other.description,
                "source": other.source,
                "definition": {**words, **measured},
                "other": after or self.other,
            }
        )

    @property
    def stretches(self) -> "tuple[PathProfile, ...]":
        """What a load meets one after the other: this path without its handover, and the one after it."""
        if self.spec is None or self.spec.handover is None:
            return (self,)
        after = self.figures.handover if self.figures is not None else None
        before = {"spec": self.spec.model_copy(update={"handover": None}), "other": None}
        return (
            self.model_copy(update=before),
            PathProfile(name=self.name, spec=self.spec.handover.path, figures=after),
        )


def direct() -> PathProfile:
    """The special path `direct`."""
    return PathProfile(name=DIRECT, description="loopback, no emulated network")


def parse(name: str, table: object, source: Source, keys: Keys = ()) -> PathProfile:
    """The profile `name` from its TOML `table`, which stands at `keys` of `source`; InputError where it is
    wrong."""
    if not isinstance(table, dict):
        raise source.error(keys, f"a path is a table with 'down' and 'up', not {table!r}.")
    texts = Texts()
    reader = Reader(table, source, keys, texts)
    reader.allow(*PATH_KEYS)
    description, origin = reader.text("description", ""), reader.text("source", "")
    for link in ("down", "up"):
        if link not in reader:
            raise reader.error(
                None, f"path '{name}' lacks '{link}'; a link without impairment is written {link} = {{}}."
            )
        if not isinstance(table[link], dict):
            raise reader.error(
                link, f'a link is a table such as {{ rate = "20Mbit", delay = "75ms" }}, not {table[link]!r}.'
            )
    spec = PathSpec(
        down=links.parse(reader.sub("down", example="")),
        up=links.parse(reader.sub("up", example="")),
        family=_family(reader) if "family" in reader else None,
        rebind_ns=_rebind(reader) if "rebind" in reader else None,
        cross=_cross(reader.sub("cross", plain="flows", example="")) if "cross" in reader else None,
    )
    if spec.ip == 6:
        _refuse_ipv4_only(reader, spec)
    return PathProfile(
        name=name,
        description=description,
        source=origin,
        definition=_with_kept_names(table, {at[len(keys) :]: kept for at, kept in texts.kept.items()}),
        spec=spec,
        texts=texts.by_name,
        files={".".join(at[len(keys) :]): file for at, file in texts.files.items()},
        place=_place(source, keys),
    )


def _family(reader: Reader) -> Literal[4, 6]:
    match reader.table["family"]:
        case int(4 | 6 as number):
            return 4 if number == 4 else 6
        case other:
            raise reader.error("family", f"a path's version of IP is 4 or 6, not {other!r}.")


def _refuse_ipv4_only(reader: Reader, spec: PathSpec) -> None:
    """InputError where a path of IPv6 has what IPv4 alone has."""
    if spec.rebind_ns is not None:
        raise reader.error("rebind", "a path with family = 6 has no NAT to rebind. Leave 'rebind' out.")
    least = LEAST_MTU_BYTES[6]
    for name, link in (("down", spec.down), ("up", spec.up)):
        if link.mtu is not None and link.mtu.bytes < least:
            raise reader.sub(name, example="").error(
                "mtu", f"with family = 6 an MTU is at least {least}B, not {link.mtu.bytes}B (RFC 8200 §5)."
            )


def _rebind(reader: Reader) -> tuple[int, ...]:
    times = reader.several("rebind", units.time_ns)
    if any(one >= two for one, two in pairwise(times)):
        raise reader.error("rebind", "the times must ascend.")
    return times


def _cross(reader: Reader) -> CrossSpec:
    reader.allow("flows", "cc", "direction", "warmup")
    reader.require("flows", "their number, such as 2")
    return CrossSpec.model_validate(
        {
            "flows": reader.whole("flows", 1, least=1, most=MOST_CROSS_FLOWS),
            "tcp_congestion_control": reader.text("cc", "cubic"),
            "direction": reader.choice("direction", ("down", "up"), "down", "direction"),
            "warmup_ns": reader.read("warmup", units.time_ns, 0),
        }
    )


def _with_kept_names(definition: dict[str, Any], kept: dict[Keys, str]) -> dict[str, Any]:
    """The definition with each file's name replaced by the one under which a run keeps it."""
    if not kept:
        return definition
    copied = copy.deepcopy(definition)
    for keys, name in kept.items():
        table = copied
        for key in keys[:-1]:
            table = table[key]
        table[keys[-1]] = name
    return copied


def _place(source: Source, keys: Keys) -> str:
    line = source.line_of(keys)
    return f"{source.name}, line {line}" if line else source.name
