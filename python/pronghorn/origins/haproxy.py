"""HAProxy in front of a plain HTTP/1.1 origin, an nginx: h1 and h2 over the kernel's TCP, h3 over QUIC of its
own."""

from pathlib import Path

from pronghorn.engine import Engine
from pronghorn.model import foreign
from pronghorn.model.arm import Arm
from pronghorn.model.origin_name import numbers
from pronghorn.model.trial import OriginRequest
from pronghorn.origins import (
    haproxy_cfg,
    haproxy_recorded,
    kernel_tcp,
    nginx_lookup,
    nginx_recorded,
    process,
    programs,
    template,
)
from pronghorn.origins.base import OriginLog, OriginSetup
from pronghorn.origins.process import Listens, Process
from pronghorn.sites.hosts import Replay

_NAME = "haproxy"
_DEFAULT_CONTROL = "cubic"
_CONTROLS = {"cubic": (2, 8), "newreno": (2, 8), "bbr": (3, 1)}
_BBR_VERSION = ", BBR v3"
"""As src/quic_cc_bbr.c says of itself."""
_NO_BUFFER_LIMIT_SINCE = (3, 1)
_WINDOW, _TUNED_WINDOW = 480 * 1024, 8 * 1024 * 1024
"""The most that a QUIC connection has on the way, as `haproxy_cfg` tells."""
_WITHOUT_EARLY_DATA = "+QUIC_OPENSSL_COMPAT"
_UNSET = "-"
"""What the log has of a variable that isn't set: of the path of a connection that ended without a request."""

_NO_LENGTH = ("", _UNSET)
"""What the log has of an answer without Content-Length, such as a 204."""

_PROTOCOLS = {"HTTP/1.0": "h1", "HTTP/1.1": "h1", "HTTP/2.0": "h2", "HTTP/3.0": "h3"}


class HAProxy:
    """HAProxy of a `version`, or of the newest, as it ships, or `tuned` for fast or long paths as
    `haproxy_cfg` says."""

    def __init__(self, *, tuned: bool = False, version: str | None = None) -> None:
        self._tuned = tuned
        self._server = programs.Asked(_NAME, version)

    def refusal(self, arm: Arm) -> str | None:
        """QUIC's congestion control is a matter of HAProxy's version, its 0-RTT one of the TLS library."""
        if arm.clear:
            return "it is configured to listen over TLS only"
        if not arm.over_quic:
            return None
        control = arm.control_asked or _DEFAULT_CONTROL
        program = self._server.found()
        since = _CONTROLS[control]
        version = self._server.expected()
        if numbers(version) < since:
            return f"its QUIC has {control} since {since[0]}.{since[1]}; this HAProxy is {version}"
        if not arm.early_data:
            return None
        if program is None:
            # The mend is told where HAProxy is required; here it can only be left out of those who can.
            return "there is no such HAProxy on this host"
        if _WITHOUT_EARLY_DATA in program.said:
            return f"HAProxy {program.version} with OpenSSL's own TLS accepts no 0-RTT data over QUIC"
        return None

    def replay_refusal(self) -> str | None:
        """It serves every recorded site."""
        return None

    def require(self) -> None:
        """A HAProxy with QUIC, of the version that is asked for, and an nginx."""
        self._server.program()
        programs.find("nginx")

    async def start(self, engine: Engine, setup: OriginSetup) -> "RunningHAProxy":
        """Starts nginx, then HAProxy; OriginFailed with what the one that failed said."""
        folder = setup.folder
        (folder / "site").symlink_to(setup.root, target_is_directory=True)
        (folder / "origin.pem").symlink_to(setup.certificates.chain)
        # HAProxy looks for the key of a certificate in the file of this name.
        (folder / "origin.pem.key").symlink_to(setup.certificates.key)
        text, behind_text, headers = self._text(setup.arm), haproxy_cfg.NGINX, ""
        if setup.placed is not None:
            text = haproxy_recorded.front(text, setup.placed.places, folder)
            behind_text = haproxy_recorded.behind(behind_text)
            nginx_recorded.write(setup.placed, folder, tells=True)
        else:
            nginx_lookup.write(setup.root, folder)
            headers = haproxy_cfg.header_lines(setup.headers, setup.document_headers)
        (folder / "nginx.conf").write_text(behind_text, encoding="utf-8")
        values = template.values(setup, Path(), headers)
        (folder / "haproxy.cfg").write_text(
            template.fill(haproxy_cfg.at(text, setup.address), values), encoding="utf-8"
        )
        behind = await process.start(
            engine,
            "nginx",
            [*programs.find("nginx").argv, "-e", "stderr", "-p", ".", "-c", "nginx.conf"],
            folder,
            folder / haproxy_cfg.SOCKET,
        )
        front = await process.start(
            engine,
            "haproxy",
            [*self._server.program().argv, "-db", "-f", "haproxy.cfg"],
            folder,
            Listens(setup.port),
        )
        replay = setup.placed.replay if setup.placed is not None else None
        return RunningHAProxy(engine, front, behind, setup.port, replay)

    def settings(self, arm: Arm) -> dict[str, str]:
        """The sending side: the kernel's, or HAProxy's QUIC as its source has it."""
        if not arm.over_quic:
            return kernel_tcp.settings(arm.congestion_control)
        bbr = arm.control_asked == "bbr"
        until = kernel_tcp.UNTIL_PLATEAU if bbr else kernel_tcp.UNTIL_LOSS
        version = f"HAProxy {self._server.expected()}" + (_BBR_VERSION if bbr else "")
        return {
            "transport": f"HAProxy's QUIC ({self._server.expected()})",
            "congestion_control": f"{arm.control_asked or _DEFAULT_CONTROL} ({version})",
            "initial_window": "12520 bytes (10 packets, HAProxy 3.0)",
            "slow_start_until": until,
            "stream_buffer": f"{_TUNED_WINDOW if self._tuned else _WINDOW} bytes (of a connection)",
        }

    def identity(self) -> dict[str, str]:
        """Both programs' versions and configurations, HAProxy's with its placeholders."""
        front, behind = self._server.program(), programs.find("nginx")
        return {
            "version": front.version,
            "program": front.where,
            "configuration": self._configuration(early_data=False, control=None),
            "behind": f"nginx {behind.version}",
            "behind_configuration": haproxy_cfg.NGINX,
        }

    def _text(self, arm: Arm) -> str:
        return self._configuration(
            early_data=arm.early_data, control=arm.control_asked if arm.over_quic else None
        )

    def _configuration(self, *, early_data: bool, control: str | None) -> str:
        return haproxy_cfg.haproxy(
            tuned=self._tuned,
            buffers=not self._server.program().at_least(*_NO_BUFFER_LIMIT_SINCE),
            early_data=early_data,
            control=control,
        )


class RunningHAProxy:
    """HAProxy in a bench, `front`, and the nginx `behind` it."""

    def __init__(
        self, engine: Engine, front: Process, behind: Process, port: int, replay: Replay | None = None
    ) -> None:
        self._replay = replay
        self._engine = engine
        self._front = front
        self._behind = behind
        self.port = port

    async def log(self) -> OriginLog:
        """HAProxy's access log, and the TCP connections that clients have with it."""
        lines = process.whole_lines(self._front.stdout)
        requests = [request for line in lines if (request := parse(line, self._replay))]
        return OriginLog(requests, await process.tcp_connections(self._engine, self.port))

    async def cpu_s(self) -> float | None:
        """That of both together."""
        front_s, behind_s = self._front.cpu_s(), self._behind.cpu_s()
        return None if front_s is None or behind_s is None else front_s + behind_s

    async def ended(self) -> str | None:
        """How the first of both that did so ended."""
        return await self._front.ended() or await self._behind.ended()

    def last_lines(self) -> str:
        """The end of what both said of faults."""
        return process.last_lines(self._behind.stderr, self._front.stderr)


def parse(line: str, replay: Replay | None = None) -> OriginRequest | None:
    """A line of the access log as `haproxy_cfg` has it, or `haproxy_recorded` of a recorded site; None where
    the line is none of a request."""
    try:
        entry = foreign.json_table(line)
        served_ms = entry.get("served_ms", -1)
        path = entry["path"]
        if path == _UNSET:
            return None
        return OriginRequest(
            path=path if replay is None else replay.named(entry["host"].partition(":")[0], path),
            method=entry.get("method"),
            matched=entry.get("matched"),
            protocol=_PROTOCOLS.get(entry["protocol"]),
            status=entry["status"],
            bytes=0 if entry["bytes"] in _NO_LENGTH else int(entry["bytes"]),
            served_s=served_ms / 1e3 if served_ms >= 0 else None,
        )
    except (ValueError, KeyError, TypeError):
        return None
