"""What the gateway measures: the network's time of a response, of whom, and what it leaves out."""

import shlex
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import Certificates

from . import programme
from .gateway import H3_RETRIES, Gateway, gateway, policy, until
from .programme import Started
from .quic_client import QuicClient, bound

pytestmark = [pytest.mark.needs("nginx", "autoquic", "curl-http3"), pytest.mark.beside]

H3_FASTER = policy(0.7)

EVERYWHERE = "0.0.0.0"

SLOW_S = 0.5
"""How long a slow upstream takes; a local network takes a hundredth of it."""


@pytest.mark.needs("namespaces", "root")
def test_a_sample_takes_the_responses_round_trip_alike_over_both_transports(
    identity: Certificates, tmp_path: Path
) -> None:
    """A small response is acknowledged one round trip after it was ready, which is as long as the client
    waits for one on a connection that it has. Looks come late by 6 % of it or 2 ms, an acknowledgement by
    40 ms at most."""
    round_trip_s = 0.2
    times_the_clients = {}
    for protocol, name in (("--http2", "tcp"), ("--http3-only", "quic")):
        folder = tmp_path / name
        with gateway(folder, identity, policy_text=H3_FASTER, address=EVERYWHERE) as one:
            again = H3_RETRIES if name == "quic" else ()
            says = ("--write-out", "%{stderr}%{time_total}\n")
            done = behind(one, "delay=100ms", protocol, *again, *says, *[one.url()] * 7).ended()
            assert done.status == 0, done.stderr
            until("the last is acknowledged or given up", partial(is_settled, one))
            samples = one.status()["samples"][name]
        assert samples["acknowledged"] >= 3, samples
        assert samples["stalled"] == 0
        mean_s = samples["seconds"] / samples["acknowledged"]
        assert mean_s > 0.99 * round_trip_s
        times_the_clients[name] = mean_s / statistics.mean(map(float, done.stderr.split()[1:]))

    for ratio in times_the_clients.values():
        assert 0.75 < ratio < 1.35, times_the_clients
    assert 0.75 < times_the_clients["tcp"] / times_the_clients["quic"] < 1.35, times_the_clients


@pytest.mark.needs("namespaces", "root")
@pytest.mark.parametrize("path", ["rate=20Mbit delay=5ms queue=64kB", "rate=8Mbit delay=50ms queue=200kB"])
def test_a_small_response_beside_a_large_one_is_acknowledged_before_that_has_ended(
    path: str, identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=H3_FASTER, address=EVERYWHERE) as one:
        (tmp_path / "root" / "large.bin").write_bytes(bytes(3_000_000))
        both = (one.url("/large.bin"), one.url("/index.html"))
        says = ("--write-out", "%{stderr}%{size_download} %{time_total} %{time_pretransfer}\n")
        curl = ("--http2", "--parallel", *says, "--output", "/dev/null", *both)
        loads = behind(one, path, *curl)
        until("a response is acknowledged", lambda: one.status()["samples"]["tcp"]["acknowledged"])
        is_under_way = loads.process.poll() is None
        samples = one.status()["samples"]["tcp"]
        done = loads.ended()

    assert done.status == 0, done.stderr
    assert is_under_way
    assert samples["acknowledged"] == 1
    assert samples["bytes"] < 1000
    small, large = sorted(done.stderr.splitlines(), key=lambda line: int(line.split()[0]))
    small_s, begun_s = map(float, small.split()[1:])
    assert samples["seconds"] < 1.3 * (small_s - begun_s) < float(large.split()[1])


def test_the_time_that_an_upstream_takes_for_its_headers_is_not_the_networks(
    identity: Certificates, tmp_path: Path
) -> None:
    with upstream(before_headers_s=SLOW_S) as port:
        locations = f"location /slow {{ proxy_pass http://127.0.0.1:{port}; }}"
        with gateway(tmp_path, identity, policy_text=H3_FASTER, locations=locations) as one:
            asked_s, samples = sampled(one, "/slow")

    assert asked_s > SLOW_S
    assert samples["seconds"] / samples["acknowledged"] < SLOW_S / 5


@pytest.mark.needs("namespaces", "root")
@pytest.mark.parametrize(("before_body_s", "are_samples"), [(0.0, True), (0.1, False)])
@pytest.mark.parametrize(("protocol", "name"), [("--http2", "tcp"), ("--http3-only", "quic")])
def test_whether_an_upstream_s_response_is_a_sample_does_not_depend_on_the_transport(
    protocol: str, name: str, before_body_s: float, are_samples: bool, identity: Certificates, tmp_path: Path
) -> None:
    """A transport that takes little at a time hardly waits for content that is a tenth of a second late."""
    with upstream(before_body_s=before_body_s, length=1_000_000) as port:
        locations = f"location /slow {{ proxy_pass http://127.0.0.1:{port}; }}"
        with gateway(
            tmp_path, identity, policy_text=H3_FASTER, locations=locations, address=EVERYWHERE
        ) as one:
            again = H3_RETRIES if name == "quic" else ()
            done = behind(one, "delay=50ms", protocol, *again, *[one.url("/slow")] * 5).ended()
            assert done.status == 0, done.stderr
            until("the last is acknowledged or given up", partial(is_settled, one))
            status = one.status()

    acknowledged, waited = status["samples"][name]["acknowledged"], status["discarded"]["waited"]
    assert acknowledged >= 2 if are_samples else (acknowledged == 0 and waited >= 2)


def test_what_a_client_stops_counts_with_what_had_arrived(identity: Certificates, tmp_path: Path) -> None:
    with ExitStack() as stack:
        one = stack.enter_context(gateway(tmp_path, identity, policy_text=H3_FASTER))
        home = stack.enter_context(bound("127.0.1.1"))
        (tmp_path / "root" / "page.bin").write_bytes(bytes(30_000))
        client = QuicClient(identity, one.port, reads=False)
        assert not client.get("/page.bin", sends=home, hears=[home], within_s=1.0)
        before = one.status()["samples"]["quic"]
        client.stop(sends=home)
        until("it is a sample", lambda: one.status()["samples"]["quic"]["stopped"])
        status = one.status()

    assert (before["watched"], before["stopped"]) == (1, 0)
    assert status["samples"]["quic"]["acknowledged"] == 0
    assert not any(status["discarded"].values())


def test_a_response_whose_content_is_waited_for_is_no_sample(identity: Certificates, tmp_path: Path) -> None:
    with upstream(before_body_s=SLOW_S) as port:
        locations = f"location /slow {{ proxy_pass http://127.0.0.1:{port}; }}"
        with gateway(tmp_path, identity, policy_text=H3_FASTER, locations=locations) as one:
            until(
                "one is discarded",
                lambda: one.curl("--http2", path="/slow") and one.status()["discarded"]["waited"],
            )
            samples = one.status()["samples"]["tcp"]

    assert samples["acknowledged"] == 0


def test_a_response_is_a_sample_before_the_mirror_of_its_request_is_answered(
    identity: Certificates, tmp_path: Path
) -> None:
    with upstream(before_headers_s=60) as port:
        locations = f"""
            location = /big.bin {{ mirror /copy; }}
            location = /copy {{ internal; proxy_pass http://127.0.0.1:{port}; }}
        """
        with gateway(tmp_path, identity, policy_text=H3_FASTER, locations=locations) as one:
            asked_s, samples = sampled(one, "/big.bin")

    assert asked_s < 60
    assert samples["acknowledged"] >= 1


@pytest.mark.parametrize(("directives", "counted"), [("", 1), ("autoquic_dry_run on;", 0)])
def test_what_a_dry_run_measures_does_not_count_for_the_holdout(
    directives: str, counted: int, identity: Certificates, tmp_path: Path
) -> None:
    """Of either, nothing does before the offers have lapsed that may have been made before its time."""
    lease_s = 2
    said = f"autoquic on; autoquic_max_age {lease_s}s; {directives}"
    with gateway(tmp_path, identity, policy_text=H3_FASTER, directives=said) as one:
        before = time.monotonic()
        at_first = of_holdout(one)
        passed_s = time.monotonic() - before
        time.sleep(lease_s)
        later = of_holdout(one)
        one.write(one.text.replace("autoquic on;", "autoquic on; autoquic_holdout 20%;", 1))
        one.reload()
        of_another = one.status()["holdout"]["all"]

    assert at_first == 0 or passed_s > lease_s - 1
    assert later == counted
    assert sum(arm.get("keys", 0) for arm in of_another.values()) == 0


def test_a_client_of_many_connections_has_but_a_few_samples_a_second(
    identity: Certificates, tmp_path: Path
) -> None:
    with gateway(tmp_path, identity, policy_text=H3_FASTER) as one:
        before = time.monotonic()
        one.curl("--http1.1", "--header", "Connection: close", *[one.url()] * 59)
        greedy = one.status()
        passed_s = time.monotonic() - before
        one.curl("--http1.1", "--interface", "127.0.9.1")
        modest = one.status()

    watched = greedy["samples"]["tcp"]["watched"]
    assert 1 <= watched <= 5 * (passed_s + 2)
    assert greedy["discarded"]["frequent"] == 60 - watched
    assert modest["samples"]["tcp"]["watched"] == watched + 1


@pytest.mark.parametrize("answers", [False, True])
def test_a_quic_client_speaks_for_another_prefix_only_once_it_has_answered_from_there(
    answers: bool, identity: Certificates, tmp_path: Path
) -> None:
    locations = 'location /again { return 200 "x"; }'
    with ExitStack() as stack:
        one = stack.enter_context(gateway(tmp_path, identity, policy_text=H3_FASTER, locations=locations))
        home, away = (stack.enter_context(bound(address)) for address in ("127.0.1.1", "127.0.2.1"))
        client = QuicClient(identity, one.port)
        until(
            "it is known",
            lambda: client.get("/", sends=home, hears=[home]) and one.status()["keys"],
        )
        at_home = one.status()["keys"]
        hears = [home, away] if answers else [home]
        assert client.get("/again", sends=away, hears=hears, within_s=1.0) == answers
        one.log(2)  # the second was answered, whoever heard it
        if answers:
            until(
                "its new prefix is known",
                lambda: client.get("/", sends=away, hears=hears) and one.status()["keys"] == 2,
            )
        moved = one.status()["keys"]

    assert at_home == 1
    assert moved == (2 if answers else 1)


def of_holdout(one: Gateway) -> int:
    """How many keys count for the holdout after another sample."""
    sampled(one, "/big.bin")
    arms = one.status()["holdout"]["all"]
    return sum(arm.get("keys", 0) for arm in arms.values())


def sampled(one: Gateway, path: str) -> tuple[float, dict[str, Any]]:
    """How long curl waited for a response that is a sample, and the samples over TCP."""
    asked_s = []

    def is_acknowledged() -> bool:
        """Of a client that ends its connection at once, the last acknowledgement may not come."""
        before = time.monotonic()
        one.curl("--http2", path=path)
        asked_s.append(time.monotonic() - before)
        until("it is settled", lambda: is_settled(one))
        return bool(one.status()["samples"]["tcp"]["acknowledged"])

    until("a response is acknowledged", is_acknowledged)
    return asked_s[-1], one.status()["samples"]["tcp"]


def is_settled(one: Gateway) -> bool:
    """Whether every response that was watched is a sample now, or given up."""
    status = one.status()
    watched = sum(each["watched"] for each in status["samples"].values())
    ends = ("acknowledged", "stalled", "stopped")
    ended = sum(each[end] for each in status["samples"].values() for end in ends)
    never = ("crowded", "frequent", "unreadable", "waited")
    given_up = sum(count for why, count in status["discarded"].items() if why not in never)
    return bool(watched <= ended + given_up)


def behind(one: Gateway, words: str, *options: str) -> Started:
    """Starts curl behind a path to the gateway, which stays until curl's last packets have come through."""
    argv = shlex.join([*one.curl_argv("THE_SERVER"), *options])
    command = argv.replace(":THE_SERVER", ":$PRONGHORN_SERVER") + " && sleep 0.5"
    return programme.start("path", *words.split(), "--quiet", "--", "sh", "-c", command, folder=one.folder)


@contextmanager
def upstream(before_headers_s: float = 0.0, before_body_s: float = 0.0, length: int = 3000) -> Iterator[int]:
    """The port of a server over HTTP/1.0 that takes its time."""

    ended = threading.Event()

    def answer(client: socket.socket) -> None:
        with client:
            client.recv(65536)
            if ended.wait(before_headers_s):
                return
            client.sendall(f"HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n".encode())
            time.sleep(before_body_s)
            client.sendall(bytes(length))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield int(listener.getsockname()[1])
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()
