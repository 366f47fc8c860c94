"""Redirects and answers that a hostile server gives."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pronghorn.errors import NothingMeasured
from pronghorn.evidence import hops
from pronghorn.evidence.target import Target
from pronghorn.traps.facts import Hop

_HERE = Target("www.example.org", 443, "/")


@pytest.mark.parametrize(
    "location",
    [
        "https://[x",
        "https://a..b/",
        "https://x:99999/",
        "http://www.example.org/",
        "\x1b[2J",
        "https://u:p@x/",
    ],
)
def test_a_redirect_to_what_is_no_address_is_one_message(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(now: Target, _: ssl.SSLContext) -> tuple[Hop, str | None]:
        if now != _HERE:
            return Hop(now.host, now.port, None), None
        return Hop(now.host, now.port, None, None, 302), location

    monkeypatch.setattr(hops, "_asked", asked)
    if location.startswith("\x1b"):
        (last, way) = hops.follow(_HERE, hops.trusting(None))
        assert (last.host, len(way)) == (_HERE.host, 2)
        return
    with pytest.raises(NothingMeasured, match="redirects to what is no https:// address"):
        hops.follow(_HERE, hops.trusting(None))


def test_redirects_in_a_circle_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hops, "_asked", lambda now, _: (Hop(now.host, now.port, None, None, 302), "/"))
    with pytest.raises(NothingMeasured, match="more than 5 redirects"):
        hops.follow(_HERE, hops.trusting(None))


@contextmanager
def _dripping() -> Iterator[int]:
    """A server that begins a long TLS record and sends a byte of it now and then, without end."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            one, _ = listening.accept()
            with one:
                try:
                    one.sendall(b"\x16\x03\x03\x40\x00")
                    while not ended.wait(0.02):
                        one.sendall(b"\x02")
                except OSError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            ended.set()
            thread.join()


def test_a_server_that_sends_a_byte_now_and_then_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hops, "_WITHIN_S", 0.3)
    with _dripping() as port, pytest.raises(NothingMeasured, match="no answer over TCP"):
        hops.follow(Target("127.0.0.1", port, "/"), hops.trusting(None))
