"""The built-in origin as a server for a developer: a site, or an application that it stands in front of."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn import certificates, sites
from pronghorn.engine import Engine, EngineError
from pronghorn.errors import HostError, InputError, unknown
from pronghorn.host import loopback
from pronghorn.model.recorded_site import RecordedSite

GRACE_S = 5.0
"""How long requests under way may take once the server is asked to end, in seconds."""

ALT_SVC_S = 3600
"""How long clients may remember HTTP/3 at the port, in seconds."""

PORT = 8443

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOK_S = 2.0
_SEED = 1
_HOST_NAME = "localhost"


class Identity(NamedTuple):
    """PEM files: a certificate chain, leaf first, and its PKCS#8 key."""

    chain: Path
    key: Path


class Settings(NamedTuple):
    """What is served, and where. Either `site` or `application` is given; without an `identity` one is made.
    `limit_s` is how long an application may be silent."""

    site: str | None
    application: str | None
    address: str = "127.0.0.1"
    port: int = PORT
    identity: Identity | None = None
    early_data: bool = False
    limit_s: float = 60.0


class Served(NamedTuple):
    """A server that listens: what it serves, at which URL, and the certificate that it shows."""

    what: str
    url: str
    certificate: Path


def root(site: str, folder: Path) -> Path:
    """The folder of a site as experiments name it, or of a folder's path, built in `folder`. InputError where
    there is none, or it is an archive."""
    if Path(site).is_dir() and not RecordedSite.asked(site, Path()):
        return Path(site)
    if RecordedSite.asked(site, Path()):
        raise InputError(
            f"{site}: a site archive has several hosts, and 'serve' has one.",
            hint="Load it by an experiment: pronghorn run --set sites=" + site,
        )
    if site not in sites.known() and not site.startswith("dir:"):
        hint = "Write a folder, or the name of a generated site."
        raise InputError(unknown("site", site, sites.known()), hint=hint)
    try:
        return sites.build(site, _SEED, folder).root
    except ValueError as error:
        raise InputError(f"{site}: {error}") from error


async def serve(settings: Settings, folder: Path, tell: Callable[[Served], None]) -> bool:
    """Serves until Ctrl-C or SIGTERM, and finishes what is under way then; whether all of it was. `tell` is
    called once it listens. `folder` takes what is made for it. InputError, HostError or EngineDied where it
    can't go on."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop.set)
    identity = settings.identity or _made(settings.address, folder)
    port = settings.port or _free_port(settings.address)
    engine = await Engine.start()
    try:
        await engine.request("open", path=None, seed=_SEED, tcp_congestion_control=loopback.of_host())
        try:
            await engine.request("origin", **_asked(settings, identity, port, folder))
        except EngineError as error:
            raise _explained(error, settings, port) from error
        what = settings.application or str(settings.site)
        tell(Served(what, f"https://{_named(settings.address)}:{port}/", identity.chain))
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _LOOK_S)
            # An engine that has ended says so here.
            await engine.request("hello")
        ended = await engine.request("origin_end", within_s=GRACE_S, patience_s=2 * GRACE_S + _LOOK_S)
        return bool(ended["answered"])
    finally:
        await engine.stop()


def _asked(settings: Settings, identity: Identity, port: int, folder: Path) -> dict[str, Any]:
    """The engine's request for the origin."""
    if settings.application is None:
        (folder / "site").mkdir()
        of_what: dict[str, Any] = {"root": str(root(str(settings.site), folder / "site").absolute())}
    else:
        of_what = {
            "root": str(folder),
            "proxy": {"url": settings.application, "limit_s": settings.limit_s},
        }
    return of_what | {
        "certificate": str(identity.chain.absolute()),
        "key": str(identity.key.absolute()),
        "address": settings.address,
        "port": port,
        "congestion_control": {"tcp": loopback.of_host(), "quic": "cubic"},
        "headers": {"alt-svc": f'h3=":{port}"; ma={ALT_SVC_S}'},
        "early_data": settings.early_data,
        "graceful": True,
        "log": "counts",
    }


def _explained(error: EngineError, settings: Settings, port: int) -> Exception:
    if error.kind == "input":
        return InputError(error.message, hint=error.hint)
    hint = f"Another program may have the port: --port {port + 1 if port < 65535 else port - 1}"
    return HostError(f"{settings.address}, port {port}: {error.message}.", hint=error.hint or hint)


def _made(address: str, folder: Path) -> Identity:
    """A certificate for this machine's names and addresses, under an authority of which the key is gone."""
    names = [_HOST_NAME, "127.0.0.1", "::1", socket.gethostname()]
    if address not in names and not ip_address(address).is_unspecified:
        names.append(address)
    made = certificates.make(folder, names=[names])
    return Identity(*made.leaves[0])


def _named(address: str) -> str:
    """The host in the URL of a server that listens there."""
    there = ip_address(address)
    if there.is_unspecified or address == "127.0.0.1":
        return _HOST_NAME
    return f"[{address}]" if there.version == 6 else address


def _free_port(address: str) -> int:
    """A port that is free for TCP and UDP now."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for _ in range(100):
        with (
            socket.socket(family, socket.SOCK_STREAM) as tcp,
            socket.socket(family, socket.SOCK_DGRAM) as udp,
        ):
            try:
                tcp.bind((address, 0))
                port = int(tcp.getsockname()[1])
                udp.bind((address, port))
            except OSError as error:
                last = error
                continue
            return port
    raise HostError(f"{address}: no free port: {last.strerror}.", hint="Name one with --port.")
