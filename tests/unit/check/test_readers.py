"""What hosts answer, read: Alt-Svc, an echo, a Version Negotiation packet."""

import pytest

from pronghorn.check.alternatives import Alternative, AltSvc, parse
from pronghorn.check.facts import Answer
from pronghorn.check.probes import versions
from pronghorn.check.probes.forwarding import read


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        (["clear"], AltSvc(clear=True)),
        (['h3=":443"'], AltSvc((Alternative("h3", "", 443, 86400),))),
        (
            ['h3=":443"; ma=60; persist=1, h2="Alt.example:8443"'],
            AltSvc((Alternative("h3", "", 443, 60), Alternative("h2", "alt.example", 8443, 86400))),
        ),
        (
            ['h3=":443"', 'h3-29=":443";ma="5"'],
            AltSvc((Alternative("h3", "", 443, 86400), Alternative("h3-29", "", 443, 5))),
        ),
        (['h3="[2001:db8::1]:443"'], AltSvc((Alternative("h3", "2001:db8::1", 443, 86400),))),
        (["", 'h3=":443", , '], AltSvc((Alternative("h3", "", 443, 86400),))),
        ([""], AltSvc()),
        (["h3=:443"], AltSvc(fault="h3=:443")),
        (['h3=":443", h2'], AltSvc((Alternative("h3", "", 443, 86400),), fault="h2")),
        (['h3=":70000"'], AltSvc(fault='h3=":70000"')),
        (['h3=":443"; ma=day'], AltSvc(fault='h3=":443"; ma=day')),
    ],
)
def test_alt_svc(values: list[str], expected: AltSvc | None) -> None:
    assert parse(values) == expected


def answer(body: str) -> Answer:
    return Answer(200, (), len(body), "digest", body.encode())


@pytest.mark.parametrize(
    "body",
    [
        '{"Host": "shop.example", "X": ["1", "2"]}',
        '{"headers": {"Host": "shop.example", "X": ["1", "2"]}, "method": "GET"}',
        '{"headers": [{"name": "Host", "value": "shop.example"}, {"name": "X", "value": "1"}, '
        '{"name": "X", "value": "2"}]}',
        '[["Host", "shop.example"], ["X", "1"], ["X", "2"]]',
        "GET / HTTP/1.1\r\nHost: shop.example\r\nX: 1\r\nX: 2\r\n",
    ],
)
def test_an_echo_has_many_forms(body: str) -> None:
    echo = read("h1", answer(body))
    assert echo is not None
    assert (echo.all("host"), echo.all("x")) == (["shop.example"], ["1", "2"])


@pytest.mark.parametrize(
    "body", ["", '[{"name": "x"}]', "<title>Shop</title>", '{"price": 3}', "[1]", "7", '{"headers": 5}']
)
def test_another_answer_is_no_echo(body: str) -> None:
    assert read("h1", answer(body)) is None


def test_a_version_negotiation_packet_is_ours_or_nobody_s() -> None:
    ours, theirs = b"12345678", b"abcdefgh"
    packet = (
        b"\x80" + bytes(4) + b"\x08" + ours + b"\x08" + theirs + bytes([0, 0, 0, 1]) + b"\x6b\x33\x43\xcf"
    )
    assert versions.read(packet, ours) == [1, 0x6B3343CF]
    assert versions.read(packet, theirs) == []
    for length in range(len(packet)):
        assert all(each in (1,) for each in versions.read(packet[:length], ours))
    assert versions.read(b"\xc0" + packet[1:4] + b"\x01" + packet[5:], ours) == []
