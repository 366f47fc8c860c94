"""Single packets: to a QUIC server, and to a resolver."""

import asyncio
import ipaddress
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from pronghorn.evidence import initial, names, probes

_SERVER_ID = bytes.fromhex("8394c8f03e515708")


def test_the_keys_of_a_first_packet_are_the_rfcs() -> None:
    """RFC 9001, appendix A.1."""
    key, iv, protection = initial.keys(_SERVER_ID)
    assert key.hex() == "1f369613dd76d5467730efcbe3b1a22d"
    assert iv.hex() == "fa044b2f42a3fd3b46fb255c"
    assert protection.hex() == "9f50449e04a0e810283a1e9933adedd2"


def test_first_packets_have_the_least_length() -> None:
    assert len(initial.initial(b"x" * 300)) == initial.LEAST
    assert len(initial.unknown_version(1452)) == 1452


def test_answers_are_distinguished() -> None:
    negotiation = b"\x80" + bytes(4) + b"\x00\x00"
    retry = b"\xf0\x00\x00\x00\x01\x00\x00"
    assert initial.is_negotiation(negotiation) and not initial.is_negotiation(retry)
    assert initial.is_retry(retry) and not initial.is_retry(negotiation)
    assert not initial.is_retry(b"") and not initial.is_negotiation(b"\x80")


@contextmanager
def _answering(answer: Callable[[bytes], bytes | None]) -> Iterator[int]:
    """A UDP server on loopback; its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        ended = threading.Event()

        def serve() -> None:
            one.settimeout(0.05)
            while not ended.is_set():
                try:
                    asked, who = one.recvfrom(65535)
                except OSError:
                    continue
                if (said := answer(asked)) is not None:
                    one.sendto(said, who)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield one.getsockname()[1]
        finally:
            ended.set()
            thread.join()


def _server(most: int, *, retries: bool) -> Callable[[bytes], bytes | None]:
    def answer(asked: bytes) -> bytes | None:
        if len(asked) > most:
            return None
        if asked[1:5] != b"\x00\x00\x00\x01":
            return b"\x80" + bytes(4) + b"\x00\x00" + b"\x00\x00\x00\x01"
        return b"\xf0\x00\x00\x00\x01\x00\x00" if retries else b"\xc0\x00\x00\x00\x01\x00\x00"

    return answer


@pytest.mark.parametrize("retries", [False, True])
def test_a_server_that_answers_is_asked_for_lengths_and_retry(retries: bool) -> None:
    with _answering(_server(1452, retries=retries)) as port:
        found = asyncio.run(probes.udp("127.0.0.1", port, more=True))
    assert found == probes.Udp(True, ((1200, True), (1350, True), (1452, True)), retries)


def test_a_first_answer_that_is_lost_is_asked_for_again() -> None:
    heard = []

    def deaf_once(asked: bytes) -> bytes | None:
        heard.append(asked)
        return None if len(heard) == 1 else _server(1452, retries=False)(asked)

    with _answering(deaf_once) as port:
        assert asyncio.run(probes.udp("127.0.0.1", port)).answers is True


def test_a_server_that_never_answers_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_WAITS_S", (0.01, 0.01, 0.01))
    with _answering(lambda _: None) as port:
        assert asyncio.run(probes.udp("127.0.0.1", port, more=True)) == probes.Udp(False)


def _answer(
    *protocols: str, code: int = 0, target: bytes = b"\0", priority: int = 1, more: bytes = b""
) -> bytes:
    question = b"\x03www\x07example\x00" + struct.pack("!HH", 65, 1)
    alpn = b"".join(bytes([len(one)]) + one.encode() for one in protocols)
    hint = ipaddress.ip_address("192.0.2.1").packed
    data = (
        struct.pack("!H", priority)
        + target
        + struct.pack("!HH", 1, len(alpn))
        + alpn
        + more
        + struct.pack("!HH", 4, 4)
        + hint
    )
    record = b"\xc0\x0c" + struct.pack("!HHIH", 65, 1, 300, len(data)) + data
    return b"ab" + struct.pack("!5H", 0x8180 | code, 1, 1, 0, 0) + question + record


def test_an_https_record_offers_what_its_alpn_names() -> None:
    assert names.read(_answer("h3", "h2")) == names.Record(True)
    assert names.read(_answer("h2")) == names.Record(False)
    assert names.read(_answer(code=3)) == names.Record(False)
    for answer in (_answer("h3", code=2), _answer("h3")[:-9]):
        found = names.read(answer)
        assert isinstance(found, names.Record) and found.offers is None


def test_an_https_record_names_its_port_and_its_host_or_is_an_alias() -> None:
    port = struct.pack("!HHH", 3, 2, 8443)
    target = b"\x03svc\x07example\0"
    assert names.read(_answer("h3", more=port, target=target)) == names.Record(
        True, None, 8443, "svc.example"
    )
    assert names.read(_answer(priority=0, target=target)) == "svc.example"


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "a\0b", "\ufffd", "-"])
def test_a_host_that_is_none_has_no_addresses(host: str) -> None:
    assert asyncio.run(names.addresses(host, 443)) == []


def test_an_answer_that_is_cut_or_broken_anywhere_is_no_crash() -> None:
    whole = _answer("h3", target=b"\x03svc\x07example\0")
    for at in range(12, len(whole)):
        names.read(whole[:at])
        names.read(whole[:at] + b"\xff" + whole[at + 1 :])
        names.read(whole[:at] + b"\x00" + whole[at + 1 :])


def test_a_question_for_a_name_with_a_dot_at_its_end_is_the_same() -> None:
    assert names._query("a.example.")[2:] == names._query("a.example")[2:]


def test_an_address_has_no_https_record() -> None:
    for address in ("192.0.2.1", "2001:db8::1"):
        assert asyncio.run(names.record(address, 443)) == names.Record(False)
