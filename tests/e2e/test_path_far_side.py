"""What `pronghorn path` leads to where no program runs on the far side: this host's own services."""

import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from .ordinary import ordinary_user
from .path_command import PYTHON, path

pytestmark = pytest.mark.needs("namespaces")

PORT = 4000
_ETH_P_IP = 0x0800
_SO_RCVBUFFORCE = 33
_ROOM_BYTES = 1 << 26
_SENDS = """\
import socket
end = socket.socket(type=socket.SOCK_DGRAM)
for _ in range(200):
    end.sendto(b'x' * 100, ('$PRONGHORN_SERVER', {closed}))
end.settimeout(0.2)
for _ in range(300):
    end.sendto(b'x', ('$PRONGHORN_SERVER', {answering}))
    try:
        end.recv(9)
        break
    except TimeoutError:
        pass
else:
    raise SystemExit('no answer')
"""


@pytest.mark.needs("root")
def test_without_a_program_the_far_side_is_this_hosts_own_services(tmp_path: Path) -> None:
    with services() as (port, _):
        script = f'exec {PYTHON} -c "{_fetch("$PRONGHORN_SERVER", port)}"'
        result = path("delay=10ms", "--", "sh", "-c", script, folder=tmp_path)
    assert result.stdout == "tcp\nudp\n", result.stderr


@pytest.mark.needs("root")
def test_the_far_host_passes_on_nothing_but_under_its_own_address(tmp_path: Path) -> None:
    """Neither whole packets nor damaged ones, which are for the receiver's kernel to find. An answer to a
    later one shows that all have passed."""
    with (
        services() as (port, _),
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_IP)) as everything,
    ):
        everything.setblocking(False)
        # Room for whatever else this host receives meanwhile, where this user may ask for it.
        with suppress(PermissionError):
            everything.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _ROOM_BYTES)
        script = _SENDS.format(closed=PORT, answering=port)
        result = path(
            *("up.corrupt=50%", "--json", "told.json", "--", "sh", "-c", f'exec {PYTHON} -c "{script}"'),
            folder=tmp_path,
        )
        assert result.status == 0, result.stderr
        told = json.loads((tmp_path / "told.json").read_text())
        to = socket.inet_aton(told["server_address"])
        senders = []
        with suppress(BlockingIOError):
            while packet := everything.recv(2000):
                if packet[16:20] == to and packet[9] == socket.IPPROTO_UDP:
                    senders.append(socket.inet_ntoa(packet[12:16]))
    up = told["counters"]["up"]
    assert up["corrupted"] > 50
    assert set(senders) == {f"198.18.{told['level']}.6"}
    assert len(senders) > up["packets_out"] - up["corrupted"]


@pytest.mark.needs("pasta", "root")
def test_an_ordinary_user_reaches_this_hosts_services_through_pasta() -> None:
    with services() as (port, _), ordinary_user() as user:
        script = f"exec 3<>/dev/tcp/$PRONGHORN_SERVER/{port}; cat <&3"
        result = user.run("path", "delay=10ms", "--", "bash", "-c", script, tun_mode="666")
    assert result.stdout == "tcp\n", result.stderr
    assert "pasta" in result.stderr


@pytest.mark.needs("root")
def test_without_pasta_an_ordinary_user_gets_the_mend_or_runs_a_server() -> None:
    """Its PATH holds what the test needs and no pasta."""
    with ordinary_user() as user:
        programs = user.place / "programs"
        programs.mkdir(mode=0o755)
        for name in ("unshare", "sh", "setpriv", "mount", "mknod", "chmod", "true", "sleep"):
            (programs / name).symlink_to(shutil.which(name) or name)
        with _only_path(programs):
            alone = user.run("path", "delay=1ms", "--", "true", tun_mode="666")
            served = user.run("path", "delay=1ms", "--server", "sleep 9", "--", "true", tun_mode="666")
    assert alone.status == 3
    assert "passt" in alone.stderr
    assert served.status == 0, served.stderr


@contextmanager
def services() -> Iterator[tuple[int, socket.socket]]:
    """A TCP and a UDP service of this host on one port: the one says `tcp`, the other `udp`."""
    tcp, udp = _on_one_port()
    with tcp, udp:

        def greet() -> None:
            while True:
                try:
                    connection, _ = tcp.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(b"tcp\n")

        def answer() -> None:
            while True:
                try:
                    _, sender = udp.recvfrom(64)
                    udp.sendto(b"udp\n", sender)
                except OSError:
                    return

        for work in (greet, answer):
            threading.Thread(target=work, daemon=True).start()
        yield tcp.getsockname()[1], tcp


def _on_one_port() -> tuple[socket.socket, socket.socket]:
    """A listening socket of TCP and one of UDP on the same port, which nobody else has."""
    while True:
        tcp, udp = socket.create_server(("0.0.0.0", 0)), socket.socket(type=socket.SOCK_DGRAM)
        try:
            udp.bind(tcp.getsockname())
        except OSError:
            tcp.close()
            udp.close()
        else:
            return tcp, udp


def _fetch(address: str, port: int) -> str:
    return (
        f"import socket; to = ('{address}', {port}); "
        "c = socket.create_connection(to, 60); print(c.recv(9).decode(), end=''); "
        "u = socket.socket(type=socket.SOCK_DGRAM); u.settimeout(60); u.sendto(b'x', to); "
        "print(u.recv(9).decode(), end='')"
    )


@contextmanager
def _only_path(folder: Path) -> Iterator[None]:
    before = os.environ["PATH"]
    os.environ["PATH"] = str(folder)
    try:
        yield
    finally:
        os.environ["PATH"] = before
