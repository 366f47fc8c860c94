"""The configurations of deploy/, as they stand there but for the host's own: `SUBSTITUTIONS` has all that is
replaced. An application that answers with what it gets runs behind each."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.origins import programs

from .benches import PROGRAMS

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVERS = ("nginx", "caddy", "haproxy")

APP_PORT = 8080
APP_LOG = "app.jsonl"
APP_RAW = "app.raw"

CHAIN, KEY, BOTH = "origin.pem", "origin.key", "both.pem"

SUBSTITUTIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "nginx": MappingProxyType(
            {
                "/etc/nginx/tls/fullchain.pem": CHAIN,
                "/etc/nginx/tls/privkey.pem": KEY,
                "/etc/nginx/": "",
                "/var/www/acme": "acme",
                "/var/log/nginx/": "",
            }
        ),
        "caddy": MappingProxyType({"tls admin@example.com": f"tls {CHAIN} {KEY}"}),
        "haproxy": MappingProxyType(
            {"/etc/haproxy/example.com.pem": BOTH, "127.0.0.1:8888": f"127.0.0.1:{APP_PORT}"}
        ),
    }
)
"""Paths and certificates of each server's files, the first first. Relative ones are in the folder in which it
is started."""

NAMES: Mapping[str, str] = MappingProxyType({"example.com": HOST_NAME, "app:8080": f"127.0.0.1:{APP_PORT}"})
"""And the names in all of them."""

EARLY_DATA: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "nginx": MappingProxyType(
            {"ssl_early_data      off;": "ssl_early_data on;", "quic_retry          off;": "quic_retry on;"}
        ),
        "haproxy": MappingProxyType(
            {
                "alpn h2,http/1.1\n": "alpn h2,http/1.1 allow-0rtt\n",
                "alpn h3\n": "alpn h3 allow-0rtt quic-force-retry\n",
            }
        ),
        "caddy": MappingProxyType({"\t\t0rtt off\n": ""}),
    }
)
"""What the files tell to write where 0-RTT is wanted. Caddy's tells that it can't be had safely."""

CHALLENGE = "/.well-known/acme-challenge/token"
"""The path at which an authority asks for a proof of the name."""

_FILES = {
    "nginx": ("nginx.conf", "forwarded.conf"),
    "caddy": ("Caddyfile",),
    "haproxy": ("haproxy.cfg",),
}

_NGINX_HOST = {
    # What packages give: an unpacked nginx has no user and no folders of its own.
    "modules-enabled/host.conf": "user root;\npid nginx.pid;\n",
    # What certbot writes while an authority asks.
    f"acme{CHALLENGE}": "",
    "http3.d/host.conf": "".join(
        f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    ),
}


def lay_out(
    server: str, folder: Path, identity: Certificates, edits: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Writes what a server of `SERVERS`, perhaps of an older version, needs to `folder`: its files of deploy/
    with their substitutions, and `edits` of the main one, each of which has to find its place."""
    kind = _name(server)
    for name in _FILES[kind]:
        put(f"{kind}/{name}", folder / name)
    main = folder / _FILES[kind][0]
    text = main.read_text(encoding="utf-8")
    for old in edits:
        assert old in text, f"{main.name} does not say {old!r}"
    main.write_text(replaced(text, edits), encoding="utf-8")
    (folder / CHAIN).symlink_to(identity.chain)
    (folder / KEY).symlink_to(identity.key)
    (folder / BOTH).write_bytes(identity.chain.read_bytes() + identity.key.read_bytes())
    if kind == "nginx":
        (folder / "quic_host.key").write_bytes(bytes(range(32)))
        for name, text in _NGINX_HOST.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")


def put(file: str, place: Path) -> None:
    """Writes a file of deploy/, named from there, with the substitutions of its folder."""
    text = (DEPLOY / file).read_text(encoding="utf-8")
    substitutions = {**SUBSTITUTIONS.get(file.partition("/")[0], {}), **NAMES}
    place.parent.mkdir(exist_ok=True)
    place.write_text(replaced(text, substitutions), encoding="utf-8")


def replaced(text: str, substitutions: Mapping[str, str]) -> str:
    """The text with each key replaced by its value, one after the other."""
    for old, new in substitutions.items():
        text = text.replace(old, new)
    return text


def environment(folder: Path) -> dict[str, str]:
    """What the server and the application have in their environment beside the host's."""
    return {
        "CLUSTER_SECRET": "0123456789abcdef0123456789abcdef",
        "ECHO_LOG": str(folder / APP_LOG),
        "ECHO_RAW": str(folder / APP_RAW),
        "PYTHONPATH": str(PROGRAMS),
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
    }


def front(server: str) -> list[str]:
    """The command that starts a server in the folder that is laid out."""
    argv = [*_program(server).argv]
    match _name(server):
        case "nginx":
            return [*argv, "-p", ".", "-c", "nginx.conf", "-e", "stderr", "-g", "daemon off;"]
        case "caddy":
            return [*argv, "run", "--config", "Caddyfile"]
        case _:
            return [*argv, "-db", "-f", "haproxy.cfg"]


def check(server: str) -> list[str]:
    """The command by which a server checks its configuration."""
    argv = [*_program(server).argv]
    match _name(server):
        case "nginx":
            return [*argv, "-p", ".", "-c", "nginx.conf", "-e", "stderr", "-t"]
        case "caddy":
            return [*argv, "validate", "--config", "Caddyfile"]
        case _:
            return [*argv, "-c", "-f", "haproxy.cfg"]


def both(server: str) -> list[str]:
    """The command that starts the application and, once that listens, the server."""
    app = [sys.executable, "-m", "hypercorn", "echo_app:app", "--workers", "0"]
    app += ["--bind", f"127.0.0.1:{APP_PORT}"]
    program = str(PROGRAMS / "in_front.py")
    return [sys.executable, program, str(APP_PORT), json.dumps(app), json.dumps(front(server))]


def _name(server: str) -> str:
    """`nginx` of `nginx@1.26`."""
    return server.partition("@")[0]


def _program(server: str) -> programs.Program:
    return programs.find(_name(server), server.partition("@")[2] or None)


def got(folder: Path) -> Sequence[dict[str, Any]]:
    """What the application has got so far, request by request."""
    log = folder / APP_LOG
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
