"""nginx's configuration says what was asked for, and what its version can't do is refused with the reason."""

import os
from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.model.arm import parse
from pronghorn.origins import nginx_conf, nginx_log, template
from pronghorn.origins.nginx import Nginx

from .made_programs import GOOD, OLD, program

OPENSSL_3_0 = GOOD.replace("3.5.7", "3.0.17")
BORINGSSL = GOOD.replace("OpenSSL 3.5.7", "OpenSSL 1.1.1 (compatible; BoringSSL) (running with BoringSSL)")


@pytest.mark.parametrize(("said", "version"), [(OLD, "1.26"), (GOOD, None), (GOOD, "1.30"), (None, None)])
@pytest.mark.parametrize(
    "arm", ["h1", "h2@bbr", "h2+tls12", "h2+0rtt", "h3", "h3+resumed", "h3~altsvc", "h3~https"]
)
def test_what_every_nginx_can_do_is_not_refused(
    path: Path, said: str | None, version: str | None, arm: str
) -> None:
    if said:
        program(path / "nginx", said)
    assert Nginx(version=version).refusal(parse(arm)) is None


@pytest.mark.parametrize(
    ("said", "version", "arm", "reason"),
    [
        (OLD, "1.26", "h3@bbr", "New Reno that counts a datagram as 65527 bytes (nginx 1.26.3)"),
        (OLD, "1.26", "h3@cubic", "New Reno that"),
        (OLD, "1.26", "h3@newreno", "New Reno that"),
        (GOOD, None, "h3@newreno", "this one's is cubic (nginx 1.30.6)"),
        (GOOD, None, "h3@cubic", None),
        (None, "1.26", "h3@cubic", "New Reno that"),
        (None, None, "h3@cubic", None),
        (OLD, "1.26", "h3+0rtt", "this one is nginx 1.26.3, OpenSSL 3.5.7"),
        (OPENSSL_3_0, None, "h3+0rtt", "OpenSSL 3.0.17"),
        (GOOD, None, "h3+0rtt", None),
        (BORINGSSL, None, "h3+0rtt", None),
        (None, None, "h3+0rtt", "not on this host"),
    ],
)
def test_of_quic_what_the_version_can_not_do_is_refused(
    path: Path, said: str | None, version: str | None, arm: str, reason: str | None
) -> None:
    if said:
        program(path / "nginx", said)
    refusal = Nginx(nginx_conf.tuned, version=version).refusal(parse(arm))
    if reason is None:
        assert refusal is None
    else:
        assert refusal is not None
        assert reason in refusal


def test_the_manifest_says_what_nginx_sends_with(path: Path) -> None:
    program(path / "nginx", OLD)
    old = Nginx(version="1.26")
    settings = old.settings(parse("h3"))
    assert settings["transport"] == "nginx's QUIC (nginx 1.26.3, OpenSSL 3.5.7)"
    assert settings["initial_window"] == "131054 bytes, and never less (nginx before 1.27.5)"
    assert old.settings(parse("h2@bbr"))["transport"] == "kernel TCP"
    identity = Nginx(nginx_conf.tuned, version="1.26").identity()
    assert (identity["version"], identity["program"]) == (
        "nginx 1.26.3, OpenSSL 3.5.7",
        os.fspath(path / "nginx"),
    )
    assert "http3_stream_buffer_size 8m;" in identity["configuration"]
    assert "proof" not in identity


def test_early_data_is_on_only_where_it_is_asked_for() -> None:
    for write in (nginx_conf.shipped, nginx_conf.tuned, nginx_conf.patient):
        assert nginx_conf.says(write(early_data=True), "ssl_early_data")
        assert not nginx_conf.says(write(early_data=False), "ssl_early_data")


def test_tuned_differs_from_shipped_in_what_it_tunes_only() -> None:
    shipped = set(nginx_conf.shipped(early_data=False).splitlines())
    tuned = set(nginx_conf.tuned(early_data=False).splitlines())
    gone = {line.strip() for line in shipped - tuned if "#" not in line}
    assert gone == {
        "worker_processes auto;",
        "worker_cpu_affinity auto;",
        "worker_connections 768;",
        "listen ${PRONGHORN_ADDRESS}:${PRONGHORN_PORT} quic reuseport;",
    }


def test_patient_differs_from_shipped_in_how_long_it_waits_only() -> None:
    shipped = nginx_conf.shipped().splitlines()
    added = [line.strip() for line in nginx_conf.patient().splitlines() if line not in shipped]
    assert [line for line in added if not line.startswith("#")] == ["send_timeout 15m;"]
    assert set(shipped) <= set(nginx_conf.patient().splitlines())


def test_every_placeholder_of_a_configuration_is_one_that_a_trial_fills_in() -> None:
    for write in (nginx_conf.shipped, nginx_conf.tuned, nginx_conf.patient):
        text = write(early_data=True)
        assert "${" not in template.fill(text, dict.fromkeys(template.PLACEHOLDERS, ""))


def test_headers_are_quoted_and_what_nginx_takes_for_a_variable_is_refused() -> None:
    assert nginx_conf.header_lines({"alt-svc": 'h3=":443"; ma=1', "x": "a\\b"}) == (
        'add_header alt-svc "h3=\\":443\\"; ma=1" always;\n    add_header x "a\\\\b" always;'
    )
    with pytest.raises(InputError, match="'\\$' for a variable"):
        nginx_conf.header_lines({"x": "$5"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("user www-data;", True),
        ("  user\twww-data;", True),
        ("events { } user nobody;", True),
        ("# user www-data;", False),
        ("proxy_user x; users y;", False),
        ("pid x; # user y;", False),
    ],
)
def test_whether_a_configuration_has_a_directive_is_told_apart_from_comments(text: str, says: bool) -> None:
    assert nginx_conf.says(text, "user") is says


def test_the_log_is_read_with_the_names_that_arms_have() -> None:
    lines = [
        '{"path": "/", "protocol": "HTTP/3.0", "status": 200, "bytes": 612, "duration_s": 0.004}',
        '{"path": "/a\\"b", "protocol": "HTTP/1.1", "status": 404, "bytes": 9, "duration_s": 0.000}',
        '{"path": "/", "protocol": "HTTP/0.9", "status": 400, "bytes": 0, "duration_s": 0.000}',
    ]
    found = [(one.path, one.protocol, one.status, one.bytes) for one in nginx_log.requests(lines)]
    assert found == [("/", "h3", 200, 612), ('/a"b', "h1", 404, 9), ("/", "HTTP/0.9", 400, 0)]
    assert [one.served_s for one in nginx_log.requests(lines)] == [0.004, 0.0, 0.0]
    (without,) = nginx_log.requests(['{"path": "/", "protocol": "HTTP/3.0", "status": 200, "bytes": 612}'])
    assert without.served_s is None


@pytest.mark.parametrize("line", ['1.2.3.4 - - "GET / HTTP/2.0" 200', "[]", "{}", '{"protocol": ["h2"]}'])
def test_a_log_of_another_form_is_bad_input_with_the_form_it_should_have(line: str) -> None:
    with pytest.raises(InputError) as refused:
        nginx_log.requests([line])
    assert refused.value.hint is not None
    assert nginx_conf.LOG_FORMAT in refused.value.hint


def test_a_persons_own_configuration_is_looked_through_before_a_run(path: Path) -> None:
    program(path / "nginx", GOOD)
    own = Nginx(configuration="events {}\nhttp { server { listen ${PRONGHORN_PORT} ssl; } }\n")
    assert own.identity()["proof"].startswith("by the client only")
    assert own.refusal(parse("h2+0rtt")) == "its configuration does not set 'ssl_early_data'"
    with pytest.raises(InputError, match="did you mean 'PRONGHORN_PORT'"):
        Nginx(configuration="listen ${PRONGHORN_PORTS};")
