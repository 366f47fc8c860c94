"""The command line's words become what the engine is asked for."""

import socket
from pathlib import Path

import pytest

from pronghorn import __version__
from pronghorn.load import resolve

from .conftest import Generator

URL = "https://127.0.0.1:8443/"


def test_a_bare_url_is_ten_seconds_of_http_2_on_one_connection(generator: Generator) -> None:
    asked = generator.asked("https://127.0.0.1/a?b=c#d")
    assert asked == {
        "targets": [
            {
                "url": "https://127.0.0.1/a?b=c",
                "method": "GET",
                "headers": [["user-agent", f"pronghorn/{__version__}"]],
                "body": None,
                "body_file": None,
                "weight": 1,
            }
        ],
        "target_file": None,
        "protocol": "h2",
        "address": "127.0.0.1",
        "zone": None,
        "port": None,
        "unix_socket": None,
        "tls": {"version": "1.3", "ca": None, "insecure": False, "certificate": None, "key": None},
        "session": "cold",
        "congestion_control": {"tcp": "cubic", "quic": "cubic"},
        "knobs": {},
        "connections": 1,
        "streams": 1,
        "threads": 1,
        "stop": {"duration_s": 10.0},
        "limit_s": None,
        "warm_up": None,
        "connect": "keep",
        "arrivals": None,
        "ramp_s": 0.0,
        "request_timeout_s": None,
        "connect_timeout_s": 10.0,
        "progress_s": 1.0,
        "histogram_log": None,
        "failure_times": False,
    }


def test_http_is_version_1_in_the_clear_and_2_where_asked(generator: Generator) -> None:
    assert generator.asked("http://127.0.0.1/")["protocol"] == "h1"
    assert generator.asked("http://127.0.0.1/", "--http", "2")["protocol"] == "h2"
    assert generator.asked(URL, "--http", "1.1")["protocol"] == "h1"
    assert generator.asked(URL, "--http", "3")["protocol"] == "h3"


def test_h2loads_flags_mean_what_they_mean_there(generator: Generator) -> None:
    asked = generator.asked(URL, "-c", "10", "-m", "100", "-n", "200000", "-t", "2", "-H", "X-Probe: 1")
    assert (asked["connections"], asked["streams"], asked["threads"]) == (10, 100, 2)
    assert asked["stop"] == {"requests": 200_000}
    assert asked["targets"][0]["headers"] == [["user-agent", f"pronghorn/{__version__}"], ["x-probe", "1"]]
    assert generator.asked(URL, "-D", "1min")["stop"] == {"duration_s": 60.0}


def test_a_rate_opens_the_loop(generator: Generator) -> None:
    asked = generator.asked(URL, "--rate", "90/min", "--poisson", "--seed", "7", "--ramp", "500ms")
    assert asked["arrivals"] == {"rate_per_s": 1.5, "steps": [], "distribution": "poisson", "seed": 7}
    assert asked["ramp_s"] == 0.5
    assert generator.asked(URL, "--rate", "1000")["arrivals"] == {
        "rate_per_s": 1000.0,
        "steps": [],
        "distribution": "constant",
        "seed": 0,
    }


def test_poissons_seed_is_drawn_where_none_is_given_and_recorded(generator: Generator) -> None:
    drawn = {generator.asked(URL, "--rate", "5", "--poisson")["arrivals"]["seed"] for _ in range(3)}
    assert len(drawn) == 3
    assert "seed " in generator.run(URL, "--rate", "5", "--poisson").stdout


def test_a_warm_up_is_a_time_or_a_number_of_requests(generator: Generator) -> None:
    assert generator.asked(URL, "--warm-up", "2s")["warm_up"] == {"duration_s": 2.0}
    assert generator.asked(URL, "--warm-up", "1000")["warm_up"] == {"requests": 1000}


def test_times_of_requests_and_connections_are_bounded_as_asked(generator: Generator) -> None:
    asked = generator.asked(URL, "--timeout", "2s", "--connect-timeout", "500ms", "--limit", "60s")
    assert (asked["request_timeout_s"], asked["connect_timeout_s"], asked["limit_s"]) == (2.0, 0.5, 60.0)


def test_a_connection_a_request_has_two_names(generator: Generator) -> None:
    assert generator.asked(URL, "--connect", "each")["connect"] == "each"
    assert generator.asked(URL, "--no-keep-alive")["connect"] == "each"


def test_sessions_and_tls_are_as_asked(generator: Generator, tmp_path: Path) -> None:
    assert generator.asked(URL, "--resume")["session"] == "resumed"
    assert generator.asked(URL, "--0rtt")["session"] == "0rtt"
    assert generator.asked(URL, "--tls", "1.2")["tls"]["version"] == "1.2"
    assert generator.asked(URL, "-k")["tls"]["insecure"] is True
    assert generator.asked(URL, "--ca", "ca.pem")["tls"]["ca"] == str(tmp_path / "ca.pem")


def test_congestion_control_is_that_of_the_protocols_transport(generator: Generator) -> None:
    assert generator.asked(URL, "--cc", "bbr")["congestion_control"] == {"tcp": "bbr", "quic": "cubic"}
    asked = generator.asked(URL, "--cc", "newreno", "--http", "3")
    assert asked["congestion_control"] == {"tcp": "cubic", "quic": "newreno"}


def test_within_a_path_tcps_congestion_control_is_the_paths(
    generator: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRONGHORN_LEVEL", "1")
    assert generator.asked(URL)["congestion_control"]["tcp"] is None
    assert generator.asked(URL, "--cc", "reno")["congestion_control"]["tcp"] == "reno"


def test_knobs_reach_the_engine_under_its_names(generator: Generator) -> None:
    over_tcp = ("--knob", "stream_window=64KiB", "--knob", "key_exchange=X25519", "--knob", "pacing=true")
    assert generator.asked(URL, *over_tcp)["knobs"] == {
        "stream_window": 65536,
        "key_exchange": "X25519",
        "pacing": True,
    }
    over_quic = ("--knob", "initial_window=14480B", "--knob", "offloads=false")
    assert generator.asked(URL, "--http", "3", *over_quic)["knobs"] == {
        "initial_window": 14480,
        "segmentation_offload": False,
    }


def test_a_body_makes_a_post_and_is_sent_as_it_is(generator: Generator, tmp_path: Path) -> None:
    target = generator.asked(URL, "--body", "ä=1")["targets"][0]
    assert (target["method"], target["body"]) == ("POST", "w6Q9MQ==")
    (tmp_path / "body").write_bytes(b"\xff\xfe?>")
    target = generator.asked(URL, "--data", "body", "-X", "PUT")["targets"][0]
    assert (target["method"], target["body"]) == ("PUT", "//4/Pg==")


def test_our_user_agent_can_be_replaced_and_taken_away(generator: Generator) -> None:
    assert generator.asked(URL, "-H", "User-Agent: x")["targets"][0]["headers"] == [["user-agent", "x"]]
    assert generator.asked(URL, "-H", "user-agent:")["targets"][0]["headers"] == []


def test_urls_stand_in_a_file_with_methods_and_paths_of_the_host(
    generator: Generator, tmp_path: Path
) -> None:
    (tmp_path / "urls").write_text("# the shop\n\n/cart\nHEAD /a\nhttps://127.0.0.1:8443/b?c\n")
    targets = generator.asked(URL, "-i", "urls")["targets"]
    assert [(target["method"], target["url"]) for target in targets] == [
        ("GET", "https://127.0.0.1:8443/cart"),
        ("HEAD", "https://127.0.0.1:8443/a"),
        ("GET", "https://127.0.0.1:8443/b?c"),
    ]


@pytest.mark.parametrize(
    ("written", "path"),
    [("/x?", "/x?"), ("/a/../x", "/a/../x"), ("//x", "//x"), ("?q", "/?q"), ("", "/"), ("/a#b?c", "/a")],
)
def test_a_url_is_sent_as_it_is_written(generator: Generator, written: str, path: str) -> None:
    asked = generator.asked(f"https://127.0.0.1:8443{written}")
    assert asked["targets"][0]["url"] == f"https://127.0.0.1:8443{path}"


def test_lines_of_the_input_file_end_by_newlines_alone(generator: Generator, tmp_path: Path) -> None:
    (tmp_path / "urls").write_bytes(b"/a\r\n\t/b \n\n/c\r\n")
    targets = generator.asked(URL, "-i", "urls")["targets"]
    assert [target["url"].removeprefix(URL) for target in targets] == ["a", "b", "c"]


@pytest.mark.parametrize("end", ["\u2028", "\x0b", "\x0c", "\x85", "\r"])
def test_what_ends_no_line_is_a_character_that_a_url_does_not_have(
    generator: Generator, tmp_path: Path, end: str
) -> None:
    (tmp_path / "urls").write_bytes(f"/a\n/b{end}/c\n".encode())
    result = generator.run(URL, "-i", "urls")
    assert result.status == 2
    assert "urls, line 2: " in result.stderr


def test_te_trailers_is_sent_over_http_2_and_3(generator: Generator) -> None:
    for version in ("2", "3"):
        headers = generator.asked(URL, "--http", version, "-H", "TE: trailers")["targets"][0]["headers"]
        assert headers[1] == ["te", "trailers"]


def test_the_schemes_own_port_is_not_sent(generator: Generator) -> None:
    assert generator.asked("https://127.0.0.1:443/")["targets"][0]["url"] == "https://127.0.0.1/"
    assert generator.asked("http://127.0.0.1:443/")["targets"][0]["url"] == "http://127.0.0.1:443/"


def test_a_name_is_reached_elsewhere_where_asked(generator: Generator) -> None:
    asked = generator.asked("https://shop.example/", "--address", "::1", "--port", "8443")
    assert (asked["address"], asked["port"]) == ("::1", 8443)
    assert asked["targets"][0]["url"] == "https://shop.example/"
    assert generator.asked("https://[::1]:8443/")["targets"][0]["url"] == "https://[::1]:8443/"


def test_of_several_addresses_the_first_that_answers_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `localhost` is ::1 first, and many a server listens on 127.0.0.1 alone."""
    monkeypatch.setattr(resolve, "addresses", lambda *_: ["127.0.0.2", "127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert resolve.address("localhost", port, "h2") == "127.0.0.1"
    assert resolve.address("localhost", port, "h2") == "127.0.0.2", "nobody answers at either"


def test_within_a_path_pacing_takes_a_name(generator: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRONGHORN_LEVEL", "1")
    result = generator.run(URL, "--knob", "pacing=true")
    assert (result.status, "Write --cc NAME as well." in result.stderr) == (2, True)
    assert generator.asked(URL, "--knob", "pacing=true", "--cc", "cubic")["knobs"] == {"pacing": True}


def test_an_address_of_link_scope_has_its_interface_which_the_server_is_not_told(
    generator: Generator,
) -> None:
    asked = generator.asked("https://[fe80::1%25Eth0]:8443/x")
    assert (asked["address"], asked["zone"]) == ("fe80::1", "Eth0")
    assert asked["targets"][0]["url"] == "https://[fe80::1]:8443/x"
    asked = generator.asked("https://shop.example/", "--address", "fe80::2%lo")
    assert (asked["address"], asked["zone"]) == ("fe80::2", "lo")


def test_a_server_is_reached_by_another_name_or_at_a_unix_socket(
    generator: Generator, tmp_path: Path
) -> None:
    asked = generator.asked("https://shop.example/", "--connect-to", "127.0.0.2:8443")
    assert (asked["address"], asked["port"]) == ("127.0.0.2", 8443)
    assert asked["targets"][0]["url"] == "https://shop.example/"
    asked = generator.asked(URL, "--connect-to", "[::1]")
    assert (asked["address"], asked["port"]) == ("::1", None)
    asked = generator.asked("http://localhost/", "--unix-socket", "server.sock")
    assert (asked["address"], asked["unix_socket"]) == (None, str(tmp_path / "server.sock"))
    assert asked["congestion_control"]["tcp"] is None


def test_a_certificate_of_ours_is_shown(generator: Generator, tmp_path: Path) -> None:
    tls = generator.asked(URL, "--cert", "c.pem", "--key", "k.pem")["tls"]
    assert (tls["certificate"], tls["key"]) == (str(tmp_path / "c.pem"), str(tmp_path / "k.pem"))


def test_a_rate_has_steps(generator: Generator) -> None:
    asked = generator.asked(URL, "--rate", "100:10s,600/min:5s,400:1min")
    assert asked["arrivals"]["rate_per_s"] == 400.0
    assert asked["arrivals"]["steps"] == [
        {"rate_per_s": 100.0, "duration_s": 10.0},
        {"rate_per_s": 10.0, "duration_s": 5.0},
    ]
    assert asked["stop"] == {"duration_s": 75.0}, "that of all steps"
    asked = generator.asked(URL, "--rate", "100:10s,400", "-d", "30s")
    assert asked["stop"] == {"duration_s": 30.0}
    assert generator.asked(URL, "--rate", "100:20s")["stop"] == {"duration_s": 20.0}
