"""`[knobs]` and `[knobs."ARM"]`: read, resolved, and refused with the line at which they are wrong."""

import random
from pathlib import Path

import pytest

from pronghorn import capabilities, clients, origins
from pronghorn.errors import InputError
from pronghorn.model import toml_text
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import CIPHERS, GROUPS, KNOBS

from ..model.experiments import LIVE, REST, again, parse, refused

RECORDED = "309e1c2773827b1ef1a605c443a2c43a97c0d77caac7c693a36dd817a2ad5226"
"""The digest of `OLD` as versions without knobs have recorded it."""

OLD = 'name = "x"\nlimit = "9s"\nmargin = "3%"\nrepeat = 2\ncompression = "none"\n' + REST

FRAME = """\
sites = ["tiny"]
paths = ["near"]
arms = ["h1", "h2", "h3", "h2@bbr", "h2+tls12"]
seed = 1
path.near = { down = { delay = "10ms" }, up = { delay = "10ms", mtu = "1400B" } }

"""

EVERY = """\
[knobs]
initial_window = "14480B"
pacing = true
stream_window = "1MiB"
connection_window = "2MiB"
tcp_receive_buffer = "3MB"
tcp_send_buffer = "4MB"
udp_receive_buffer = "5MB"
udp_send_buffer = "6MB"
offloads = false
ack_frequency = 10
mtu_discovery = false
initial_mtu = "1300B"
slow_start_after_idle = false
cipher = "TLS13_AES_256_GCM_SHA384"
key_exchange = "X25519MLKEM768"
"""


def of(experiment: Experiment, arm: str) -> dict[str, object]:
    return dict(experiment.knobs.of(experiment.arm(arm)).asked())


def test_every_knob_is_read_in_its_unit() -> None:
    assert parse(FRAME + EVERY).knobs.common.model_dump() == {
        "initial_window": 14480,
        "pacing": True,
        "stream_window": 2**20,
        "connection_window": 2**21,
        "tcp_receive_buffer": 3_000_000,
        "tcp_send_buffer": 4_000_000,
        "udp_receive_buffer": 5_000_000,
        "udp_send_buffer": 6_000_000,
        "offloads": False,
        "ack_frequency": 10,
        "mtu_discovery": False,
        "initial_mtu": 1300,
        "slow_start_after_idle": False,
        "cipher": "TLS13_AES_256_GCM_SHA384",
        "key_exchange": "X25519MLKEM768",
    }


def test_an_arm_has_what_its_transport_has() -> None:
    found = parse(FRAME + EVERY)
    of_tcp = {"tcp_receive_buffer", "tcp_send_buffer", "slow_start_after_idle"}
    of_quic = {"udp_receive_buffer", "udp_send_buffer", "ack_frequency", "mtu_discovery", "initial_mtu"}
    assert of(found, "h3").keys() == KNOBS.keys() - of_tcp
    assert of(found, "h2").keys() == KNOBS.keys() - of_quic
    assert of(found, "h1").keys() == of(found, "h2").keys() - {"stream_window", "connection_window"}
    assert of(found, "h2+tls12").keys() == of(found, "h2").keys() - {"cipher", "key_exchange"}


def test_an_arms_own_table_stands_over_that_of_all() -> None:
    found = parse(
        FRAME + '[knobs]\npacing = true\nstream_window = "1MB"\n[knobs.h2]\nstream_window = "2MB"\n'
        '[knobs."h2@bbr"]\ntcp_send_buffer = "64kB"\n'
    )
    assert of(found, "h2") == {"pacing": True, "stream_window": 2_000_000}
    assert of(found, "h3") == {"pacing": True, "stream_window": 1_000_000}
    assert of(found, "h2@bbr") == {"pacing": True, "stream_window": 1_000_000, "tcp_send_buffer": 64_000}


def test_nothing_asked_is_the_experiment_of_versions_without_knobs() -> None:
    for asked in ("", "fair = false\n", "knobs = {}\n", "knobs = { h3 = {} }\n"):
        found = parse(asked + OLD)
        assert found.digest() == RECORDED
        assert found.resolved().keys().isdisjoint({"fair", "knobs"})


def test_a_knob_and_fairness_make_another_experiment_and_equal_sizes_do_not() -> None:
    digests = {
        parse(asked + OLD).digest()
        for asked in (
            "fair = true\n",
            "knobs = { pacing = true }\n",
            "knobs = { h3 = { pacing = true } }\n",
            'knobs = { stream_window = "1MiB" }\n',
        )
    }
    assert len(digests | {RECORDED}) == 5
    assert parse('knobs = { stream_window = "1024KiB" }\n' + OLD).digest() in digests


def test_whatever_is_asked_survives_being_resolved() -> None:
    draw = random.Random(5)
    for _ in range(200):
        fair = "fair = true\n" if draw.random() < 0.5 else ""
        found = parse(fair + FRAME.replace('["near"]', '["direct"]') + some_knobs(draw))
        assert again(found) == found
        assert again(found).digest() == found.digest()
        assert toml_text.dumps(again(found).resolved()) == toml_text.dumps(found.resolved())


def some_knobs(draw: random.Random) -> str:
    """The text of some knobs for all arms of FRAME, and of some for single ones that have them."""
    every = [line for line in EVERY.splitlines()[1:] if draw.random() < 0.3]
    lines = ["[knobs]", *every] if draw.random() < 0.7 else []
    for arm in ("h1", "h2", "h3", "h2@bbr"):
        own = [name for name, knob in KNOBS.items() if arm[:2] in knob.ends and draw.random() < 0.2]
        if draw.random() < 0.6:
            lines += [f'[knobs."{arm}"]', *(f"{name} = {a_value(draw, name)}" for name in own)]
    return "\n".join(lines) + "\n"


def a_value(draw: random.Random, name: str) -> str:
    """A value that every arm with such a thing can have, as TOML."""
    kind = KNOBS[name].kind
    match kind:
        case "size":
            least, most = (1200, 1472) if name == "initial_mtu" else (65535, 2**24)
            return f'"{draw.randint(least, most)}B"'
        case "flag":
            if name == "slow_start_after_idle":
                return "false"
            return "true" if name == "pacing" or draw.random() < 0.5 else "false"
        case "count":
            return str(draw.randint(0, 1000))
        case "cipher":
            return f'"{draw.choice(CIPHERS)}"'
        case "group":
            return f'"{draw.choice(GROUPS)}"'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[knobs]\npaceing = true\n", "line 8: key 'knobs.paceing': unknown knob 'paceing'; did you mean"),
        ("[knobs]\npacing = 1\n", "line 8: key 'knobs.pacing': 1 is neither true nor false."),
        ("[knobs.pacing]\n", "line 7: key 'knobs.pacing': {} is neither true nor false."),
        ("[knobs]\nstream_window = 65536\n", "line 8: key 'knobs.stream_window': 65536 is a bare number"),
        ('[knobs]\nstream_window = "2000MB"\n', "'2000MB' is no size from 1024B to 1073741824B."),
        ('[knobs]\ninitial_mtu = "1199B"\n', "'1199B' is no size from 1200B to 1472B."),
        ('[knobs]\ntcp_send_buffer = "4kB"\n', "'4kB' is no size from 4096B to 1073741824B."),
        ("[knobs]\nack_frequency = 1001\n", "1001 is no whole number from 0 to 1000."),
        ('[knobs]\ncipher = "TLS13_AES_128"\n', "unknown cipher 'TLS13_AES_128'; did you mean 'TLS13_AES"),
        ('[knobs]\nkey_exchange = "x25519"\n', "unknown group of a key exchange 'x25519'; did you mean"),
        ('[knobs."h3@cubic"]\n', "line 7: key 'knobs.h3@cubic': unknown arm 'h3@cubic'"),
        ("[knobs]\nh3 = true\n", "line 8: key 'knobs.h3': True is no table; write h3 = {"),
        (
            '[knobs.h3]\ntcp_send_buffer = "1MB"\n',
            "line 8: key 'knobs.h3.tcp_send_buffer': HTTP/3 over QUIC has no such thing; arms of h1 and h2 "
            "have.",
        ),
        (
            "[knobs.h2]\nack_frequency = 2\n",
            "line 8: key 'knobs.h2.ack_frequency': HTTP/2 over TCP has no such thing; arms of h3 have. "
            "Leave it out of arm 'h2'.",
        ),
        ('[knobs.h1]\nstream_window = "1MB"\n', "HTTP/1.1 over TCP has no such thing; arms of h2 and h3"),
        (
            '[knobs."h2+tls12"]\ncipher = "TLS13_AES_128_GCM_SHA256"\n',
            "line 8: key 'knobs.h2+tls12.cipher': TLS 1.2 has no TLS13_AES_128_GCM_SHA256.",
        ),
        ('[knobs."h2+tls12"]\nkey_exchange = "X25519MLKEM768"\n', "TLS 1.2 has no X25519MLKEM768."),
        (
            "[knobs]\npacing = false\n",
            "line 8: key 'knobs.pacing': arm 'h3': QUIC is always paced: quinn can't turn it off. "
            'Set it only for the arms that can, in [knobs."ARM"].',
        ),
        ("[knobs.h3]\npacing = false\n", "line 8: key 'knobs.h3.pacing': QUIC is always paced"),
        ('[knobs."h2@bbr"]\npacing = false\n', "line 8: key 'knobs.h2@bbr.pacing': BBR always paces."),
        (
            '[knobs."h2@bbr"]\nslow_start_after_idle = true\n',
            "line 8: key 'knobs.h2@bbr.slow_start_after_idle': BBR keeps its window after idle time.",
        ),
        ("[knobs]\nslow_start_after_idle = true\n", "arm 'h2@bbr': BBR keeps its window after idle time."),
        ('[knobs]\ninitial_window = "1448B"\n', "arm 'h3': QUIC's window is at least two datagrams, 2400B"),
        ('[knobs]\nconnection_window = "65534B"\n', "'65534B' is no size from 65535B to 1073741824B."),
        ('[knobs]\ninitial_window = "17MiB"\n', "'17MiB' is no size from 1B to 16777216B."),
        ('[knobs]\nudp_send_buffer = "1000MB"\n', "'1000MB' is no size from 4096B to 536870912B."),
    ],
)
def test_what_is_wrong_with_a_knob(text: str, said: str) -> None:
    message = refused(FRAME + text)
    assert said in message
    assert message.startswith("x.toml, line ")


def test_knobs_and_fairness_are_what_they_must_be() -> None:
    assert "key 'knobs': True is no table; write knobs = { initial_window" in refused("knobs = true\n" + REST)
    assert "key 'fair': 1 is neither true nor false." in refused("fair = 1\n" + REST)


def test_an_override_is_told_where_it_asks_for_what_cannot_be() -> None:
    with pytest.raises(InputError, match=r"^--set knobs\.h2\.ack_frequency=2: key 'knobs\.h2\.ack_"):
        parse(
            "knobs = { h2 = { ack_frequency = 2 } }\n" + REST,
            overrides={("knobs", "h2", "ack_frequency"): "--set knobs.h2.ack_frequency=2"},
        )


def denied(text: str, folder: Path = Path()) -> str:
    with pytest.raises(InputError) as caught:
        capabilities.check(parse(text, folder))
    return caught.value.message


def test_what_only_our_own_ends_honour_is_refused_with_who_can() -> None:
    caddy = 'origins = ["builtin", "caddy"]\n' + FRAME
    message = denied(caddy + '[knobs.h3]\ninitial_window = "14480B"\n')
    assert message == (
        "arm 'h3': knob 'initial_window': origin 'caddy' has no such setting. It can be honoured by builtin."
    )
    assert "knob 'pacing': origin 'caddy' has no such setting" in denied(
        caddy + "[knobs.h2]\npacing = true\n"
    )
    chromium = 'clients = ["chromium"]\n' + FRAME
    message = denied(chromium + '[knobs]\ncipher = "TLS13_AES_128_GCM_SHA256"\n')
    assert "arm 'h1': knob 'cipher': client 'chromium' has no such setting." in message
    assert message.endswith("It can be honoured by native.")
    assert "client 'chromium'" in denied(chromium + "[knobs]\nack_frequency = 2\n")


@pytest.mark.parametrize(
    "knob",
    ['tcp_send_buffer = "1MB"', 'initial_window = "1MB"', "slow_start_after_idle = true", "offloads = false"],
)
def test_what_the_hosts_honour_is_refused_on_loopback_and_of_live_servers(knob: str) -> None:
    message = denied(REST + f"[knobs]\n{knob}\n")
    assert f"arm 'h2': knob '{knob.split(' ')[0]}': path 'direct' can't do it: it has no hosts" in message
    assert message.endswith("Any emulated path can.")
    live = 'origins = ["https://a.test/"]\n' + LIVE
    assert "it has no hosts of its own" in denied(live + f"[knobs]\n{knob}\n")


@pytest.mark.parametrize(
    ("knob", "origin", "client"),
    [
        ('tcp_send_buffer = "1MB"', "caddy", "chromium"),
        ("offloads = false", "caddy", "chromium"),
        ('stream_window = "1MB"', "caddy", "native"),
        ('udp_receive_buffer = "1MB"', "caddy", "native"),
        ('cipher = "TLS13_AES_128_GCM_SHA256"', "caddy", "native"),
        ("pacing = true", "builtin", "chromium"),
        ('udp_send_buffer = "1MB"', "builtin", "chromium"),
        ("mtu_discovery = false", "builtin", "chromium"),
        ("ack_frequency = 2", "builtin", "native"),
    ],
)
def test_what_somebody_honours_is_let_through(
    knob: str, origin: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a host lacks a server or a browser is another matter."""
    experiment = parse(f'origins = ["{origin}"]\nclients = ["{client}"]\n{FRAME}[knobs]\n{knob}\n')
    for kind in (origins.ORIGINS[origin], clients.CLIENTS[client]):
        monkeypatch.setattr(type(kind), "require", lambda _self: None)
        monkeypatch.setattr(type(kind), "refusal", lambda _self, _arm: None)
    capabilities.check(experiment)


def test_what_is_so_anyway_needs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(origins.ORIGINS["caddy"]), "require", lambda _self: None)
    capabilities.check(parse(REST + "[knobs]\noffloads = true\n"))
    bbr = FRAME.replace('["h1", "h2", "h3", "h2@bbr", "h2+tls12"]', '["h2@bbr"]')
    capabilities.check(parse(f'origins = ["caddy"]\n{bbr}[knobs]\npacing = true\n'))
    direct = bbr.replace('["near"]', '["direct"]')
    capabilities.check(parse(f"{direct}[knobs]\nslow_start_after_idle = false\n"))


def test_a_datagram_that_the_path_does_not_carry_is_refused() -> None:
    assert denied(FRAME + '[knobs]\ninitial_mtu = "1373B"\n') == (
        "arm 'h3': knob 'initial_mtu': path 'near' carries IP packets of 1400 bytes, so its UDP "
        "payloads have at most 1372B."
    )
    capabilities.check(parse(FRAME + '[knobs]\ninitial_mtu = "1372B"\n'))


def test_an_initial_window_of_less_than_two_datagrams_is_refused() -> None:
    knobs = '[knobs]\ninitial_window = "2743B"\n'
    message = denied(FRAME + knobs + 'initial_mtu = "1372B"\n')
    assert "arm 'h3': knob 'initial_window': 2743B is less than two datagrams of 1372B" in message
    assert "two datagrams of 1372B" in denied("fair = true\n" + FRAME + knobs)
    capabilities.check(parse(FRAME + knobs))


CROSSED = """\
sites = ["tiny"]
paths = ["shared"]
arms = ["h2", "h3"]
seed = 1
path.shared = { cross = { flows = 2 }, down = { rate = "10Mbit" }, up = {} }

"""


def test_a_knob_that_no_arm_has_is_refused() -> None:
    quic = FRAME.replace('["h1", "h2", "h3", "h2@bbr", "h2+tls12"]', '["h3", "h3@bbr"]')
    assert denied(quic + '[knobs]\ntcp_send_buffer = "1MB"\n') == (
        "knob 'tcp_send_buffer' applies to no arm: HTTP/3 over QUIC has no such thing; arms of h1 "
        "and h2 have. Leave it out of [knobs]."
    )
    over_quic = CROSSED.replace('["h2", "h3"]', '["h3"]')
    capabilities.check(parse(over_quic + '[knobs]\ntcp_send_buffer = "1MB"\n'))
    assert "applies to no arm" in denied(CROSSED.replace('"h3"', '"h1"') + "[knobs]\nack_frequency = 2\n")


@pytest.mark.parametrize("knob", ['tcp_receive_buffer = "1MB"', "slow_start_after_idle = false"])
def test_one_arms_own_knob_must_not_reach_the_flows_beside_it(knob: str) -> None:
    message = denied(CROSSED + f"[knobs.h2]\n{knob}\n")
    assert f"arm 'h2': knob '{knob.split(' ')[0]}': it also applies to the cross traffic of path" in message
    assert message.endswith("Set it for all arms, in [knobs].")
    capabilities.check(parse(CROSSED + f"[knobs]\n{knob}\n[knobs.h2]\n{knob}\n"))
    capabilities.check(parse(CROSSED + '[knobs.h2]\ninitial_window = "30kB"\n'))
    capabilities.check(parse(FRAME + f"[knobs.h2]\n{knob}\n"))


def test_more_segments_than_a_route_takes_are_refused() -> None:
    narrow = FRAME.replace('"1400B"', '"68B"').replace('"h2", "h3", "h2@bbr", "h2+tls12"', '"h2"')
    knobs = '[knobs]\ninitial_window = "2MiB"\n'
    assert "this is 131072 segments, because its MTU is small. A route takes 65535 at most." in denied(
        narrow + knobs
    )
    capabilities.check(parse(FRAME.replace('"h3", ', "") + knobs))
