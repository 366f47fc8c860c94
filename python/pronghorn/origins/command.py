"""A server of one's own as an origin: a command that gets what it needs in its environment."""

import json
from pathlib import Path

from pydantic import ValidationError

from pronghorn.engine import Engine
from pronghorn.environment import passed_on
from pronghorn.model import bounds
from pronghorn.model.arm import Arm
from pronghorn.model.own_stack import OwnStack, environment
from pronghorn.model.trial import OriginConnection, OriginRequest
from pronghorn.origins import process
from pronghorn.origins.base import OriginFailed, OriginLog, OriginSetup
from pronghorn.origins.process import Listens


class Command:
    """The origin that an experiment defines as [origins.NAME]."""

    def __init__(self, name: str, stack: OwnStack) -> None:
        self._name = name
        self._stack = stack

    def refusal(self, arm: Arm) -> str | None:
        """It honours what its table declares."""
        return self._stack.refusal(arm) or self._stack.refused_control(arm)

    def replay_refusal(self) -> str | None:
        """It serves the files of a folder."""
        return "it serves the files of one host"

    def event_refusal(self, do: str) -> str | None:  # noqa: ARG002
        """It can only be started and ended."""
        return "Pronghorn does not know how its command does that"

    def require(self) -> None:
        """What its command needs is known to whoever wrote it."""

    async def start(self, engine: Engine, setup: OriginSetup) -> "RunningCommand":
        """Runs the command and returns when it listens."""
        log = setup.folder / "requests.jsonl"
        started = await process.start(
            engine,
            self._name,
            self._stack.argv,
            setup.folder,
            self._listens(setup),
            environment={
                **passed_on(self._stack.env),
                **environment(setup.arm),
                "PRONGHORN_ADDRESS": setup.address,
                "PRONGHORN_AUTHORITY": str(setup.certificates.authority),
                "PRONGHORN_CERTIFICATE": str(setup.certificates.chain),
                "PRONGHORN_FOLDER": str(setup.folder),
                "PRONGHORN_HEADERS": json.dumps(dict(setup.headers)),
                "PRONGHORN_HOST": setup.host_name,
                "PRONGHORN_KEY": str(setup.certificates.key),
                "PRONGHORN_LOG": str(log),
                "PRONGHORN_PORT": str(setup.port),
                "PRONGHORN_ROOT": str(setup.root),
                **({"PRONGHORN_CLEAR_PORT": str(setup.clear_port)} if setup.arm.clear else {}),
            },
            directory=Path(self._stack.directory),
        )
        port = setup.clear_port if setup.arm.clear else setup.port
        return RunningCommand(engine, self._name, started, log, port)

    def settings(self, arm: Arm) -> dict[str, str]:  # noqa: ARG002
        """Nothing is known of its sending side."""
        return {}

    def identity(self) -> dict[str, str]:
        """What its table says, the command as its configuration."""
        return {"version": self._stack.version, "configuration": json.dumps(self._stack.definition())}

    def _listens(self, setup: OriginSetup) -> Listens:
        ready = self._stack.ready
        if ready is not None:
            return Listens(setup.port, tcp=ready != "udp", udp=ready != "tcp")
        return Listens(setup.port, tcp=setup.arm.protocols != {"h3"}, udp=setup.arm.over_quic)


class RunningCommand:
    """A server of one's own on a bench."""

    def __init__(self, engine: Engine, name: str, started: process.Process, log: Path, port: int) -> None:
        self._engine = engine
        self._name = name
        self._process = started
        self._log = log
        self.port = port

    async def log(self) -> OriginLog:
        """What it wrote to its log, where it made that file; OriginFailed where a line is no request."""
        kept = self._log.exists()
        requests = [
            self._request(number, line)
            for number, line in enumerate(process.whole_lines(self._log), 1)
            if line.strip()
        ]
        return OriginLog(requests, await self._connections(), kept=kept)

    async def cpu_s(self) -> float | None:
        """That of its process and all below it."""
        return self._process.cpu_s()

    async def ended(self) -> str | None:
        """How its process ended."""
        return await self._process.ended()

    def last_lines(self) -> str:
        """The end of its stderr."""
        return process.last_lines(self._process.stderr)

    async def _connections(self) -> list[OriginConnection]:
        return await process.tcp_connections(self._engine, self.port)

    def _request(self, number: int, line: str) -> OriginRequest:
        try:
            return OriginRequest.model_validate_json(line)
        except ValidationError as error:
            raise OriginFailed(
                f"line {number} of {self._name}'s log is no request: {bounds.wrong(error)}"
            ) from error
