"""Hosts that `pronghorn check` looks at: nginx as configured well, with one fault each."""

import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pronghorn.certificates import HOST_NAME
from pronghorn.check import Report, Settings, Target, examine
from pronghorn.origins import programs

from . import echo_application, faulty_quic, made_certificates, name_server
from .faulty_quic import Faults
from .made_certificates import Identity
from .ports import free_port

LIMIT_S = 30.0
ALIAS = "edge.pronghorn.test"
PAGE = "<!doctype html><title>Checked</title>".ljust(700)
ADVERTISED = "add_header Alt-Svc 'h3=\":PORT\"; ma=86400' always;"
FORWARDS = """
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header Forwarded "";
    proxy_set_header Early-Data $ssl_early_data;
"""

_CONFIGURATION = """\
worker_processes 1; daemon off; pid nginx.pid; user root; error_log stderr notice;
events { }
http {
    access_log off; types { text/html html; }
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    map "$ssl_early_data:$request_method" $too_early { default ""; "~^1:(?!GET|HEAD)" 1; }
    HTTP
    server {
        LISTEN
        ssl_certificate CHAIN; ssl_certificate_key KEY;
        ssl_early_data DATA;
        SERVER
        ADVERTISED
        location / { root ROOT; LOCATION }
        location = /echo { EARLY proxy_pass http://127.0.0.1:APPLICATION; FORWARDS }
    }
}
"""


@dataclass(frozen=True)
class Host:
    """One host, sound but for what differs from these defaults. Directives may name PORT, OTHER (another
    one), ROOT, CHAIN and KEY. `bound` is the address on which it listens, `listen` more of them. With
    `faults` a server of our own takes its UDP, with `silent_udp` nobody answers it. `record` is an HTTPS
    record's data, `alias` that of ALIAS."""

    http: str = ""
    server: str = ""
    location: str = ""
    advertised: str = ADVERTISED
    forwards: str = FORWARDS
    early_data: str = "on"
    early: str = "if ($too_early) { return 425; }"
    h2: bool = True
    quic: bool = True
    faults: Faults | None = None
    silent_udp: bool = False
    certificate: str = "sound"
    record: str | None = None
    alias: str | None = None
    addresses: tuple[str, ...] = ("127.0.0.1",)
    bound: str = "127.0.0.1"
    listen: str = ""
    page: str = PAGE
    quic_page: str | None = None


class Running(NamedTuple):
    """A host that answers, and how a check reaches it."""

    target: Target
    settings: Settings


@contextmanager
def program(argv: list[str], folder: Path, port: int) -> Iterator[None]:
    """A server's program, once it listens on TCP."""
    said = folder / "said"
    with said.open("wb") as out:
        process = subprocess.Popen(argv, cwd=folder, stdout=out, stderr=out)
    try:
        end = time.monotonic() + LIMIT_S
        while not _listens(port):
            assert process.poll() is None, said.read_text(errors="replace")
            assert time.monotonic() < end, said.read_text(errors="replace")
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(timeout=LIMIT_S)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def nginx(folder: Path) -> list[str]:
    """The command that runs nginx in a folder."""
    return [*programs.find("nginx").argv, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]


def write(host: Host, folder: Path, port: int, application: int = 1) -> Identity:
    """nginx's configuration, page and certificate, in a folder."""
    identity = made_certificates.make(host.certificate, folder / "identity")
    root = folder / "root"
    root.mkdir()
    (root / "index.html").write_text(host.page, encoding="utf-8")
    text = filled(
        _configuration(host), identity, PORT=port, OTHER=free_port(), APPLICATION=application, ROOT=root
    )
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    return identity


def filled(text: str, identity: Identity, **values: object) -> str:
    """A configuration whose words in capitals are replaced, CHAIN and KEY by the identity's files."""
    for word, value in {**values, "CHAIN": identity.chain, "KEY": identity.key}.items():
        text = text.replace(word, str(value))
    return text


@asynccontextmanager
async def running(host: Host, folder: Path) -> AsyncIterator[Running]:
    """The host, its name server and its application."""
    port = free_port()
    async with AsyncExitStack() as stack:
        identity = write(host, folder, port, stack.enter_context(echo_application.answering()))
        stack.enter_context(program(nginx(folder), folder, port))
        if host.silent_udp:
            udp = stack.enter_context(socket.socket(type=socket.SOCK_DGRAM))
            udp.bind(("127.0.0.1", port))
        if host.faults is not None:
            headers = {"content-type": "text/html", "alt-svc": f'h3=":{port}"; ma=86400'}
            body = (host.quic_page or host.page).encode()
            serving = faulty_quic.serving(port, identity.chain, identity.key, body, headers, host.faults)
            await stack.enter_async_context(serving)
        records = {(HOST_NAME, "A"): list(host.addresses)}
        if host.record is not None:
            records[f"_{port}._https.{HOST_NAME}", "HTTPS"] = [host.record.replace("PORT", str(port))]
        if host.alias is not None:
            records[ALIAS, "HTTPS"] = [host.alias.replace("PORT", str(port))]
            records[ALIAS, "A"] = ["127.0.0.1"]
        resolver = await stack.enter_async_context(name_server.answering(records))
        echo = "/echo" if host.faults is None else None
        settings = Settings(authorities=identity.authority, resolver=resolver, echo=echo)
        yield Running(Target(HOST_NAME, port, "/"), settings)


def _configuration(host: Host) -> str:
    listen = [f"listen {host.bound}:PORT ssl;"]
    if host.quic and host.faults is None and not host.silent_udp:
        listen.append(f"listen {host.bound}:PORT quic reuseport;")
    if host.h2:
        listen.append("http2 on;")
    filled = _CONFIGURATION
    for name, text in {
        "LISTEN": " ".join([*listen, host.listen]),
        "HTTP\n": f"{host.http}\n",
        "SERVER": host.server,
        "ADVERTISED": host.advertised,
        "LOCATION": host.location,
        "EARLY": host.early,
        "DATA": host.early_data,
        "FORWARDS": host.forwards,
    }.items():
        filled = filled.replace(name, text)
    return filled


async def checked(host: Host, folder: Path, *expected: str) -> Report:
    """What a check says of the host; again if it says anything else than expected, since a busy machine may
    answer too late, or not at all."""
    async with running(host, folder) as one:
        for _ in range(2):
            report = await examine(one.target, one.settings)
            if set(expected) == codes(report):
                return report
        return await examine(one.target, one.settings)


def codes(report: Report) -> set[str]:
    """The kinds of its findings."""
    return {each.code for each in report.findings}


@contextmanager
def silent_host() -> Iterator[tuple[int, int]]:
    """A port where neither TCP nor UDP answers, and one of a name server that doesn't either. TCP is silent
    because the queue of connections is full: Linux drops further SYNs."""
    port = free_port()
    with ExitStack() as stack:
        tcp, udp, resolver = (
            stack.enter_context(socket.socket(type=kind))
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_DGRAM)
        )
        tcp.bind(("127.0.0.1", port))
        tcp.listen(0)
        udp.bind(("127.0.0.1", port))
        resolver.bind(("127.0.0.1", 0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.1", port))
        yield port, resolver.getsockname()[1]
