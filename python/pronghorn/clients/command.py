"""A client of one's own: a command that loads one page and writes what it saw as JSON."""

import json
from pathlib import Path
from typing import Literal

from pronghorn.clients import result
from pronghorn.clients.base import ClientFailed, Visit
from pronghorn.engine import PATIENCE_S, Engine, EngineError
from pronghorn.environment import passed_on
from pronghorn.model.arm import Arm
from pronghorn.model.expense import NOTHING
from pronghorn.model.own_stack import OwnStack, environment
from pronghorn.model.trial import PageLoad
from pronghorn.origins.process import with_last_lines

GRACE_S = 5.0
"""How long after its limit a command may take to end, in seconds; then it is ended."""

_HOST = "client"


class Command:
    """The client that an experiment defines as [clients.NAME]."""

    warms_up = False
    expense = NOTHING
    artifacts: tuple[str, ...] = ()
    takes_authority = True
    is_browser = False
    replays = False

    def __init__(self, name: str, stack: OwnStack) -> None:
        self._name = name
        self._stack = stack

    def refusal(self, arm: Arm) -> str | None:
        """It honours what its table declares; a page is loaded over TLS."""
        return "pages are loaded over TLS only" if arm.clear else self._stack.refusal(arm)

    def require(self) -> None:
        """What its command needs is known to whoever wrote it."""

    async def open(self, engine: Engine, visit: Visit) -> "CommandSession":
        """The command runs once a load: nothing needs to be started."""
        return CommandSession(engine, visit, self._name, self._stack)

    def identity(self) -> dict[str, str]:
        """What its table says, the command as its configuration."""
        return {"version": self._stack.version, "configuration": json.dumps(self._stack.definition())}


class CommandSession:
    """Loads by a command, which may keep what it gained in its folder."""

    def __init__(self, engine: Engine, visit: Visit, name: str, stack: OwnStack) -> None:
        self._engine = engine
        self._visit = visit
        self._name = name
        self._stack = stack
        self._runs = 0

    async def prepare(self) -> None:
        """One run whose result counts only by its outcome."""
        page = await self._run("prepare")
        if page.outcome != "ok":
            raise ClientFailed("prepare", f"the unmeasured visit failed: {page.reason}: {page.detail}")

    async def load(self) -> PageLoad:
        """One run."""
        return await self._run("load")

    async def close(self) -> None:
        """Nothing of it goes on."""

    async def _run(self, kind: Literal["prepare", "load"]) -> PageLoad:
        self._runs += 1
        folder = self._visit.folder
        written, said = folder / f"result-{self._runs}.json", folder / f"run-{self._runs}.err"
        limit_s = self._visit.limit_s + GRACE_S
        try:
            ok = await self._engine.request(
                "spawn",
                host=_HOST,
                argv=list(self._stack.argv),
                env=passed_on(self._stack.env) | self._environment(kind, written),
                inherit=False,
                stdout=None,
                stderr=str(said),
                directory=self._stack.directory,
                **({"resolver": True} if self._visit.dns else {}),
            )
        except EngineError as error:
            raise ClientFailed("client", f"{self._name} could not be started: {error.message}") from error
        ended = await self._engine.request(
            "wait", process=ok["process"], timeout_s=limit_s, patience_s=PATIENCE_S + limit_s
        )
        status = ended["status"]
        if status is None:
            await self._engine.request("kill", process=ok["process"])
            detail = f"{self._name} did not end within {limit_s:g} s"
            return PageLoad(outcome="failed", reason="timeout", detail=with_last_lines(detail, said))
        if status != 0:
            raise ClientFailed("client", with_last_lines(f"{self._name} ended with status {status}", said))
        return self._read(written, said)

    def _read(self, written: Path, said: Path) -> PageLoad:
        try:
            return result.read(written)
        except ValueError as error:
            raise ClientFailed("client", with_last_lines(f"{self._name}: {error}", said)) from error

    def _environment(self, kind: str, written: Path) -> dict[str, str]:
        visit = self._visit
        variables = {
            **environment(visit.arm),
            "PRONGHORN_ADDRESS": visit.address,
            "PRONGHORN_DOCUMENT": visit.document,
            "PRONGHORN_FOLDER": str(visit.folder),
            "PRONGHORN_HOST": visit.host_name,
            "PRONGHORN_LIMIT_S": f"{visit.limit_s:g}",
            "PRONGHORN_PORT": str(visit.port),
            "PRONGHORN_RESULT": str(written),
            "PRONGHORN_TOLERATE": json.dumps(visit.tolerate),
            "PRONGHORN_URL": f"https://{visit.host_name}:{visit.port}{visit.document}",
            "PRONGHORN_VISIT": kind,
        }
        return variables | ({"PRONGHORN_AUTHORITY": str(visit.authority)} if visit.authority else {})
