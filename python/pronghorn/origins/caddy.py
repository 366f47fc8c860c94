"""Caddy: h1 and h2 over the kernel's TCP by Go's net/http, h3 over quic-go."""

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pronghorn.engine import Engine
from pronghorn.errors import HostError
from pronghorn.model import foreign
from pronghorn.model.arm import Arm
from pronghorn.model.events import KILL_WORKER, RELOAD
from pronghorn.model.trial import OriginRequest
from pronghorn.origins import caddy_recorded, caddyfile, kernel_tcp, process, programs, template
from pronghorn.origins.base import OriginFailed, OriginLog, OriginSetup
from pronghorn.origins.events import ONE_PROCESS, Restartable
from pronghorn.origins.process import Listens, Process
from pronghorn.sites.hosts import Replay

TUNING = {"GOGC": "400"}
"""What `caddy:tuned` sets in Caddy's environment. Caddy's configuration has nothing for windows, buffers,
priorities or congestion control, and its socket buffers and segmentation offload are at quic-go's maximum
already; what is left is Go's memory: at 400 % instead of 100 % its collector runs a quarter as often."""

_NAME = "caddy"
_CONTROL = "newreno"
_QUIC = {
    "initial_window": "38400 bytes (32 packets, quic-go 0.63.0 under Caddy 2.11)",
    "slow_start_until": "signs of a queue (hybrid slow start, quic-go 0.63.0), or the first loss",
}
_QUIC_GO = re.compile(r"quic-go/quic-go\s+v([\d.]+)")
_PROTOCOLS = {"HTTP/1.1": "h1", "HTTP/2.0": "h2", "HTTP/3.0": "h3"}
_OTHER_DURATIONS = re.compile(r"\bduration_format\b")
"""What a configuration says that has the log's durations in another form than seconds."""

_NO_EARLY_DATA = re.compile(r'^\s*0rtt\s+off\b|"allow_0rtt"\s*:\s*false', re.MULTILINE)


class Caddy:
    """Caddy of a `version`, or of the newest, as it ships; with `tuned` as `TUNING` says; with a
    `configuration`, the text of a Caddyfile or of Caddy's JSON, as a person has configured it. InputError
    where that has a placeholder which is none."""

    def __init__(
        self, *, tuned: bool = False, version: str | None = None, configuration: str | None = None
    ) -> None:
        self._tuned = tuned
        self._server = programs.Asked(_NAME, version)
        self._own = configuration
        if configuration is not None:
            template.check(configuration, "Caddy's configuration")

    def refusal(self, arm: Arm) -> str | None:
        """It leaves QUIC's congestion control to quic-go, and Go's TLS takes no 0-RTT data over TCP."""
        if arm.over_quic and arm.control_asked not in (None, _CONTROL):
            return f"quic-go runs New Reno and offers no choice; '@{_CONTROL}' names what it runs"
        if arm.early_data and not arm.over_quic:
            return "Go's TLS accepts 0-RTT data over QUIC only"
        if arm.clear:
            return "it is configured to listen over TLS only"
        if self._own is not None and arm.over_quic and arm.prepared:
            taken = _NO_EARLY_DATA.search(self._own) is None
            if arm.early_data and not taken:
                return "its configuration switches 0-RTT off"
            if taken and not arm.early_data:
                return "its configuration does not disable 0-RTT, so the arm could use it"
        return None

    def replay_refusal(self) -> str | None:
        """A person's own configuration has the files of a folder."""
        return None if self._own is None else "its configuration serves the files of one host"

    def event_refusal(self, do: str) -> str | None:
        """It can be restarted, and reloaded with a configuration of ours."""
        if do == KILL_WORKER:
            return ONE_PROCESS
        if do == RELOAD and self._own is not None:
            return "its configuration may say nothing of the interface by which Caddy is reloaded"
        return None

    def require(self) -> None:
        """There must be a Caddy that can switch 0-RTT off, of the version that is asked for."""
        self._server.program()

    async def start(self, engine: Engine, setup: OriginSetup) -> "RunningCaddy":
        """Starts it; OriginFailed with the end of its own log where it does not get ready."""
        log = setup.folder / "access.log"
        text = self._configuration(
            early_data=setup.arm.early_data,
            documents=setup.document_headers,
            reloads=RELOAD in setup.events,
        )
        in_json = self._json or setup.placed is not None
        config = setup.folder / ("caddy.json" if in_json else "Caddyfile")
        if setup.placed is None:
            (setup.folder / "lookup").write_text(caddyfile.lookup_lines(setup.root), encoding="utf-8")
            config.write_text(template.fill(text, self._values(setup, log)), encoding="utf-8")
        else:
            early = setup.arm.early_data
            recorded = caddy_recorded.configuration(
                setup.placed, setup.folder, log, port=setup.port, early_data=early
            )
            config.write_text(recorded, encoding="utf-8")
        adapter = () if in_json else ("--adapter", "caddyfile")
        where = ("--config", str(config), *adapter)
        argv, environment = self._server.program().argv, self._environment(setup.folder)

        async def begin(number: int) -> Process:
            return await process.start(
                engine,
                _NAME if number == 1 else f"{_NAME}-{number}",
                (*argv, "run", *where),
                setup.folder,
                Listens(setup.port),
                environment=environment,
            )

        async def reload() -> None:
            told = ("--address", caddyfile.ADMIN, "--force")
            await process.succeed(
                engine,
                "caddy-reload",
                (*argv, "reload", *where, *told),
                setup.folder,
                environment=environment,
            )

        try:
            server = Restartable(await begin(1), begin)
        except OriginFailed as failure:
            raise OriginFailed(f"{failure}{await self._complaint(engine, where, setup.folder)}") from None
        return RunningCaddy(
            engine,
            server,
            reload,
            setup.port,
            log if template.uses(text, "PRONGHORN_LOG") else None,
            in_seconds=_OTHER_DURATIONS.search(text) is None,
            replay=setup.placed.replay if setup.placed is not None else None,
        )

    def settings(self, arm: Arm) -> dict[str, str]:
        """As read in quic-go's and Caddy's sources."""
        if not arm.over_quic:
            return kernel_tcp.settings(arm.congestion_control)
        return {"transport": "quic-go", "congestion_control": f"newreno ({self._quic_go()})", **_QUIC}

    def identity(self) -> dict[str, str]:
        """Caddy's version, where it was found, and its configuration with its placeholders."""
        program = self._server.program()
        found = {
            "version": program.version,
            "program": program.where,
            "configuration": self._configuration(early_data=False),
        }
        if self._tuned:
            found["environment"] = " ".join(f"{name}={value}" for name, value in TUNING.items())
        return found

    def _quic_go(self) -> str:
        """The library with the version that Caddy was built with."""
        try:
            found = _QUIC_GO.search(self._server.program().said)
        except HostError:
            return "quic-go"
        return f"quic-go {found[1]}" if found else "quic-go"

    async def _complaint(self, engine: Engine, where: tuple[str, ...], folder: Path) -> str:
        """What Caddy has against its configuration, as a last line. `caddy run` buffers its log when it
        starts, and the error by which it ends is lost with that (Caddy 2.11.7)."""
        said = await process.run(
            engine,
            "caddy-validate",
            (*self._server.program().argv, "validate", *where),
            folder,
            environment=self._environment(folder),
        )
        errors = [line for line in process.whole_lines(said) if '"level":"error"' in line]
        return "".join(f"\n{line}" for line in errors[-1:])

    @property
    def _json(self) -> bool:
        return self._own is not None and _is_json(self._own)

    def _configuration(
        self,
        *,
        early_data: bool,
        documents: Mapping[str, str] = MappingProxyType({}),
        reloads: bool = False,
    ) -> str:
        if self._own is not None:
            return self._own
        return caddyfile.template(early_data=early_data, documents=documents, reloads=reloads)

    def _values(self, setup: OriginSetup, log: Path) -> dict[str, str]:
        headers = caddyfile.header_object if self._json else caddyfile.header_lines
        values = template.values(setup, log, "")
        escaped = {name: caddyfile.escaped(value) for name, value in values.items()}
        return escaped | {"PRONGHORN_HEADERS": headers(setup.headers)}

    def _environment(self, folder: Path) -> dict[str, str]:
        """Caddy keeps what it writes in its own folder."""
        own = {name: str(folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
        return own | (TUNING if self._tuned else {})


class RunningCaddy:
    """Caddy in a bench; `log`: its access log, None where it keeps none. Where that has its durations not
    `in_seconds`, nothing is known of them."""

    def __init__(
        self,
        engine: Engine,
        server: Restartable,
        reload: Callable[[], Awaitable[None]],
        port: int,
        log: Path | None,
        *,
        in_seconds: bool,
        replay: Replay | None = None,
    ) -> None:
        self._replay = replay
        self._engine = engine
        self._server = server
        self._reload = reload
        self._log = log
        self._in_seconds = in_seconds
        self.port = port

    async def log(self) -> OriginLog:
        """Its access log, and the TCP connections that it has."""
        connections = await process.tcp_connections(self._engine, self.port)
        if self._log is None:
            return OriginLog([], connections, kept=False)
        lines = process.whole_lines(self._log)
        requests = [request for line in lines if (request := parse(line, self._replay))]
        if not self._in_seconds:
            requests = [request.model_copy(update={"served_s": None}) for request in requests]
        return OriginLog(requests, connections)

    async def perform(self, do: str) -> float:
        """A reload by its administration interface, or a restart."""
        if do != RELOAD:
            return await self._server.restart()
        began_s = time.monotonic()
        await self._reload()
        return began_s

    async def cpu_s(self) -> float | None:
        """That of its process and all below it."""
        return self._server.cpu_s()

    async def ended(self) -> str | None:
        """How its process ended."""
        return await self._server.process.ended()

    def last_lines(self) -> str:
        """The end of its log of itself."""
        return process.last_lines(*(one.stderr for one in self._server.all))


def _is_json(configuration: str) -> bool:
    """Whether it is JSON once its placeholders are filled in; a Caddyfile begins with a brace as well."""
    try:
        foreign.json(template.fill(configuration, dict.fromkeys(template.PLACEHOLDERS, "0")))
    except ValueError:
        return False
    return True


def parse(line: str, replay: Replay | None = None) -> OriginRequest | None:
    """A line of Caddy's access log, JSON as it ships, of a recorded site with its host; None where the line
    is none of a request."""
    try:
        entry = foreign.json_table(line)
        request, duration = entry["request"], entry.get("duration")
        path = request["uri"]
        return OriginRequest(
            path=path if replay is None else replay.named(request["host"].partition(":")[0], path),
            matched=entry.get("matched"),
            protocol=_PROTOCOLS.get(request["proto"]),
            status=entry["status"],
            bytes=entry["size"],
            served_s=duration if isinstance(duration, int | float) else None,
        )
    except (ValueError, KeyError, TypeError):
        return None
