"""An origin or a client of one's own: a command, and what it declares that it can do."""

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pronghorn.model.arm import DISCOVERIES, OPTIONS, PROTOCOLS, QUIC_CONGESTION_CONTROLS, Arm
from pronghorn.model.experiment_reader import ExperimentReader

Kind = Literal["origin", "client"]
Ready = Literal["tcp", "udp", "both"]

READY: tuple[Ready, ...] = ("tcp", "udp", "both")
ABILITIES = (*OPTIONS, *DISCOVERIES)
"""What `options` may declare: the arms' options, and the ways to discover HTTP/3."""

_COMMON = ("command", "directory", "env", "protocols", "options", "version")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\*?")
_ORIGINS_OWN = ("ready", "congestion_controls")


class OwnStack(BaseModel):
    """`command` is a line for the shell, or a program with its arguments; `directory` the absolute path in
    which it runs. Of our own environment it gets the variables of `environment.PASSED_ON` and those that
    `env` names, with `*` for any ending. It honours arms of `protocols` with no other than the `options`
    named. `version` is what the manifest says of it. Of origins: `ready` is what it must listen on (None:
    what the arm uses), `congestion_controls` those of QUIC that it can be told to run."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    command: str | tuple[str, ...]
    directory: str
    env: tuple[str, ...] = ()
    protocols: tuple[str, ...] = tuple(PROTOCOLS)
    options: tuple[str, ...] = ()
    version: str = "not said"
    ready: Ready | None = None
    congestion_controls: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        """The program with its arguments."""
        return ("/bin/sh", "-c", self.command) if isinstance(self.command, str) else self.command

    def refusal(self, arm: Arm) -> str | None:
        """Why it can't honour `arm`, as the end of a sentence; None where it can."""
        needed = (arm.protocol,) if arm.discovery == "forced" else ("h2", "h3")
        for protocol in needed:
            if protocol not in self.protocols:
                return f"its table declares protocols = {list(self.protocols)}"
        for ability in ABILITIES:
            if (ability in arm.options or ability == arm.discovery) and ability not in self.options:
                return f"its table does not declare '{ability}' among its options"
        return None

    def refused_control(self, arm: Arm) -> str | None:
        """Why it can't send with the congestion control that `arm` asks for; TCP's is the kernel's."""
        if arm.control_asked is None or not arm.over_quic or arm.control_asked in self.congestion_controls:
            return None
        return f"its table does not declare '{arm.control_asked}' among its congestion_controls"

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to it again."""
        table = {
            "command": self.command if isinstance(self.command, str) else list(self.command),
            "directory": self.directory,
            "protocols": list(self.protocols),
        }
        if self.env:
            table["env"] = list(self.env)
        if self.options:
            table["options"] = list(self.options)
        if self.ready is not None:
            table["ready"] = self.ready
        if self.congestion_controls:
            table["congestion_controls"] = list(self.congestion_controls)
        return {**table, "version": self.version}


def parse(reader: ExperimentReader, kind: Kind) -> OwnStack:
    """The stack in the table that `reader` reads; InputError where it is wrong."""
    reader.allow(*_COMMON, *(_ORIGINS_OWN if kind == "origin" else ()))
    ready = reader.choice("ready", "way to be ready", READY, "both") if "ready" in reader else None
    return OwnStack(
        command=_command(reader),
        directory=_directory(reader),
        env=_env(reader),
        protocols=reader.known("protocols", "protocol", PROTOCOLS, tuple(PROTOCOLS)),
        options=reader.known("options", "option", ABILITIES, ()),
        version=reader.text("version", "not said"),
        ready=next((word for word in READY if word == ready), None),
        congestion_controls=reader.known(
            "congestion_controls", "congestion control of h3", QUIC_CONGESTION_CONTROLS, ()
        ),
    )


def _command(reader: ExperimentReader) -> str | tuple[str, ...]:
    value = reader.table.get("command")
    if isinstance(value, str) and value.strip() and "\0" not in value:
        return value
    if (
        isinstance(value, list)
        and value
        and all(isinstance(part, str) and "\0" not in part for part in value)
        and value[0]
    ):
        return tuple(value)
    raise reader.error(
        "command",
        f'{value!r} is no command; write a line for the shell, or a list such as ["python3", "x.py"].',
    )


def _directory(reader: ExperimentReader) -> str:
    beside = reader.source.folder_of((*reader.keys, "directory"))
    directory = (beside / reader.text("directory", ".")).resolve()
    if not (directory.is_dir() or reader.source.recorded):
        raise reader.error("directory", f"{directory} is no folder.")
    return str(directory)


def _env(reader: ExperimentReader) -> tuple[str, ...]:
    names = reader.table.get("env", [])
    if isinstance(names, list) and all(isinstance(name, str) and _VARIABLE.fullmatch(name) for name in names):
        return tuple(names)
    raise reader.error(
        "env",
        f'{names!r} is no list of variables\' names; write one such as ["RUST_LOG", "GODEBUG", "MY_*"].',
    )


def environment(arm: Arm) -> dict[str, str]:
    """What every command of one's own is told of the arm, as environment variables."""
    return {
        "PRONGHORN_ARM": arm.name,
        "PRONGHORN_CONGESTION_CONTROL": arm.control_asked or "",
        "PRONGHORN_DISCOVERY": arm.discovery,
        "PRONGHORN_OPTIONS": " ".join(sorted(arm.options)),
        "PRONGHORN_PROTOCOL": arm.protocol,
    }
