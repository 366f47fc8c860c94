"""The gateway while its configuration is read again and while its workers die, under load."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pronghorn.certificates import HOST_NAME, Certificates

from .gateway import Gateway, alternative, gateway, policy, until

pytestmark = [pytest.mark.needs("nginx", "autoquic", "curl-http3"), pytest.mark.beside]

H3_FASTER = policy(0.7)
ZONE_BYTES = 8 << 20

SECOND_SERVER = """
    server {
        listen 127.0.0.1:PORT quic;
        listen 127.0.0.1:PORT ssl;
        server_name second.test;
        ssl_certificate origin.pem;
        ssl_certificate_key origin.key;
        location / { return 200 "x"; }
    }
"""

ASKS_BOTH = """
import socket, ssl, sys
authority, name, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
context = ssl.create_default_context(cafile=authority)
both = b"".join(f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n".encode() for host in (name, "second.test"))
while True:
    plain = socket.create_connection(("127.0.0.1", port))
    with context.wrap_socket(plain, server_hostname=name) as server:
        for _ in range(400):
            server.sendall(both)
            server.recv(65536)
"""
"""A client that asks two servers in turn over one connection is decided on with each request."""


@pytest.mark.parametrize("protocol", ["--http1.1", "--http2"])
def test_no_request_fails_while_the_configuration_is_read_again(
    protocol: str, identity: Certificates, tmp_path: Path
) -> None:
    requests = 600
    with gateway(tmp_path, identity, policy_text=H3_FASTER) as one:
        asked = ["--rate", "150/s", f"{one.url()}?[1-{requests}]"]
        load = subprocess.Popen([*one.curl_argv(), protocol, *asked], cwd=tmp_path, stdout=subprocess.DEVNULL)
        answered = [len(one.log(1))]
        for _ in range(3):
            one.reload()
            answered.append(len(one.log(answered[-1] + 1)))
        is_under_way = load.poll() is None
        status = load.wait(timeout=60)
        logged = one.log(requests)
        known = one.status()["keys"]

    assert is_under_way, f"all was answered before the last reload: {answered}"
    assert status == 0
    assert {line["status"] for line in logged} == {200}
    assert {line["decision"] for line in logged} == {"advertise"}
    assert known == 1


def test_a_worker_that_dies_within_the_table_leaves_it_mended_and_the_gateway_goes_on(
    identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=H3_FASTER, more=SECOND_SERVER) as one:
        one.curl("--http2")
        # Now and then it dies with the zone locked, but not yet or no longer at work in it.
        until("the table was mended", lambda: dies_within(one) and one.status()["mended"])
        answers = one.curl("--http2")
        status = one.status()

    assert alternative(answers) == [f'h3=":{one.port}"; ma=300']
    assert status["mended"] >= 1
    assert status["emptied"] == 0
    assert status["keys"] == 1


def test_a_worker_that_waits_for_one_that_dies_within_the_table_goes_on(
    identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=H3_FASTER, more=SECOND_SERVER, start=False) as one:
        one.write(one.text.replace("worker_processes 1;", "worker_processes 2;"))
        one.start()
        load = [asks_both(one) for _ in range(4)]
        try:
            victim, other = one.workers()
            stop_within(victim)
            # All the others' connections may be the victim's, who answers none of them.
            load.append(asks_both(one))
            until("the other waits for the lock", lambda: waits_for_a_lock(other))
            os.kill(victim, signal.SIGKILL)
            until("there is another in its place", lambda: len(one.workers() - {victim}) == 2)
            until("the other waits no more", lambda: not waits_for_a_lock(other))
        finally:
            for client in load:
                client.kill()
                client.wait()
        answers = [one.curl(protocol) for protocol in ("--http2", "--http3-only") * 4]
        workers, status = one.workers(), one.status()

    assert other in workers
    assert [answer.status for (answer,) in answers] == [200] * 8
    assert status["keys"] == 1


def waits_for_a_lock(process: int) -> bool:
    """Whether the kernel holds it until another process gives a lock up."""
    return "futex" in Path(f"/proc/{process}/wchan").read_text()


def asks_both(one: Gateway) -> "subprocess.Popen[bytes]":
    """A client that has decisions made without end."""
    return subprocess.Popen(
        [sys.executable, "-c", ASKS_BOTH, str(one.authority), HOST_NAME, str(one.port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def dies_within(one: Gateway) -> bool:
    """Kills a worker that holds the zone's lock, and has its successor decide."""
    load = asks_both(one)
    try:
        (worker,) = one.workers()
        stop_within(worker)
        os.kill(worker, signal.SIGKILL)
    finally:
        load.kill()
        load.wait()
    until("nginx has another worker", lambda: one.workers() - {worker})
    return bool(one.curl("--http2", "--retry", "9", "--retry-connrefused"))


def stop_within(worker: int) -> None:
    """Stops a worker at a moment at which it holds the zone's lock."""
    start = zone_of(worker)
    end = time.monotonic() + 20
    with Path(f"/proc/{worker}/mem").open("rb", buffering=0) as memory:
        while time.monotonic() < end:
            os.kill(worker, signal.SIGSTOP)
            while state_of(worker) != "T":
                pass
            memory.seek(start)
            # Of a slab pool, the lock comes first: the process ID of whoever holds it (ngx_shmtx.c).
            if int.from_bytes(memory.read(8), "little") == worker:
                return
            os.kill(worker, signal.SIGCONT)
            time.sleep(0.0005)
    raise AssertionError("it never held the lock when it was stopped")


def zone_of(worker: int) -> int:
    """Where the zone begins in its memory."""
    for line in Path(f"/proc/{worker}/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        start, end = (int(bound, 16) for bound in span.split("-"))
        if end - start == ZONE_BYTES and rights == "rw-s":
            return start
    raise AssertionError("no zone is mapped")


def state_of(process: int) -> str:
    """T: stopped."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
