"""Where load generators are measured: two network namespaces joined by a veth pair of 1500 bytes, whose
routes have CUBIC locked; in one of them nginx with one worker, once as it ships and once with HTTP/3's two
settings for fast paths, and the built-in origin, all of which serve the same site with the same headers."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.model.media_types import MEDIA_TYPES, OTHER
from pronghorn.origins import programs

CLIENT_ADDRESS, SERVER_ADDRESS = "198.18.0.1", "198.18.0.2"
CONTROL = "cubic"
SMALL_BYTES, LARGE_BYTES = 612, 10_000_000
SMALL, LARGE = "/", "/large.bin"
NGINX, TUNED, BUILTIN, BEHIND = "nginx", "nginx:tuned", "builtin", "behind"
"""The last: nginx behind a proxy on the client's host, which `lost_flight.py` runs."""
PORTS = {NGINX: 443, TUNED: 444, BUILTIN: 8443, BEHIND: 445}
_QUIC = {NGINX: "", TUNED: "http3_stream_buffer_size 8m; quic_gso on;"}
"""What each nginx has beside its defaults, a buffer of 64 KiB and a system call a datagram."""
_BENCH = Path(__file__).parent
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_PATIENCE_S = 15.0

_NGINX = """\
daemon off;
master_process off;
worker_processes 1;
error_log FOLDER/error.log warn;
pid FOLDER/pid;
events { worker_connections 2048; }
http {
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    types { TYPES }
    default_type OTHER;
    client_body_temp_path FOLDER/body;
    proxy_temp_path FOLDER/proxy;
    fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi;
    scgi_temp_path FOLDER/scgi;
    QUIC
    server {
        listen ADDRESS:PORT quic reuseport;
        listen ADDRESS:PORT ssl;
        http2 on;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate CHAIN;
        ssl_certificate_key KEY;
        root SITE;
    }
}
"""

# Asks for `/` over HTTP/1.1 and writes the response's headers as JSON.
_ASKS = """\
import http.client, json, socket, ssl, sys
address, port, authority, name = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
connection = http.client.HTTPSConnection(name, int(port), context=context)
connection.sock = context.wrap_socket(socket.create_connection((address, int(port))), server_hostname=name)
connection.request("GET", "/")
print(json.dumps([[key.lower(), value] for key, value in connection.getresponse().getheaders()]))
"""

_OWN = {"connection", "content-length", "content-type", "etag", "transfer-encoding"}
"""What the built-in origin sets itself, and what HTTP/1.1 alone has."""


class Lab(NamedTuple):
    """The lab while it stands. `servers`: the process of each, by its name."""

    client: str
    server: str
    identity: Certificates
    servers: dict[str, int]

    def in_client(self, argv: Sequence[str]) -> list[str]:
        """The words that run a program in the client's namespace."""
        return _within(self.client, argv)

    def url(self, server: str, path: str) -> str:
        """Where a server has a path; its name's address is not to be looked up."""
        return f"https://{HOST_NAME}:{PORTS[server]}{path}"

    @staticmethod
    def address(server: str) -> str:
        """Where its name is."""
        return CLIENT_ADDRESS if server == BEHIND else SERVER_ADDRESS

    def controls(self) -> set[str]:
        """The congestion controls of all TCP connections in either namespace, as the kernel tells them."""
        said = [_run(_within(namespace, ["ss", "-tinH"])) for namespace in (self.client, self.server)]
        return set(" ".join(said).split()) & set(_AVAILABLE.read_text(encoding="utf-8").split())


@contextlib.contextmanager
def standing() -> Iterator[Lab]:
    """Sets the lab up, and takes all of it away. SystemExit with the reason where that can't be."""
    with contextlib.ExitStack() as stack:
        client, server = stack.enter_context(_namespaces())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pronghorn-bench-")))
        identity = certificates.make(folder)
        site = folder / "site"
        site.mkdir()
        (site / "index.html").write_text("<!doctype html><title>612</title>".ljust(SMALL_BYTES))
        (site / LARGE.strip("/")).write_bytes(bytes(LARGE_BYTES))
        servers = {
            name: stack.enter_context(_nginx(name, server, folder, site, identity)) for name in (NGINX, TUNED)
        }
        headers = _headers(client, identity, NGINX)
        servers[BUILTIN] = stack.enter_context(_builtin(server, site, identity, headers))
        _compare(headers, _headers(client, identity, BUILTIN))
        yield Lab(client, server, identity, servers)


@contextlib.contextmanager
def _namespaces() -> Iterator[tuple[str, str]]:
    client, server = (f"pronghorn-bench-{os.getpid()}-{side}" for side in ("client", "server"))
    try:
        for name in (client, server):
            _run(["ip", "netns", "add", name])
        pair = ["link", "add", "near", "mtu", "1500", "type", "veth", "peer", "name", "far", "mtu", "1500"]
        _run(["ip", "-n", client, *pair, "netns", server])
        for name, device, address in ((client, "near", CLIENT_ADDRESS), (server, "far", SERVER_ADDRESS)):
            _run(["ip", "-n", name, "address", "add", f"{address}/24", "dev", device])
            _run(["ip", "-n", name, "link", "set", "lo", "up"])
            _run(["ip", "-n", name, "link", "set", device, "up"])
            route = ["198.18.0.0/24", "dev", device, "src", address, "congctl", "lock", CONTROL]
            _run(["ip", "-n", name, "route", "replace", *route])
        yield client, server
    finally:
        for name in (client, server):
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def _nginx(name: str, server: str, above: Path, site: Path, identity: Certificates) -> Iterator[int]:
    folder = above / str(PORTS[name])
    folder.mkdir()
    types = " ".join(f'"{kind}" {" ".join(endings)};' for kind, endings in MEDIA_TYPES.items())
    text = _NGINX
    settings = {"FOLDER": folder, "TYPES": types, "OTHER": OTHER, "QUIC": _QUIC[name], "SITE": site}
    settings |= {"ADDRESS": SERVER_ADDRESS, "PORT": PORTS[name], "CHAIN": identity.chain, "KEY": identity.key}
    for placeholder, value in settings.items():
        text = text.replace(placeholder, str(value))
    configuration = folder / "nginx.conf"
    configuration.write_text(f"user root;\n{text}")
    argv = [*programs.find("nginx").argv, "-p", str(folder), "-c", str(configuration)]
    with _running(_within(server, argv), stderr=subprocess.DEVNULL) as process:
        _listening(server, PORTS[name], process, folder / "error.log")
        yield process.pid


@contextlib.contextmanager
def _builtin(server: str, site: Path, identity: Certificates, headers: dict[str, str]) -> Iterator[int]:
    argv = [sys.executable, str(_BENCH / "standalone_origin.py"), str(site), "--address", SERVER_ADDRESS]
    argv += ["--certificate", str(identity.chain), "--key", str(identity.key)]
    argv += ["--port", str(PORTS[BUILTIN]), "--tcp", CONTROL, "--quic", CONTROL]
    argv += [f"--header={name}:{value}" for name, value in headers.items() if name not in _OWN]
    within = _within(server, argv)
    with _running(within, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline() if process.stdout else ""
        if not said:
            raise SystemExit("the built-in origin did not start")
        yield int(json.loads(said)["engine"])


@contextlib.contextmanager
def _running(argv: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    process = subprocess.Popen(argv, start_new_session=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        _close(process.stdin, process.stdout)


def _close(*pipes: IO[Any] | None) -> None:
    for pipe in pipes:
        if pipe is not None:
            pipe.close()


def _listening(server: str, port: int, process: subprocess.Popen[Any], said: Path) -> None:
    """Waits until something listens on the port."""
    deadline = time.monotonic() + _PATIENCE_S
    while f":{port} " not in _run(_within(server, ["ss", "-tlnH"])):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"nginx does not listen: {said.read_text() if said.exists() else ''}")
        time.sleep(0.02)


def _headers(client: str, identity: Certificates, server: str) -> dict[str, str]:
    """What a server says of `/` over HTTP/1.1."""
    words = [SERVER_ADDRESS, str(PORTS[server]), str(identity.authority), HOST_NAME]
    return dict(json.loads(_run(_within(client, [sys.executable, "-I", "-c", _ASKS, *words]))))


def _compare(nginx: dict[str, str], builtin: dict[str, str]) -> None:
    """Headers of another number or length would make one of the two servers the faster one. Each chooses its
    entity tag's length: the built-in origin's has 4 bytes more."""
    lengths = [
        {name: len(value) for name, value in headers.items() if name not in ("connection", "etag")}
        for headers in (nginx, builtin)
    ]
    if lengths[0] != lengths[1]:
        raise SystemExit(f"nginx answers with {nginx}, the built-in origin with {builtin}")


def _within(namespace: str, argv: Sequence[str]) -> list[str]:
    return ["nsenter", f"--net=/run/netns/{namespace}", *argv]


def _run(argv: Sequence[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout
