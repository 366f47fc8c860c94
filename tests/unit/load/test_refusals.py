"""What can't be loaded is one message: where, what, what is allowed; exit status 2, and no engine starts."""

from pathlib import Path

import pytest

from .conftest import Generator

URL = "https://127.0.0.1/"


REFUSED = """
nothing
    no URL to load.
localhost
    URL: 'localhost' is no URL; it begins with https:// or http://.
ftp://localhost/
    URL: 'ftp://localhost/' is no URL; it begins with https:// or http://.
https:///x
    URL: 'https:///x' names no host.
https://localhost:99999/
    URL: 'https://localhost:99999/' is no URL: Port out of range 0-65535.
https://u:p@localhost/
    URL: a URL with a user's name isn't supported.
https://127.0.0.1/ä
    URL: 'https://127.0.0.1/ä': 'ä' is not allowed in a path or a query.
https://127.0.0.1/?a={b}
    URL: 'https://127.0.0.1/?a={b}': '{' is not allowed in a path or a query.
https://ex"ample/
    URL: 'ex"ample' is no host name: '"' is not allowed in one.
https://-x/
    URL: '-x' is no host name: each part has 1 to 63 letters and no '-' at its ends.
https://256.1.1.1/
    URL: 'https://256.1.1.1/': '256.1.1.1' is no IP address; write four numbers up to 255, or an IPv6
    address in brackets.
https://[fe80::1%25]/
    URL: 'https://[fe80::1%25]/': 'fe80::1%25': '' is no zone; it follows an IPv6 address and is an
    interface's name.
URL https://127.0.0.2/
    URL 2: this is https://127.0.0.2, but URL 1 is https://127.0.0.1; all URLs of a load share scheme,
    host and port.
URL -X get
    --method: 'get' is no method; write one such as GET or POST (RFC 9110 §9.1).
URL -X CONNECT
    --method: CONNECT opens a tunnel and has no response to measure.
URL -H x
    -H 'x' is no header; write 'NAME: VALUE'.
URL -H host:x
    -H 'host:x': 'host' can't be set: it comes from the URL. To reach a name at another address, write
    the name in the URL and --address.
URL --http 1.1 -H te:trailers
    -H 'te: trailers': over HTTP/1.1 'te' belongs to the connection, not to the request (RFC 9110
    §10.1.4).
URL -H te:gzip
    -H 'te:gzip': 'te' can only be 'trailers' (RFC 9113 §8.2.2, RFC 9114 §4.2).
URL --data nowhere
    --data nowhere: no such file.
URL --data x --body y
    --body and --data exclude each other: a request has one body.
URL -i nowhere
    nowhere: no such file.
URL -n 1 -d 1s
    -n and -d exclude each other: a load ends after a number of requests or after a time.
URL -d 10
    -d 10: '10' is a bare number where a time is needed; write the unit, such as '75ms'; allowed units:
    ns, us, µs, ms, s, min.
URL -d 0s
    -d 0s: '0s': a time must be greater than zero.
URL -t 2
    -t 2 with -c 1: each connection belongs to one thread, so some threads would have none. Write at
    most as many threads as connections.
URL -n 9 -c 10
    -n 9 with -c 10: some connections would have no request. Write at least as many requests as
    connections.
URL --rate fast
    --rate fast: this is no rate; write requests per second, such as 1000, or 90/min (at most
    10000000/s).
URL --rate 0
    --rate 0: this is no rate; write requests per second, such as 1000, or 90/min (at most 10000000/s).
URL --poisson
    --poisson: only an open loop has arrivals. Write --rate R as well.
URL --rate 1 --seed 1
    --seed: evenly spaced arrivals need no seed. Write --poisson as well.
URL --no-keep-alive -m 2
    -m 2 with a new connection for each request: each has one request. -c sets how many are made at a
    time.
URL --connect once
    --connect: unknown way to connect 'once'. Allowed: each, keep.
URL -d 5s --ramp 5s
    --ramp 5s: the load ends before that. Write a shorter ramp.
URL -d 5s --limit 4s
    --limit 4s: the load itself lasts longer. Write a longer limit.
URL --http 2.0
    --http: unknown version of HTTP '2.0'; did you mean '2'? Allowed: 1.1, 2, 3.
http://127.0.0.1/ --http 3
    --http 3: HTTP/3 is never in the clear (RFC 9114 §3.1); write https://.
http://127.0.0.1/ --insecure
    --insecure: http:// is in the clear, without TLS; leave it out or write https://.
URL --http 3 --tls 1.2
    --tls 1.2: QUIC has no TLS 1.2 (RFC 9001 §4.2); --http 1.1 and 2 have it.
URL --tls 1.2 --0rtt
    --tls 1.2: it has no 0-RTT data; leave out --tls or --0rtt.
URL --tls 1.1
    --tls: unknown version of TLS '1.1'; did you mean '1.3'? Allowed: 1.2, 1.3.
URL --cc newreno
    --cc: unknown congestion control of HTTP/2 'newreno'; did you mean 'reno'? Allowed: bbr, cubic,
    reno.
URL --knob window
    --knob window: write KEY=VALUE, such as stream_window=64KiB.
URL --knob stream_windw=64KiB
    --knob stream_windw=64KiB: key 'stream_windw': unknown knob 'stream_windw'; did you mean
    'stream_window'? Allowed: ack_frequency, cipher, connection_window, initial_mtu, initial_window,
    key_exchange, mtu_discovery, offloads, pacing, slow_start_after_idle, stream_window,
    tcp_receive_buffer, tcp_send_buffer, udp_receive_buffer, udp_send_buffer.
URL --knob initial_mtu=1400B
    --knob initial_mtu=1400B: key 'initial_mtu': HTTP/2 over TCP has no such thing; arms of h3 have.
URL --knob tcp_receive_buffer=1MB
    --knob tcp_receive_buffer=1MB: key 'tcp_receive_buffer': a TCP receive buffer of HTTP/2 is a setting
    of the hosts: docs/experiments.md, [knobs], in an experiment over an emulated path.
URL --address 127.0.0.1%eth0
    --address: '127.0.0.1%eth0': 'eth0' is no zone; it follows an IPv6 address and is an interface's name.
URL --connect-to a/b
    --connect-to: 'a/b' is no host name: '/' is not allowed in one.
URL --connect-to a:99999
    --connect-to: port 99999; allowed are 1 to 65535.
URL --connect-to a --port 1
    --connect-to and --port exclude each other: both say where to connect to.
URL --unix-socket s --address ::1
    --unix-socket and --address exclude each other: both say where to connect to.
URL --unix-socket s --http 3
    --unix-socket: HTTP/3 goes over UDP; --http 1.1 and 2 have it.
URL --unix-socket s --cc bbr
    --cc: a Unix socket has no congestion control. Leave it out.
URL --cert c.pem
    --cert and --key belong together: a certificate, and its private key, both PEM.
http://127.0.0.1/ --cert c.pem --key k.pem
    --cert: http:// is in the clear, without TLS; leave it out or write https://.
URL --rate 100,200
    --rate 100,200: '100' doesn't say for how long; write RATE:TIME, such as 100:10s. Only the last step
    may go on.
URL --rate 100:1s,0
    --rate 100:1s,0: '0' is no rate; write requests per second, such as 1000, or 90/min (at most
    10000000/s).
URL --rate 100:1,200
    --rate 1: '1' is a bare number where a time is needed; write the unit, such as '75ms'; allowed units:
    ns, us, µs, ms, s, min.
URL --rate 100:1s,200 --ramp 2s
    --ramp 2s: the first step of --rate ends before that.
URL --data - -i -
    --data - and -i - exclude each other: there is one stdin.
URL -m 70000
    -m 70000: at most 65536 requests at a time on a connection.
URL -n 99999999999999999999
    -n 99999999999999999999: at most 1000000000000000 requests.
URL --warm-up 99999999999999999999
    --warm-up 99999999999999999999: at most 1000000000000000 requests.
URL --address there
    --address: 'there' is no IP address.
https://a..b/
    URL: 'a..b' is no host name: each part has 1 to 63 letters and no '-' at its ends.
URL --csv /nowhere/x
    /nowhere/x: this file can't be written.
URL --check fast
    --check 'fast': this is no comparison; write METRIC < VALUE (or <=, >, >=, ==, !=), such as
    'p99<200ms', 'rps>1000' or 'failed<0.1%'.
URL --check p99<200
    --check 'p99<200': '200' is a bare number where a time is needed; write the unit, such as '75ms';
    allowed units: ns, us, µs, ms, s, min.
URL --check lag.p99<1ms
    --check 'lag.p99<1ms': only an open loop (--rate R) has a lag.
URL --check rss<5%
    --check 'rss<5%': '5%': unknown unit '%' of a size. Allowed: B, kB, MB, KiB, MiB.
URL --check unsent<5%
    --check 'unsent<5%': 'unsent' is not a share of the requests. Leave out %.
URL --check p98<1s
    --check 'p98<1s': unknown metric 'p98'; did you mean 'p99'? Allowed: min, mean, sd, p50, p75, p90,
    p95, p99, p99.9, p99.99, max (of total; else connect., first_byte., lag. before it), rps, goodput,
    upload, cpu, rss, sent, unsent, succeeded, failed, retried, connections.established, connections.failed,
    connections.closed_by_peer, connections.resumed, status.CODE, failed.KIND (status, grpc, head, early,
    reset, refused, connection, timeout, short, protocol, cut), connections.failed.KIND (refused,
    unreachable, local, timeout, tls, alpn, reset, idle, protocol, congestion_control, cut).
"""
"""The words, URL standing for a valid one, and below them what is said."""


def refused() -> list[tuple[str, str]]:
    """The words and the messages of REFUSED."""
    found: list[tuple[str, str]] = []
    for line in REFUSED.strip().splitlines():
        if line.startswith(" "):
            words, said = found.pop()
            found.append((words, f"{said} {line.strip()}".strip()))
        else:
            found.append((line.removeprefix("nothing"), ""))
    return found


@pytest.mark.parametrize(("arguments", "said"), refused())
def test_one_message_says_what_is_wrong(generator: Generator, arguments: str, said: str) -> None:
    result = generator.run(*arguments.replace("URL", URL).split())
    assert (result.status, result.stdout) == (2, ""), result
    assert result.stderr.splitlines()[0] == f"pronghorn: {said}"
    assert not (generator.folder / "asked.json").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# nothing\n", "urls: holds no URL. Write one per line."),
        ("/a\n/b c d\n", "urls, line 2: '/b c d' is no target; write URL or METHOD URL."),
        ("get /a\n", "urls, line 1: 'get' is no method; write one such as GET or POST (RFC 9110 §9.1)."),
        ("/a\nx.html\n", "urls, line 2: 'x.html' is no URL; it begins with https:// or http://."),
        ("/a\n/<b>\n", "urls, line 2: 'https://127.0.0.1/<b>': '<' is not allowed in a path or a query."),
        ("/a weight=0\n", "urls, line 1: weight 0; allowed are whole numbers from 1 to 1000000."),
        (
            "GET /a\nhost: x\n",
            "urls, line 2: 'host: x': 'host' can't be set: it comes from the URL. To reach a name "
            "at another address, write the name in the URL and --address.",
        ),
        ("/a\n@nowhere\n", "urls, line 2: nowhere: no such file."),
        ("x: y\n", "urls, line 1: 'x: y' has no target above it; write URL or METHOD URL first."),
        (
            '{"url": "/a", "uri": "/b"}\n',
            "urls, line 1: unknown key 'uri'. Allowed: method, url, header, headers, body, weight.",
        ),
        ('{"method": "GET"}\n', "urls, line 1: 'url' is missing."),
        (
            '{"url": "/a", "header": {"x": 5}}\n',
            "urls, line 1: the value of 'x' is neither text nor a list of texts.",
        ),
        (
            '{"url": "/a", "header": {"x": ["y", null]}}\n',
            "urls, line 1: the value of 'x' is neither text nor a list of texts.",
        ),
        (
            '{"url": "/a", "body": "%"}\n',
            "urls, line 1: 'body' is not in base64 (RFC 4648 §4): Only base64 data is allowed.",
        ),
        (
            '{"url": "/a", "weight": 1.5}\n',
            "urls, line 1: weight 1.5; allowed are whole numbers from 1 to 1000000.",
        ),
        ('{"url": 1}\n', "urls, line 1: 'url' is no text."),
        ("/a\n/b\xff\n", "urls, line 2: byte 2 of the line is not UTF-8."),
        (
            "/a\n\nhttps://127.0.0.2/\n",
            "urls, line 3: this is https://127.0.0.2, but URL is https://127.0.0.1; all URLs of a load "
            "share scheme, host and port.",
        ),
    ],
)
def test_a_wrong_line_of_the_input_file_is_named(
    generator: Generator, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "urls").write_bytes(text.encode("latin-1"))
    result = generator.run(URL, "-i", "urls")
    assert (result.status, result.stderr.splitlines()[0]) == (2, f"pronghorn: {said}")


def test_a_path_without_a_host_is_told_how_to_get_one(generator: Generator, tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("/a\n")
    result = generator.run("-i", "urls")
    assert result.status == 2
    assert result.stderr == (
        "pronghorn: urls, line 1: '/a' names no host.\n"
        "  Name one on the command line: pronghorn load https://localhost/ -i urls\n"
    )


def test_a_file_that_is_named_twice_is_refused(generator: Generator, tmp_path: Path) -> None:
    result = generator.run(URL, "--csv", "x", "-o", "./x")
    assert result.status == 2
    assert f"{tmp_path}/x: named twice. Each option needs its own file." in result.stderr


def test_a_table_of_another_format_is_left_alone(generator: Generator, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n")
    result = generator.run(URL, "--csv", "x.csv")
    assert result.status == 2
    assert "--csv x.csv: its first line is another version's" in result.stderr
    assert (tmp_path / "x.csv").read_text() == "a,b\n"


def test_what_the_engine_refuses_is_told_in_its_words(generator: Generator) -> None:
    generator.behave(error={"kind": "input", "message": "no such thing", "mend": "Ask for another."})
    result = generator.run(URL)
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr.endswith("pronghorn: no such thing.\n  Ask for another.\n")
    generator.behave(error={"kind": "host", "message": "no more sockets.", "mend": None})
    assert generator.run(URL).status == 3


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "targets[0].url: `256.1.1.1`: invalid IPv4 address",
            "https://127.0.0.1/: `256.1.1.1`: invalid IPv4 address.",
        ),
        ("targets[0].headers[1]: `x y` is no header field's name", "-H: `x y` is no header field's name."),
        (
            "targets[0].weight: 0; allowed is 1 or more",
            "https://127.0.0.1/, weight: 0; allowed is 1 or more.",
        ),
        ("targets: weights: 20000000 in all", "-i: weights: 20000000 in all."),
        ("arrivals.steps[1].duration_s: 90000; allowed", "--rate, step 2: 90000; allowed."),
        ("stop.duration_s: 90000; allowed is 0 to 86400 s", "-d: 90000; allowed is 0 to 86400 s."),
        (
            "not a load's specification: invalid IP address syntax at line 1 column 39",
            "the engine can't read the load's specification: invalid IP address syntax.",
        ),
        ("/nowhere/ca.pem: No such file or directory", "--ca /nowhere/ca.pem: No such file or directory."),
        ("the CA can't verify anybody: no root", "--ca /nowhere/ca.pem: no root."),
    ],
)
def test_what_the_engine_refuses_is_told_as_it_was_typed(
    generator: Generator, message: str, said: str
) -> None:
    generator.behave(error={"kind": "input", "message": message, "mend": None})
    result = generator.run(URL, "--ca", "/nowhere/ca.pem", "-q")
    assert (result.status, result.stderr.splitlines()[0]) == (2, f"pronghorn: {said}")


def test_the_character_that_a_url_can_t_have_is_told_as_it_is_written(generator: Generator) -> None:
    assert (
        generator.run("https://127.0.0.1/ä").stderr.splitlines()[1] == "  Write it as %C3%A4 (RFC 3986 §2.1)."
    )
    blank = generator.run("https://127.0.0.1/a b").stderr.splitlines()
    assert blank[0].endswith("a blank is not allowed in a path or a query.")
    assert blank[1] == "  Write it as %20 (RFC 3986 §2.1)."
