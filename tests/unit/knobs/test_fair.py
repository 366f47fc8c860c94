"""`fair = true`: what it asks for where, what stands over it, and what it says that it can't equal."""

import pytest

from pronghorn.knobs import effective, fair
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import Value
from pronghorn.model.trial import Cell

from ..model.experiments import LIVE, REST, parse

PATHS = """\
[path.plain]
down = { delay = "10ms" }
up = { delay = "10ms" }

[path.narrow]
down = { mtu = "1400B" }
up = { mtu = "9000B" }

[path.slit]
down = { mtu = "1000B" }
up = {}
"""

MIB = 2**20


@pytest.fixture(autouse=True)
def generous(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that gives everybody the buffers which are asked for."""
    monkeypatch.setattr(fair, "obtainable", lambda _direction, asked: asked)


def fairly(
    arms: str = '"h2", "h3"',
    *,
    path: str = "plain",
    origin: str = "builtin",
    client: str = "native",
    more: str = "",
) -> tuple[Experiment, Cell]:
    """A fair experiment of one cell; `more` are tables."""
    experiment = parse(
        f'fair = true\nsites = ["tiny"]\npaths = ["{path}"]\norigins = ["{origin}"]\nclients = ["{client}"]\n'
        f"arms = [{arms}]\nseed = 1\n{more}{PATHS}"
    )
    (cell,) = experiment.cells()
    return experiment, cell


def asked(experiment: Experiment, cell: Cell, arm: str) -> dict[str, Value]:
    return effective.of_arm(experiment, cell, experiment.arm(arm)).asked()


def test_both_transports_are_asked_for_the_same() -> None:
    both = {
        "initial_window": 14480,
        "pacing": True,
        "stream_window": 16 * MIB,
        "connection_window": 24 * MIB,
        "cipher": "TLS13_AES_128_GCM_SHA256",
        "key_exchange": "X25519",
    }
    assert asked(*fairly(), "h2") == both | {
        "tcp_receive_buffer": 16 * MIB,
        "tcp_send_buffer": 16 * MIB,
        "slow_start_after_idle": False,
    }
    assert asked(*fairly(), "h3") == both | {
        "udp_receive_buffer": 4 * MIB,
        "udp_send_buffer": 4 * MIB,
        "mtu_discovery": False,
        "initial_mtu": 1472,
    }


def test_an_ordinary_user_is_asked_for_the_buffers_that_the_kernel_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        fair, "obtainable", lambda direction, _asked: {"receive": 212992, "send": 300000}[direction]
    )
    found = asked(*fairly(), "h3")
    assert (found["udp_receive_buffer"], found["udp_send_buffer"]) == (212992, 300000)


def test_the_paths_mtu_decides_about_datagrams_and_whole_segments() -> None:
    experiment, cell = fairly(path="narrow")
    for arm in ("h2", "h3"):
        assert asked(experiment, cell, arm)["initial_window"] == 10 * 1348
        assert effective.initial_window_bytes(experiment, cell, experiment.arm(arm)) == 10 * 1348
    assert asked(experiment, cell, "h3")["initial_mtu"] == 1372
    assert effective.of_bench(experiment, cell, experiment.arm("h2"))["tcp"]["initial_window_segments"] == 10


def test_marks_that_only_quics_packets_allow_are_told() -> None:
    queue = 'queue = { limit = "128kB", discipline = "codel"'
    marking = f'[path.marking]\ndown = {{ rate = "5Mbit", {queue}, ecn = true }} }}\nup = {{}}\n'
    dropping = f'[path.dropping]\ndown = {{ rate = "5Mbit", {queue} }} }}\nup = {{}}\n'
    found = fairly(path="marking", more=marking)
    assert "Path 'marking' marks packets that allow it (ECN)" in unequalled(found, "h3")
    assert "ECN" not in unequalled(found, "h2")
    assert "ECN" not in unequalled(fairly(path="dropping", more=dropping), "h3")


def test_a_knob_stands_over_it() -> None:
    more = '[knobs]\nstream_window = "1MiB"\nmtu_discovery = true\n[knobs.h2]\ninitial_window = "5000B"\n'
    experiment, cell = fairly(more=more)
    assert asked(experiment, cell, "h2")["stream_window"] == MIB
    assert asked(experiment, cell, "h2")["initial_window"] == 5000
    assert effective.initial_window_bytes(experiment, cell, experiment.arm("h2")) == 3 * 1448
    assert asked(experiment, cell, "h3")["initial_window"] == 14480
    assert asked(experiment, cell, "h3")["mtu_discovery"] is True


def test_without_it_only_knobs_are_asked_for() -> None:
    experiment = parse(REST)
    (cell,) = experiment.cells()
    for arm in experiment.arms:
        assert effective.of_arm(experiment, cell, arm).asked() == {}
        assert effective.of_bench(experiment, cell, arm) == {}
        assert fair.unequalled(experiment, cell, arm) == []


def test_tls12_stays_what_it_is() -> None:
    found = asked(*fairly('"h2+tls12", "h3"'), "h2+tls12")
    assert "cipher" not in found
    assert found["key_exchange"] == "X25519"


def test_of_a_foreign_origin_and_a_browser_only_the_hosts_are_asked() -> None:
    cell = fairly(origin="caddy", client="chromium")
    assert asked(*cell, "h3") == {}
    assert asked(*cell, "h2") == {
        "initial_window": 14480,
        "tcp_receive_buffer": 16 * MIB,
        "tcp_send_buffer": 16 * MIB,
        "slow_start_after_idle": False,
    }


def test_over_loopback_and_of_live_servers_the_hosts_are_asked_for_nothing() -> None:
    experiment, cell = fairly(path="direct")
    assert effective.of_bench(experiment, cell, experiment.arm("h2")) == {}
    assert "initial_mtu" not in asked(experiment, cell, "h3")
    live = parse('fair = true\norigins = ["https://a.test/"]\n' + LIVE)
    (cell,) = live.cells()
    assert asked(live, cell, "h2").keys() == {"stream_window", "connection_window", "cipher", "key_exchange"}


CROSS = """\
[path.shared]
cross = { flows = 2 }
down = { rate = "10Mbit" }
up = {}
"""


def test_flows_beside_the_measured_ones_find_the_same_hosts_in_every_arm() -> None:
    more = '[knobs]\ntcp_send_buffer = "1MiB"\n' + CROSS
    experiment, cell = fairly(path="shared", more=more)
    buffers = {"receive_buffer": 16 * MIB, "send_buffer": MIB, "slow_start_after_idle": False}
    assert effective.of_bench(experiment, cell, experiment.arm("h3")) == {"tcp": buffers}
    segments = {"initial_window_segments": 10}
    assert effective.of_bench(experiment, cell, experiment.arm("h2")) == {"tcp": buffers | segments}


def unequalled(found: tuple[Experiment, Cell], arm: str) -> str:
    experiment, cell = found
    return "\n".join(fair.unequalled(experiment, cell, experiment.arm(arm)))


def test_what_the_stacks_do_differently_is_told() -> None:
    over_tcp = unequalled(fairly(), "h2")
    assert "by HyStart" in over_tcp
    assert "reduction of TCP's window if" in over_tcp
    assert "The kernel paces TCP at two windows per round trip" in over_tcp
    assert "delays everything after it" in over_tcp
    over_quic = unequalled(fairly(), "h3")
    assert "quinn leaves 1 of QUIC's packets unacknowledged" in over_quic
    assert "With an initial window of 14480 bytes, quinn sends 9 full datagrams at once." in over_quic
    assert "HyStart" not in over_quic
    assert "Origin" not in over_tcp + over_quic


def test_what_a_knob_changes_about_it_is_told() -> None:
    found = fairly(more="[knobs.h3]\nack_frequency = 9\n[knobs.h2]\npacing = false\n")
    assert "quinn leaves 9 of QUIC's packets" in unequalled(found, "h3")
    assert "The kernel paces TCP" not in unequalled(found, "h2")


def test_each_control_has_differences_of_its_own() -> None:
    found = fairly('"h2@bbr", "h3@bbr", "h2@reno"')
    assert "HyStart" not in unequalled(found, "h2@bbr") + unequalled(found, "h2@reno")
    assert "quinn's BBR, which its authors call experimental" in unequalled(found, "h3@bbr")
    assert "reduction of TCP's window if" in unequalled(found, "h2@reno")


def test_arms_over_one_transport_only_have_its_stack_in_common() -> None:
    assert unequalled(fairly('"h1", "h2"'), "h2") == ""
    assert unequalled(fairly('"h3", "h3@bbr"'), "h3@bbr") == ""


def test_who_cannot_be_told_of_what_is_told() -> None:
    found = fairly(origin="caddy", client="chromium")
    assert "Origin 'caddy' can't set h2's pacing; builtin could." in unequalled(found, "h2")
    over_quic = unequalled(found, "h3")
    assert (
        "Origin 'caddy' can't set h3's initial window, pacing, UDP send buffer, MTU discovery and "
        "initial MTU; builtin could."
    ) in over_quic
    assert (
        "Client 'chromium' can't set h3's stream window, connection window, UDP receive buffer, "
        "cipher and key exchange; native could."
    ) in over_quic
    assert "Over QUIC origin 'caddy' has its own congestion control, loss recovery and pacing" in over_quic
    assert "Client 'chromium' has its own way of acknowledging over QUIC." in over_quic
    assert "quinn" not in over_quic + unequalled(found, "h2")


def test_what_a_path_forbids_is_told() -> None:
    over_loopback = unequalled(fairly(path="direct"), "h2")
    assert "The hosts of path 'direct' can't set h2's initial window, TCP receive" in over_loopback
    assert "TCP and QUIC each find their own packet size" in unequalled(fairly(path="direct"), "h3")
    assert "Path 'slit' carries datagrams of at most 972 bytes" in unequalled(fairly(path="slit"), "h3")
    assert "initial_mtu" not in asked(*fairly(path="slit"), "h3")
    assert "TCP begins with 1500 and learns it by ICMP" in unequalled(fairly(path="narrow"), "h2")
    assert "ICMP" not in unequalled(fairly(), "h2")


@pytest.mark.parametrize("arm", ["h1", "h2", "h3", "h2+tls12", "h3~altsvc", "h3@bbr", "h2@reno"])
@pytest.mark.parametrize("origin", ["builtin", "caddy"])
@pytest.mark.parametrize("path", ["plain", "direct", "slit"])
def test_every_sentence_is_one_and_stands_once(arm: str, origin: str, path: str) -> None:
    others = [f'"{name}"' for name in ("h2#a", "h3#b", arm)]
    experiment, cell = fairly(", ".join(others), path=path, origin=origin, client="chromium")
    sentences = fair.unequalled(experiment, cell, experiment.arm(arm))
    assert sentences
    assert all(sentence.endswith(".") and "{" not in sentence for sentence in sentences)
    assert len(set(sentences)) == len(sentences)
