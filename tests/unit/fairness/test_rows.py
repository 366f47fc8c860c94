"""What stands in the manifest: values as read back, arm beside arm, and which differences are warned of."""

from typing import Any

import pytest

from pronghorn.fairness import labels
from pronghorn.model.experiment_knobs import KnobTables
from pronghorn.model.knobs import Knobs
from pronghorn.model.trial import Trial

from .records import codes, experiment, found, profile, row, text, trial

WINDOW = "initial window"
CONTROL = "congestion control, from origin to client"


def test_what_was_read_back_stands_before_what_is_shipped() -> None:
    asked = experiment()
    shipped = row(found(asked), WINDOW)
    assert shipped["by_arm"] == {
        "h2": "10 segments (Linux, RFC 6928)",
        "h3": "12000 bytes (quinn-proto 0.11)",
    }
    read = [trial("h2", served={"settings": {"initial_window": 14480}}), trial("h3")]
    assert row(found(asked, read), WINDOW)["by_arm"]["h2"] == 14480


def test_trials_that_differ_are_a_list_and_what_nobody_tells_is_null() -> None:
    asked = experiment()
    trials = [
        trial("h3", block=block, served={"settings": {"udp_payload": size}})
        for block, size in enumerate((1200, 1452, 1452))
    ]
    found_row = row(found(asked, trials), "size of a full IP packet")
    assert found_row["by_arm"] == {"h2": None, "h3": [1228, 1480]}
    assert found_row["unit"] == "bytes"


def test_a_window_without_a_bound_is_called_so() -> None:
    trials = [trial("h3", connection={"settings": {"connection_window": 2**62 - 1}})]
    [cell] = found(experiment(), trials).cells
    [window] = [one for one in cell.rows if one.setting.key == "connection-window"]
    assert window.listed(["h3"]) == "h3: no bound"


def test_every_row_says_what_a_difference_does_and_unequal_ones_what_removes_it() -> None:
    [cell] = found(experiment(), [trial("h2"), trial("h3")]).to_manifest()
    assert cell["cell"] == {"site": "tiny", "path": "line", "origin": "builtin", "client": "native"}
    assert cell["unequalled"] == []
    for one in cell["rows"]:
        assert one["effect"]
        assert (one["remedy"] is None) == (one["equal"] is not False)
    assert not all(one["equal"] is not False for one in cell["rows"])


def test_controls_bear_the_stack_that_ran_them() -> None:
    trials = [
        trial("h2@bbr", served={"congestion_control": "bbr"}),
        trial("h3@bbr", served={"congestion_control": "bbr"}),
    ]
    asked = experiment(("h2@bbr", "h3@bbr"))
    told = row(found(asked, trials, libraries={"quinn-proto": "0.11.19"}), CONTROL)
    assert told["by_arm"] == {
        "h2@bbr": "bbr (Linux 6.18, BBR v1)",
        "h3@bbr": "bbr (quinn-proto 0.11.19, experimental BBR v1)",
    }
    assert told["equal"]


def test_a_later_bbr_of_the_kernels_is_another_algorithm() -> None:
    host = {"kernel": "6.18.5", labels.BBR_VERSION: "3"}
    later = labels.of_kernel("bbr", host)
    assert later == "bbr (Linux 6.18, BBR v3)"
    assert labels.algorithm(later) != labels.algorithm(labels.of_quic("bbr", "quinn", {}))
    assert labels.algorithm("reno (Linux 6.18)") == labels.algorithm("newreno (quinn-proto 0.11.19)")
    flawed = "New Reno that counts a datagram as 65527 bytes (nginx 1.26.3)"
    assert labels.algorithm(flawed) != labels.algorithm("newreno (quic-go 0.63.0)")


@pytest.mark.parametrize(
    ("setting", "h2", "h3", "code"),
    [
        ("initial_window", 14480, 12000, "arms-differ-initial-window"),
        ("initial_window", 28960, 14480, "arms-differ-initial-window"),
    ],
)
def test_unequal_first_windows_are_a_warning(setting: str, h2: int, h3: int, code: str) -> None:
    trials = [
        trial("h2", served={"settings": {setting: h2}}),
        trial("h3", served={"settings": {setting: h3}}),
    ]
    found_text = text(found(experiment(), trials), code)
    assert f"h2: {h2} bytes; h3: {h3} bytes" in found_text


def test_windows_within_a_packet_of_one_another_are_none() -> None:
    trials = [
        trial("h2", served={"settings": {"initial_window": 13480}}),
        trial("h3", served={"settings": {"initial_window": 14480}}),
    ]
    findings = found(experiment(), trials)
    assert "arms-differ-initial-window" not in codes(findings)
    assert row(findings, WINDOW)["equal"]


@pytest.mark.parametrize(("mss", "payload", "warned"), [(1448, 1472, False), (1448, 1200, True)])
def test_unequal_packets_are_a_warning_from_a_hundredth_on(mss: int, payload: int, warned: bool) -> None:
    trials = [
        trial("h2", served={"settings": {"mss": mss}}),
        trial("h3", served={"settings": {"udp_payload": payload}}),
    ]
    assert ("arms-differ-packet" in codes(found(experiment(), trials))) == warned


TLS: dict[str, dict[str, Any]] = {
    "tls_version": {"h2": "TLS 1.2", "h3": "TLS 1.3"},
    "cipher": {"h2": "TLS13_AES_128_GCM_SHA256", "h3": "TLS13_AES_256_GCM_SHA384"},
    "key_exchange": {"h2": "X25519", "h3": "X25519MLKEM768"},
}


@pytest.mark.parametrize("key", TLS)
def test_tls_that_differs_unasked_is_a_warning(key: str) -> None:
    trials = [trial(arm, connection={key: value}) for arm, value in TLS[key].items()]
    code = f"arms-differ-{key.replace('_', '-')}"
    assert code in codes(found(experiment(), trials))
    same = [trial(arm, connection={key: TLS[key]["h3"]}) for arm in TLS[key]]
    assert code not in codes(found(experiment(), same))
    one_tells = [trial("h2", connection={key: TLS[key]["h2"]}), trial("h3")]
    assert code not in codes(found(experiment(), one_tells))


def test_the_only_cipher_that_was_offered_is_the_one_that_was_agreed_on() -> None:
    knobs = KnobTables(common=Knobs(cipher="TLS13_AES_128_GCM_SHA256"))
    told = {"cipher": "TLS_AES_128_GCM_SHA256"}
    findings = found(experiment(knobs=knobs), [trial("h2", connection=told), trial("h3")])
    assert row(findings, "cipher")["by_arm"]["h3"] == "TLS13_AES_128_GCM_SHA256 (asked)"
    assert row(findings, "cipher")["equal"]


def test_tls_1_2_that_was_asked_for_is_no_warning_but_unequal_all_the_same() -> None:
    asked = experiment(("h2", "h2+tls12"))
    trials = [
        trial("h2", connection={"tls_version": "TLS 1.3", "cipher": "A"}),
        trial("h2+tls12", connection={"tls_version": "TLS 1.2", "cipher": "B"}),
    ]
    findings = found(asked, trials)
    assert not codes(findings) & {"arms-differ-tls-version", "arms-differ-cipher"}
    assert not row(findings, "TLS version")["equal"]


def test_slow_start_is_compared_between_arms_of_one_control() -> None:
    assert "arms-differ-slow-start-until" not in codes(found(experiment(("h2@reno", "h3@newreno"))))
    assert "arms-differ-slow-start-until" not in codes(found(experiment(("h2@bbr", "h3@newreno"))))


def test_what_matters_less_shares_one_warning() -> None:
    trials = [
        trial(
            arm,
            connection={"settings": {"stream_window": window}},
            served={"settings": {"pacing": arm == "h3"}},
        )
        for arm, window in (("h2", 2 * 2**20), ("h3", 1_250_000))
    ]
    idle = {"net.ipv4.tcp_slow_start_after_idle": "1"}
    said = text(found(experiment(), trials, sysctls=idle), "arms-differ")
    assert "client's window of a stream" in said
    assert "pacing" in said
    assert "window reset after idle time" in said


def test_what_an_arms_own_knobs_ask_for_is_no_warning() -> None:
    trials = [trial("h2"), trial("h3", served={"settings": {"initial_window": 30000}})]
    assert "arms-differ-initial-window" in codes(found(experiment(), trials))
    for_one = experiment(knobs=KnobTables(by_arm={"h3": Knobs(initial_window=30000)}))
    findings = found(for_one, trials)
    assert "arms-differ-initial-window" not in codes(findings)
    assert not row(findings, WINDOW)["equal"]


def test_a_difference_that_a_knob_removes_names_it() -> None:
    remedy = row(found(experiment()), WINDOW)["remedy"]
    assert "initial_window under [knobs], or fair = true" in remedy


def test_what_was_asked_stands_until_it_is_read_back() -> None:
    knobs = KnobTables(common=Knobs(stream_window=2**20, pacing=True, slow_start_after_idle=False))
    findings = found(experiment(knobs=knobs))
    window = row(findings, "client's window of a stream")
    assert window["by_arm"] == dict.fromkeys(("h2", "h3"), "1048576 bytes (asked)")
    assert row(findings, "pacing")["by_arm"]["h2"] == "yes (asked)"
    assert row(findings, "window reset after idle time")["by_arm"]["h2"] == "no (asked)"


def test_fair_arms_come_with_what_they_can_t_be_equal_in() -> None:
    [plain] = found(experiment()).cells
    [fair] = found(experiment(fair=True)).cells
    assert plain.unequalled == []
    assert any("HyStart" in sentence for sentence in fair.unequalled)
    assert len(set(fair.unequalled)) == len(fair.unequalled)


def test_arms_that_are_equal_have_no_warning() -> None:
    assert codes(found(experiment(("h2", "h2#again")), [trial("h2"), trial("h2#again")])) == set()


def test_the_hosts_tcp_as_read_back_stands_before_this_machines() -> None:
    sysctls = {"net.ipv4.tcp_rmem": "4096 131072 6291456"}
    told = {"receive_buffer": [4096, 131072, 65536], "initial_window_segments": None}
    buffer = "client's largest TCP receive buffer"
    before = row(found(experiment(), sysctls=sysctls), buffer)["by_arm"]
    assert before["h2"] == "6291456 bytes (this machine's net.ipv4.tcp_rmem)"
    read = [trial("h2", host={"tcp": {"client": told, "server": told}})]
    findings = found(experiment(), read, sysctls=sysctls)
    assert row(findings, buffer)["by_arm"] == {"h2": 65536, "h3": None}
    assert row(findings, WINDOW)["by_arm"]["h2"] == "10 segments (Linux)"


def test_where_one_arm_does_not_tell_nobody_knows_that_they_are_equal() -> None:
    one_tells = [trial("h2", connection={"cipher": "TLS_AES_128_GCM_SHA256"}), trial("h3")]
    cipher = row(found(experiment(), one_tells), "cipher")
    assert cipher["equal"] is None
    assert cipher["remedy"] is None


def test_what_only_one_arm_has_needs_no_other_to_tell() -> None:
    trials = [
        trial("h2"),
        trial("h3", served={"settings": {"mtu_discovery": True, "udp_send_buffer": 425_984}}),
    ]
    findings = found(experiment(), trials)
    assert row(findings, "QUIC's discovery of the MTU")["equal"] is True
    assert row(findings, "origin's UDP send buffer")["equal"] is True


def test_an_arms_values_stand_in_an_order_of_their_own() -> None:
    def told(*sizes: int) -> object:
        trials = [
            trial("h3", block=block, served={"settings": {"udp_payload": size}})
            for block, size in enumerate(sizes)
        ]
        return row(found(experiment(), trials), "size of a full IP packet")["by_arm"]["h3"]

    assert told(1452, 1200) == told(1200, 1452) == [1228, 1480]


def test_a_setting_that_differs_by_cell_is_one_warning_with_the_values_of_each() -> None:
    near, far = profile(), profile(round_trip_s=0.2).model_copy(update={"name": "far"})
    asked = experiment().model_copy(update={"paths": (near, far)})

    def on(path: str, arm: str, window: int) -> Trial:
        one = trial(arm, served={"settings": {"initial_window": window}})
        return one.model_copy(update={"cell": one.cell.model_copy(update={"path": path})})

    trials = [
        on("line", "h2", 14480),
        on("line", "h3", 12000),
        on("far", "h2", 14480),
        on("far", "h3", 30000),
    ]
    said = text(found(asked, trials), "arms-differ-initial-window")
    assert said.startswith(
        "The arms differ in initial window: on line (h2: 14480 bytes; h3: 12000 bytes), "
        "on far (h2: 14480 bytes; h3: 30000 bytes). "
    )
    same = [one if one.arm == "h2" else on(one.cell.path, "h3", 30000) for one in trials]
    said = text(found(asked, same), "arms-differ-initial-window")
    assert said.startswith(
        "The arms differ on builtin in initial window (h2: 14480 bytes; h3: 30000 bytes). "
    )


def test_a_remedy_that_nobody_there_can_apply_names_who_could() -> None:
    asked = experiment(origin="nginx", client="chromium")
    trials = [
        trial(arm, origin="nginx", client="chromium", served={"settings": {"initial_window": window}})
        for arm, window in (("h2", 14480), ("h3", 131_054))
    ]
    remedy = row(found(asked, trials), WINDOW)["remedy"]
    assert remedy.startswith("Nobody here can set initial_window; the origin 'builtin' could")


def test_a_remedy_for_what_one_transport_has_alone_says_the_value() -> None:
    trials = [
        trial("h2", served={"settings": {"mss": 1448}}),
        trial("h3", served={"settings": {"udp_payload": 1200}}),
    ]
    idle = {"net.ipv4.tcp_slow_start_after_idle": "1"}
    findings = found(experiment(), trials, sysctls=idle)
    assert 'initial_mtu = "1472B"' in row(findings, "size of a full IP packet")["remedy"]
    after_idle = row(findings, "window reset after idle time")["remedy"]
    assert after_idle == "Write slow_start_after_idle = false under [knobs], or fair = true."
