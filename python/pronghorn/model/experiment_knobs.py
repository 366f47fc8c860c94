"""An experiment's `[knobs]` and `[knobs."ARM"]`: read, resolved, and what they say of each arm."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.errors import unknown
from pronghorn.model import units
from pronghorn.model.arm import Arm
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.knobs import CIPHERS, GROUPS, KNOBS, Knobs, Value, impossible, lacking

KEY = "knobs"
EXAMPLE = '{ initial_window = "14480B", pacing = true }'

_BOUNDS = {
    "connection_window": (65535, 2**30),
    "initial_mtu": (1200, 1472),
    "initial_window": (1, 2**24),
    "stream_window": (1024, 2**30),
    "tcp_receive_buffer": (4096, 2**30),
    "tcp_send_buffer": (4096, 2**30),
    "udp_receive_buffer": (4096, 2**29),
    "udp_send_buffer": (4096, 2**29),
}
"""The least and the most of a size in bytes. A connection of HTTP/2 begins with 65535 (RFC 9113 §6.9.2);
QUIC's datagrams have 1200 (RFC 9000 §14), and in IPv4 packets of 1500 bytes at most 1472; a buffer is at
least a page of memory, and its size, which for UDP's the kernel doubles, fits into 31 bits."""

_MOST_UNACKNOWLEDGED = 1000


class KnobTables(BaseModel):
    """The knobs of all arms that have such a thing, and over them those of single arms, by their names."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    common: Knobs = Knobs()
    by_arm: dict[str, Knobs] = {}

    def of(self, arm: Arm) -> Knobs:
        """What is asked of `arm`."""
        shared = self.common.asked().items()
        had = {name: value for name, value in shared if lacking(arm, name, value) is None}
        return Knobs.model_validate(had).under(self.by_arm.get(arm.name, Knobs()))

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to them again; empty where nothing is asked."""
        tables = {name: knobs.definition() for name, knobs in self.by_arm.items()}
        return self.common.definition() | {name: table for name, table in tables.items() if table}


def parse(reader: ExperimentReader, arms: tuple[Arm, ...]) -> KnobTables:
    """The knobs in the table that `reader` reads; InputError where one is wrong, or asks of one of the `arms`
    what it hasn't or nobody can."""
    by_name = {arm.name: arm for arm in arms}
    common: dict[str, Value] = {}
    tables: dict[str, Knobs] = {}
    for name, value in reader.table.items():
        if name in by_name:
            tables[name] = _of_arm(reader.sub(name, EXAMPLE), by_name[name])
        elif isinstance(value, dict) and name not in KNOBS:
            raise reader.error(
                name,
                f"{unknown('arm', name, by_name)} Knobs of one arm are in the table with its name (--set "
                f"{KEY}={{}} leaves all knobs out).",
            )
        else:
            common[name] = read_knob(reader, name)
    asked = {name: knobs for name, knobs in tables.items() if knobs.asked()}
    found = KnobTables(common=Knobs.model_validate(common), by_arm=asked)
    for arm in arms:
        _refuse_impossible(reader, found, arm)
    return found


def _of_arm(reader: ExperimentReader, arm: Arm) -> Knobs:
    asked = {name: read_knob(reader, name) for name in reader.table}
    for name, value in asked.items():
        why = lacking(arm, name, value)
        if why is not None:
            raise reader.error(name, f"{why}. Leave it out of arm '{arm.name}'.")
    return Knobs.model_validate(asked)


def _refuse_impossible(reader: ExperimentReader, found: KnobTables, arm: Arm) -> None:
    own = found.by_arm.get(arm.name, Knobs()).asked()
    for name, value in found.of(arm).asked().items():
        why = impossible(arm, name, value)
        if why is None:
            continue
        if name in own:
            raise reader.source.error((*reader.keys, arm.name, name), f"{why}.")
        raise reader.error(
            name, f"arm '{arm.name}': {why}. Set it only for the arms that can, in [{KEY}.\"ARM\"]."
        )


def read_knob(reader: ExperimentReader, name: str) -> Value:
    """What the knob `name` is set to; InputError where there is no such knob, or it can't be set to that."""
    if name not in KNOBS:
        raise reader.error(name, unknown("knob", name, KNOBS))
    kind = KNOBS[name].kind
    match kind:
        case "size":
            return _size(reader, name)
        case "flag":
            return reader.flag(name, False)
        case "count":
            return int(reader.whole(name, 0, least=0, most=_MOST_UNACKNOWLEDGED))
        case "cipher":
            return reader.choice(name, "cipher", CIPHERS, "")
        case "group":
            return reader.choice(name, "group of a key exchange", GROUPS, "")


def _size(reader: ExperimentReader, name: str) -> int:
    try:
        size = units.size(reader.table[name])
    except units.UnitError as error:
        raise reader.error(name, f"{error}.") from None
    least, most = _BOUNDS[name]
    if not least <= size <= most:
        raise reader.error(name, f"{reader.table[name]!r} is no size from {least}B to {most}B.")
    return size
