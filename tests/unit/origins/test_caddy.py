"""Caddy's configuration says what every origin's says, and its log is read as it writes it."""

import json
import re
from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.model.arm import parse as arm
from pronghorn.model.media_types import MEDIA_TYPES
from pronghorn.model.trial import OriginRequest
from pronghorn.origins import caddyfile
from pronghorn.origins.caddy import Caddy, parse

MEDIA_TYPE_RS = Path(__file__).parents[3] / "crates/origin/src/media_type.rs"

OWN = "https://:${PRONGHORN_PORT} {\n\tlog {\n\t\toutput file ${PRONGHORN_LOG}\n\t}\n}\n"


def test_a_line_of_the_access_log_is_a_request_with_its_protocol() -> None:
    line = (
        '{"level":"info","ts":1.5,"logger":"http.log.access.log0","msg":"handled request","request":'
        '{"remote_ip":"198.18.0.1","proto":"HTTP/3.0","method":"GET","host":"origin.pronghorn.test",'
        '"uri":"/a.png?b"},"bytes_read":0,"duration":0.0037,"size":4286,"status":200}'
    )
    assert parse(line) == OriginRequest(
        path="/a.png?b", protocol="h3", status=200, bytes=4286, served_s=0.0037
    )
    otherwise = parse(line.replace("0.0037", '"3.7ms"'))
    assert otherwise is not None
    assert otherwise.served_s is None
    protocols = [parse(line.replace("HTTP/3.0", proto)) for proto in ("HTTP/1.1", "HTTP/2.0", "HTTP/4.0")]
    assert [request.protocol for request in protocols if request] == ["h1", "h2", None]


@pytest.mark.parametrize("line", ["", "{", "[]", "7", '{"level":"info","msg":"serving"}', '{"request": {}}'])
def test_a_line_that_is_of_no_request_is_left_out(line: str) -> None:
    assert parse(line) is None


def test_early_data_is_off_unless_it_is_asked_for() -> None:
    assert "0rtt off" in caddyfile.template(early_data=False)
    assert "0rtt" not in caddyfile.template(early_data=True)


def test_a_header_is_written_so_that_its_quotes_survive() -> None:
    headers = {"cache-control": "no-store", "alt-svc": 'h3=":443"; ma=86400'}
    assert caddyfile.header_lines(headers).split("\n\t\t") == [
        'cache-control "no-store"',
        'alt-svc "h3=\\":443\\"; ma=86400"',
    ]
    assert json.loads(caddyfile.header_object(headers))["alt-svc"] == ['h3=":443"; ma=86400']


def test_the_media_types_are_those_of_the_built_in_origin() -> None:
    arms = re.findall(
        r'^\s*((?:"\w+"(?: \| )?)+) => "([^"]+/[^"]+)",$', MEDIA_TYPE_RS.read_text(), re.MULTILINE
    )
    builtin = {media_type: tuple(re.findall(r"\w+", endings)) for endings, media_type in arms}
    assert builtin == dict(MEDIA_TYPES)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("h3@cubic", "quic-go runs New Reno"),
        ("h3@bbr", "quic-go runs New Reno"),
        ("h2+0rtt", "over QUIC only"),
        ("h3", None),
        ("h3@newreno", None),
        ("h2@bbr", None),
        ("h3+0rtt", None),
        ("h3+resumed", None),
        ("h1+tls12", None),
    ],
)
def test_an_arm_that_quic_go_or_go_can_not_honour_is_refused(name: str, why: str | None) -> None:
    reason = Caddy().refusal(arm(name))
    assert reason is None if why is None else why in (reason or "")


def test_a_configuration_that_decides_on_early_data_otherwise_than_the_arm_is_refused() -> None:
    lets, forbids = (
        Caddy(configuration=OWN),
        Caddy(configuration=OWN + "{\n\tservers {\n\t\t0rtt  off\n\t}\n}\n"),
    )
    assert lets.refusal(arm("h3+0rtt")) is None
    assert "does not disable 0-RTT" in (lets.refusal(arm("h3+resumed")) or "")
    assert "switches 0-RTT off" in (forbids.refusal(arm("h3+0rtt")) or "")
    assert forbids.refusal(arm("h3+resumed")) is None
    assert lets.refusal(arm("h2+resumed")) is None


def test_a_placeholder_that_is_none_is_told_when_the_configuration_is_read() -> None:
    with pytest.raises(InputError, match="configuration:1: unknown placeholder 'PRONGHORN_LOGS'"):
        Caddy(configuration="log ${PRONGHORN_LOGS}")
