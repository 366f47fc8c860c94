"""HAProxy's configuration says what an arm asks for, and its log is read as it writes it."""

import pytest

from pronghorn.errors import HostError
from pronghorn.fairness import labels
from pronghorn.model.arm import parse as arm
from pronghorn.model.trial import OriginRequest
from pronghorn.origins import haproxy_cfg, programs
from pronghorn.origins.haproxy import HAProxy, parse
from pronghorn.origins.programs import Program


def found(monkeypatch: pytest.MonkeyPatch, version: str, said: str = "+QUIC +QUIC_OPENSSL_COMPAT") -> None:
    program = Program(("haproxy",), version, "haproxy", said)
    monkeypatch.setattr(programs, "find", lambda *_: program)


def configuration(*, tuned: bool = False, early_data: bool = False, control: str | None = None) -> str:
    return haproxy_cfg.haproxy(tuned=tuned, buffers=True, early_data=early_data, control=control)


def test_a_line_of_the_access_log_is_a_request_with_its_protocol() -> None:
    line = '{"path": "/a.png?b=\\"", "protocol": "HTTP/3.0", "status": 200, "bytes": "4286"}'
    assert parse(line) == OriginRequest(path='/a.png?b="', protocol="h3", status=200, bytes=4286)
    without = '{"path": "/", "protocol": "HTTP/1.1", "status": 503, "bytes": ""}'
    for told in (without, without.replace('""', '"-"')):
        assert parse(told) == OriginRequest(path="/", protocol="h1", status=503, bytes=0)


@pytest.mark.parametrize(("told", "served_s"), [(37, 0.037), (0, 0.0), (-1, None)])
def test_how_long_haproxy_had_a_request_is_told_unless_it_was_cut_off(
    told: int, served_s: float | None
) -> None:
    line = f'{{"path": "/", "protocol": "HTTP/2.0", "status": 200, "bytes": "9", "served_ms": {told}}}'
    found = parse(line)
    assert found is not None
    assert found.served_s == served_s


OF_NO_REQUEST = (
    "",
    "Proxy site started.",
    "{}",
    '{"path": "/", "protocol": "HTTP/1.1"}',
    '{"path": "-", "protocol": "HTTP/1.1", "status": 400, "bytes": "-"}',
)


@pytest.mark.parametrize("line", OF_NO_REQUEST)
def test_a_line_that_is_of_no_request_is_left_out(line: str) -> None:
    assert parse(line) is None


def test_over_ipv6_quic_is_listened_for_by_its_name() -> None:
    binds = [
        line.split()[1]
        for line in haproxy_cfg.at(configuration(), "fd70::2").splitlines()
        if line.startswith("    bind ")
    ]
    assert binds == ["[fd70::2]:${PRONGHORN_PORT}", "quic6@[fd70::2]:${PRONGHORN_PORT}"]


def test_nothing_is_set_that_the_arm_does_not_ask_for() -> None:
    shipped = configuration()
    assert "quic-cc-algo" not in shipped
    assert "allow-0rtt" not in shipped
    assert "tune." not in shipped
    assert not [word for word in ("TUNED", "EARLY", "CONTROL", "FORMAT", "SOCKET") if word in shipped]


def test_what_the_arm_asks_for_stands_on_the_lines_that_it_is_for() -> None:
    text = configuration(early_data=True, control="newreno")
    tcp, quic = [line for line in text.splitlines() if " bind " in line]
    assert tcp.endswith("alpn h2,http/1.1 allow-0rtt")
    assert quic.endswith("alpn h3 allow-0rtt quic-cc-algo newreno")
    assert "quic-cc-algo cubic(8m)" in configuration(tuned=True)
    assert "conn-tx-buffers.limit" in configuration(tuned=True)
    assert "expose-experimental-directives" in configuration(control="bbr")


def test_a_header_keeps_its_quotes_and_its_percent_signs() -> None:
    lines = haproxy_cfg.header_lines({"alt-svc": 'h3=":443"; ma=86400', "x": "50 % o'clock"})
    assert lines.split("\n    ") == [
        "http-response set-header alt-svc 'h3=\":443\"; ma=86400'",
        "http-response set-header x '50 %% o'\\''clock'",
    ]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("h3@bbr", "bbr since 3.1; this HAProxy is 3.0.11"),
        ("h3+0rtt", "no 0-RTT data over QUIC"),
        ("h3", None),
        ("h3@cubic", None),
        ("h3@newreno", None),
        ("h3+resumed", None),
        ("h2@bbr", None),
        ("h2+0rtt", None),
    ],
)
def test_an_arm_that_this_haproxy_can_not_honour_is_refused(
    name: str, why: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(monkeypatch, "3.0.11")
    reason = HAProxy().refusal(arm(name))
    assert reason is None if why is None else why in (reason or "")


def test_a_newer_haproxy_with_a_tls_library_for_quic_honours_more(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, "3.2.4", "+QUIC -QUIC_OPENSSL_COMPAT")
    assert HAProxy().refusal(arm("h3@bbr")) is None
    assert HAProxy().refusal(arm("h3+0rtt")) is None


def test_its_bbr_is_told_apart_from_others_of_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found(monkeypatch, "3.2.4", "+QUIC -QUIC_OPENSSL_COMPAT")
    label = HAProxy().settings(arm("h3@bbr"))["congestion_control"]
    assert label == "bbr (HAProxy 3.2.4, BBR v3)"
    assert labels.algorithm(label) != labels.algorithm(labels.of_kernel("bbr", {}))
    assert HAProxy().settings(arm("h3"))["congestion_control"] == "cubic (HAProxy 3.2.4)"


def test_one_that_is_not_there_is_not_named_for_what_only_some_versions_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: object) -> Program:
        raise HostError("none")

    monkeypatch.setattr(programs, "find", none)
    assert HAProxy().refusal(arm("h3")) is None
    assert HAProxy().refusal(arm("h3@bbr")) is None
    old = HAProxy(version="3.0")
    assert old.refusal(arm("h3@bbr")) == "its QUIC has bbr since 3.1; this HAProxy is 3.0"
    assert HAProxy().refusal(arm("h3+0rtt")) == "there is no such HAProxy on this host"
