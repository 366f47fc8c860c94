"""nginx: h1 and h2 over the kernel's TCP, h3 over QUIC of its own."""

import re
from pathlib import Path
from typing import Protocol

from pronghorn.engine import Engine
from pronghorn.model.arm import Arm
from pronghorn.model.origin_name import numbers
from pronghorn.origins import (
    kernel_tcp,
    nginx_conf,
    nginx_events,
    nginx_log,
    nginx_lookup,
    nginx_recorded,
    process,
    programs,
    template,
)
from pronghorn.origins.base import OriginLog, OriginSetup
from pronghorn.origins.events import Restartable
from pronghorn.origins.process import Listens, Process
from pronghorn.origins.programs import Program

_NAME = "nginx"
_CONFIGURATION = "nginx.conf"
_LOG = "access.log"
_CLEAR_PORT = "PRONGHORN_CLEAR_PORT"

_GLOBALS = {"daemon": "off", "pid": "nginx.pid", "user": "root"}
"""What nginx gets unless its configuration sets it: to stay in the foreground and in its folder, and to have
workers that may read the site, whosever it is (in a user namespace there is no other user)."""

_CUBIC_SINCE = (1, 27, 5)
_EARLY_DATA_SINCE = (1, 29, 1)
_EARLY_DATA_OPENSSL = (3, 5, 1)
_OPENSSL = re.compile(r"built with (?:OpenSSL|quictls) ([\d.]+)(\S*)")


class Configures(Protocol):
    """Writes a configuration, for arms with 0-RTT (`early_data`) and for those without TLS (`clear`)."""

    def __call__(self, *, early_data: bool, clear: bool) -> str: ...


class Nginx:
    """An nginx of a `version`, or of the newest, as one of `nginx_conf`'s functions `configures` it, or with
    a `configuration`, a person's own as text. InputError where that has a placeholder that is none."""

    def __init__(
        self,
        configures: Configures = nginx_conf.shipped,
        *,
        version: str | None = None,
        configuration: str | None = None,
    ) -> None:
        self._configures = configures
        self._server = programs.Asked(_NAME, version)
        self._own = configuration
        if configuration is not None:
            template.check(configuration, "nginx's configuration")

    def refusal(self, arm: Arm) -> str | None:
        """QUIC's congestion control is what this version has, and 0-RTT needs a newer one than most."""
        quic = self._server.expected()
        if arm.over_quic and arm.control_asked not in (None, *_controls(quic)):
            return f"nginx offers no choice of QUIC's congestion control; this one's is {_control(quic)}"
        if arm.clear and self._own is not None and not template.uses(self._own, _CLEAR_PORT):
            return f"its configuration does not use '${{{_CLEAR_PORT}}}'"
        if not arm.early_data:
            return None
        if self._own is not None and not nginx_conf.says(self._own, "ssl_early_data"):
            return "its configuration does not set 'ssl_early_data'"
        if arm.over_quic and not _early_data_over_quic(self._server.found()):
            return (
                "nginx accepts 0-RTT data over QUIC since 1.29.1 with OpenSSL 3.5.1; this one is "
                f"{_version(self._server.found())}"
            )
        return None

    def replay_refusal(self) -> str | None:
        """A person's own configuration has the files of a folder."""
        return None if self._own is None else "its configuration serves the files of one host"

    def event_refusal(self, do: str) -> str | None:  # noqa: ARG002
        """All events."""
        return None

    def require(self) -> None:
        """There must be an nginx with HTTP/3, of the version that is asked for."""
        self._server.program()

    async def start(self, engine: Engine, setup: OriginSetup) -> "RunningNginx":
        """Starts it in the trial's folder, which is its prefix. What it has to know by name is linked there,
        since nginx takes '$' in most paths for a variable and has no quoting for it."""
        text = self._text(early_data=setup.arm.early_data, clear=setup.arm.clear)
        folder = setup.folder
        (folder / "site").symlink_to(setup.root, target_is_directory=True)
        (folder / "origin.pem").symlink_to(setup.certificates.chain)
        (folder / "origin.key").symlink_to(setup.certificates.key)
        # A person's own configuration may have the headers where no variable can be made for documents.
        documents = setup.document_headers if self._own is None and setup.placed is None else {}
        headers = setup.headers if setup.placed is None else {}
        nginx_lookup.write(setup.root, folder)
        if setup.placed is not None:
            text = nginx_recorded.servers(text, setup.placed.places)
            text = text.replace(nginx_conf.LOG_FORMAT, nginx_recorded.LOG_FORMAT)
            nginx_recorded.write(setup.placed, folder, tells=False)
        values = {
            **template.values(setup, Path(_LOG), nginx_conf.header_lines(headers, documents)),
            "PRONGHORN_CERTIFICATE": "origin.pem",
            "PRONGHORN_KEY": "origin.key",
            "PRONGHORN_ROOT": "site",
        }
        (folder / _CONFIGURATION).write_text(template.fill(text, values), encoding="utf-8")
        argv = [*self._server.program().argv, *_arguments(text)]

        async def begin(number: int) -> Process:
            name = _NAME if number == 1 else f"{_NAME}-{number}"
            return await process.start(engine, name, argv, folder, Listens(setup.port, tcp=True, udp=True))

        server = Restartable(await begin(1), begin)
        log = folder / _LOG if template.uses(text, "PRONGHORN_LOG") else None
        return RunningNginx(engine, setup, server, log)

    def settings(self, arm: Arm) -> dict[str, str]:
        """The sending side: the kernel's, or nginx's QUIC as its source has it."""
        if not arm.over_quic:
            return kernel_tcp.settings(arm.congestion_control)
        quic = self._server.expected()
        buffer = nginx_conf.stream_buffer_bytes(self._text())
        return {
            "transport": f"nginx's QUIC ({_version(self._server.found())})",
            "congestion_control": _control(quic),
            "initial_window": _initial_window(quic),
            "slow_start_until": kernel_tcp.UNTIL_LOSS,
            "stream_buffer": f"{buffer} bytes (http3_stream_buffer_size)",
        }

    def identity(self) -> dict[str, str]:
        """Version, where it comes from, and the configuration before its placeholders are filled in."""
        program = self._server.program()
        configuration = self._text()
        told = {"version": _version(program), "program": program.where, "configuration": configuration}
        if not template.uses(configuration, "PRONGHORN_LOG"):
            told["proof"] = "by the client only: its configuration writes no log to ${PRONGHORN_LOG}"
        return told

    def _text(self, *, early_data: bool = False, clear: bool = False) -> str:
        if self._own is not None:
            return self._own
        return self._configures(early_data=early_data, clear=clear)


class RunningNginx:
    """An nginx on a bench; `log`: its access log, None where it keeps none."""

    def __init__(self, engine: Engine, setup: OriginSetup, server: Restartable, log: Path | None) -> None:
        self._engine = engine
        self._over_quic = setup.arm.over_quic
        self._server = server
        self._log = log
        self._replay = setup.placed.replay if setup.placed is not None else None
        self._counter = nginx_log.LogCounter(log) if log is not None and setup.counts else None
        self._tcp_port = setup.clear_port if setup.arm.clear else setup.port
        self.port = setup.port

    async def log(self) -> OriginLog:
        """Its access log, and the TCP connections that are still open: of its QUIC's control nothing can be
        read back. InputError where a person's own configuration writes the log in another form."""
        open_ones = [] if self._over_quic else await process.tcp_connections(self._engine, self._tcp_port)
        if self._log is None:
            return OriginLog([], open_ones, kept=False)
        if self._counter is not None:
            return OriginLog([], open_ones, counts=self._counter.counts())
        return OriginLog(nginx_log.requests(process.whole_lines(self._log), self._replay), open_ones)

    async def perform(self, do: str) -> float:
        """One of all events."""
        return await nginx_events.perform(self._server, do)

    async def cpu_s(self) -> float | None:
        """That of its process and all below it."""
        return self._server.cpu_s()

    async def ended(self) -> str | None:
        """How its process ended."""
        return await self._server.process.ended()

    def last_lines(self) -> str:
        """The end of its error log."""
        return process.last_lines(*(one.stderr for one in self._server.all))


def _arguments(text: str) -> list[str]:
    unsaid = [f"{name} {value};" for name, value in _GLOBALS.items() if not nginx_conf.says(text, name)]
    told = ["-p", ".", "-c", _CONFIGURATION, "-e", "stderr"]
    return [*told, "-g", " ".join(unsaid)] if unsaid else told


def _controls(version: str) -> tuple[str, ...]:
    return ("cubic",) if numbers(version) >= _CUBIC_SINCE else ()


def _control(version: str) -> str:
    """Before 1.27.5 New Reno, but with `max_udp_payload_size`, 65527 bytes, for RFC 9002's max_datagram_size
    (src/event/quic/ngx_event_quic_ack.c of 1.26.3): neither the RFC's, nor another's."""
    if _controls(version):
        return f"cubic (nginx {version})"
    return f"New Reno that counts a datagram as 65527 bytes (nginx {version})"


def _initial_window(version: str) -> str:
    """RFC 9002 §7.2's, of max_datagram_size (src/event/quic/ngx_event_quic.c)."""
    if _controls(version):
        return "12000 bytes (nginx since 1.27.5)"
    return "131054 bytes, and never less (nginx before 1.27.5)"


def _early_data_over_quic(program: Program | None) -> bool:
    if program is None:
        return False
    if "BoringSSL" in program.said:
        return True
    built = _OPENSSL.search(program.said)
    if built is None:
        return False
    if "+quic" in built[2]:
        return True
    openssl = tuple(int(number) for number in built[1].split("."))
    return program.at_least(*_EARLY_DATA_SINCE) and openssl >= _EARLY_DATA_OPENSSL


def _version(program: Program | None) -> str:
    if program is None:
        return "not on this host"
    library = re.search(r"built with (.+)", program.said)
    return f"nginx {program.version}" + (f", {library[1].strip()}" if library else "")
