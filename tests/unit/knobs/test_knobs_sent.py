"""What a run asks the engine for because of knobs and fairness, and what its files keep of it."""

from typing import Any

import polars
import pytest

from pronghorn.host.socket_buffers import obtainable
from pronghorn.knobs import fair

from ..laboratory import EXPERIMENT, Laboratory

FIRST = EXPERIMENT.partition("[path.near]")[0].replace("repeat = 3", "repeat = 1")
PATHS = EXPERIMENT.removeprefix(EXPERIMENT.partition("[path.near]")[0])

MIB = 2**20


def asked(laboratory: Laboratory, text: str, *arguments: str) -> dict[str, dict[str, dict[str, Any]]]:
    """By arm and operation the last request of a run of the experiment `text` on the path `near`."""
    log = laboratory.folder / "log"
    log.unlink(missing_ok=True)
    laboratory.behave(log=str(log))
    laboratory.write("knobs.toml", text.replace('["near", "far"]', '["near"]'))
    result = laboratory.run("run", "knobs.toml", "--out", "run", "--jobs", "1", *arguments)
    assert result.status == 0, result.stderr
    found: dict[str, dict[str, dict[str, Any]]] = {}
    trial: dict[str, dict[str, Any]] = {}
    for request in laboratory.requests(log):
        trial = {} if request["op"] == "open" else trial
        trial[request["op"]] = request
        if request["op"] == "load":
            found[request["protocol"]] = trial
    return found


def test_where_nothing_is_asked_the_requests_are_those_of_before(laboratory: Laboratory) -> None:
    for requests in asked(laboratory, FIRST + PATHS).values():
        assert requests["open"].keys() == {
            "pid", "id", "op", "path", "seed", "tcp_congestion_control", "capture", "arrivals",
        }  # fmt: skip
        assert "knobs" not in requests["origin"]
        assert "knobs" not in requests["load"]
    manifest = laboratory.manifest("run")
    assert manifest["fair"] is False
    assert [arm["knobs"] for arm in manifest["arms"].values()] == [[], [], []]
    assert not any(trial.knobs for trial in laboratory.trials("run"))


KNOBS = """\
[knobs]
initial_window = "50kB"
pacing = true
stream_window = "1MiB"
connection_window = "2MiB"
tcp_receive_buffer = "3MiB"
tcp_send_buffer = "4MiB"
udp_receive_buffer = "5MiB"
udp_send_buffer = "6MiB"
offloads = false
ack_frequency = 10
mtu_discovery = true
initial_mtu = "1300B"
slow_start_after_idle = true
cipher = "TLS13_CHACHA20_POLY1305_SHA256"
key_exchange = "SECP256R1"

"""


def test_every_knob_goes_to_who_honours_it(laboratory: Laboratory) -> None:
    found = asked(laboratory, FIRST + KNOBS + PATHS)
    tcp = {
        "initial_window_segments": 34,
        "receive_buffer": 3 * MIB,
        "send_buffer": 4 * MIB,
        "slow_start_after_idle": True,
    }
    assert found["h1"]["open"]["tcp"] == found["h2"]["open"]["tcp"] == tcp
    assert "tcp" not in found["h3"]["open"]
    assert {requests["open"]["offloads"] for requests in found.values()} == {False}

    offered = {"cipher": "TLS13_CHACHA20_POLY1305_SHA256", "key_exchange": "SECP256R1"}
    windows = {"stream_window": MIB, "connection_window": 2 * MIB}
    quic = {
        "initial_window": 50_000,
        "udp_receive_buffer": 5 * MIB,
        "udp_send_buffer": 6 * MIB,
        "segmentation_offload": False,
        "ack_frequency": 10,
        "mtu_discovery": True,
        "initial_mtu": 1300,
    }
    of_origin: dict[str, dict[str, Any]] = {
        "h1": {"pacing": True},
        "h2": {"pacing": True} | windows,
        "h3": {"pacing": True} | windows | quic,
    }
    for protocol, knobs in of_origin.items():
        assert found[protocol]["origin"]["knobs"] == knobs
        assert found[protocol]["load"]["knobs"] == knobs | offered


def test_fairness_goes_the_same_ways(laboratory: Laboratory) -> None:
    found = asked(laboratory, "fair = true\n" + FIRST + PATHS)
    assert found["h2"]["open"]["tcp"] == {
        "initial_window_segments": 10,
        "receive_buffer": 16 * MIB,
        "send_buffer": 16 * MIB,
        "slow_start_after_idle": False,
    }
    assert not any("offloads" in requests["open"] for requests in found.values())
    both = {"pacing": True, "stream_window": 16 * MIB, "connection_window": 24 * MIB}
    assert found["h2"]["origin"]["knobs"] == both
    assert found["h3"]["origin"]["knobs"] == both | {
        "initial_window": 14480,
        "udp_receive_buffer": obtainable("receive", 4 * MIB),
        "udp_send_buffer": obtainable("send", 4 * MIB),
        "mtu_discovery": False,
        "initial_mtu": 1472,
    }
    assert found["h3"]["load"]["knobs"] == found["h3"]["origin"]["knobs"] | {
        "cipher": "TLS13_AES_128_GCM_SHA256",
        "key_exchange": "X25519",
    }


def test_the_runs_files_keep_what_was_asked(laboratory: Laboratory) -> None:
    narrow = 'up = { rate = "1Gbit", delay = "500us", mtu = "1400B" }'
    text = FIRST + '[knobs.h1]\ninitial_window = "1448B"\n' + PATHS
    text = text.replace('up = { rate = "1Gbit", delay = "500us" }', narrow)
    laboratory.write("fair.toml", "fair = true\n" + text)
    assert laboratory.run("run", "fair.toml", "--out", "run").status == 0
    manifest = laboratory.manifest("run")
    assert manifest["fair"] is True
    payloads = {tuple(one["cells"]): one["knobs"]["initial_mtu"] for one in manifest["arms"]["h3"]["knobs"]}
    assert payloads == {("tiny/near/builtin/native",): 1372, ("tiny/far/builtin/native",): 1472}
    (one,) = manifest["arms"]["h1"]["knobs"][:1]
    assert one["knobs"]["initial_window"] == 1448
    sending = {name: arm["origins"]["builtin"]["initial_window"] for name, arm in manifest["arms"].items()}
    assert sending["h2"] == sending["h3"] == ["13480 bytes", "14480 bytes"]
    assert sending["h1"] == ["1348 bytes", "1448 bytes"]
    for trial in laboratory.trials("run"):
        expected = 1448 if trial.arm == "h1" else {"near": 13480, "far": 14480}[trial.cell.path]
        assert trial.knobs["initial_window"] == expected
    table = polars.read_parquet(laboratory.folder / "run" / "trials.parquet")
    assert all('"pacing": true' in text for text in table["knobs"])


def test_a_run_with_knobs_is_resumed_from_its_own_experiment(laboratory: Laboratory) -> None:
    laboratory.write("knobs.toml", "fair = true\n" + FIRST + KNOBS + PATHS)
    assert laboratory.run("run", "knobs.toml", "--out", "run").status == 0
    before = laboratory.trials("run")
    assert laboratory.run("run", "--resume", "run").status == 0
    assert laboratory.run("run", "knobs.toml", "--resume", "run").status == 0
    assert laboratory.trials("run") == before
    other = laboratory.run("run", "knobs.toml", "--resume", "run", "--set=fair=false")
    assert other.status == 2
    assert "holds a run of another experiment" in other.stderr


def test_a_fair_run_goes_on_only_where_it_gets_the_same(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    laboratory.write("knobs.toml", "fair = true\n" + FIRST + PATHS)
    assert laboratory.run("run", "knobs.toml", "--out", "run").status == 0
    before = laboratory.trials("run")
    monkeypatch.setattr(fair, "obtainable", lambda _direction, _asked: 65536)
    other = laboratory.run("run", "--resume", "run")
    assert other.status == 2
    assert "arm 'h3' on tiny/" in other.stderr
    assert "udp_receive_buffer = " in other.stderr and "and would now have 65536" in other.stderr
    assert laboratory.trials("run") == before


def test_knobs_can_be_set_on_the_command_line(laboratory: Laboratory) -> None:
    sets = ("--set=knobs.stream_window=64KiB", "--set=knobs.h3.ack_frequency=5", "--set=fair=true")
    found = asked(laboratory, FIRST + PATHS, *sets)
    assert found["h2"]["load"]["knobs"]["stream_window"] == 65536
    assert found["h3"]["load"]["knobs"]["ack_frequency"] == 5
    wrong = laboratory.run("run", "knobs.toml", "--set=knobs.h2.ack_frequency=5")
    assert wrong.status == 2
    assert "--set knobs.h2.ack_frequency=5: key 'knobs.h2.ack_frequency': HTTP/2 over" in wrong.stderr


def test_an_unmeasured_visit_has_the_knobs_of_the_load(laboratory: Laboratory) -> None:
    """Its session is resumed with its own cipher only."""
    text = FIRST.replace('["h1", "h2", "h3"]', '["h2+resumed"]')
    asked(laboratory, text + '[knobs]\ncipher = "TLS13_AES_128_GCM_SHA256"\n' + PATHS)
    loads = [one for one in laboratory.requests(laboratory.folder / "log") if one["op"] == "load"]
    assert {one["session"] for one in loads} == {"gain", "resumed"}
    assert {one["knobs"]["cipher"] for one in loads} == {"TLS13_AES_128_GCM_SHA256"}


def test_where_a_host_has_no_namespaces_knobs_are_not_dropped(laboratory: Laboratory) -> None:
    laboratory.behave(isolation="none", isolation_reason="denied", mend="allow them")
    result = laboratory.run("run", "--set=knobs.tcp_send_buffer=1MiB", "--out", "run")
    assert result.status == 3
    assert "this host can't emulate a network" in result.stderr
