"""The rules that need no rate: BBR by default, dropped datagrams, long certificates, pauses."""

from typing import Any

from pronghorn.model.experiment_knobs import KnobTables
from pronghorn.model.knobs import Knobs

from .records import ROUND_TRIP_S, codes, experiment, found, profile, text, trial

BBR, DROPS, LIMIT, IDLE = "default-bbr", "udp-receive-buffer", "amplification-limit", "idle-restart"
LONG = {"chain_bytes": 6000, "first_flight_bytes": 8000}
SHORT = {"chain_bytes": 500, "first_flight_bytes": 1000}


def test_a_sender_that_runs_bbr_unasked_is_named_with_its_kernel() -> None:
    ran = trial("h2", served={"congestion_control": "bbr"}, status="failed")
    said = text(found(experiment(), [ran]), BBR)
    assert "h2 on tiny/line/builtin/native leaves congestion control to its stack" in said
    assert "the origin ran bbr (Linux 6.18, BBR v1) on 1 of 1 connection." in said
    assert "asks for reno" in text(
        found(experiment(("h2@reno",)), [trial("h2@reno", connection={"congestion_control": "bbr"})]), BBR
    )


def test_bbr_that_was_asked_for_or_is_quics_is_none() -> None:
    asked = [trial("h2@bbr", served={"congestion_control": "bbr"})]
    assert BBR not in codes(found(experiment(("h2@bbr",)), asked))
    quic = [trial("h3@bbr", served={"congestion_control": "bbr"})]
    assert BBR not in codes(found(experiment(("h3@bbr",)), quic))
    assert BBR not in codes(found(experiment(), [trial("h2", served={"congestion_control": "cubic"})]))


def test_datagrams_that_a_host_dropped_are_counted_by_arm_and_end() -> None:
    dropping: dict[str, Any] = {"udp_receive_buffer_drops": {"client": 3, "server": 1}}
    trials = [trial("h3", host=dropping), trial("h3", host=dropping, block=1), trial("h2")]
    said = text(found(experiment(), trials), DROPS)
    assert said.startswith("h3: the hosts dropped datagrams because a receive buffer was full: on line 8 ")
    assert "on line 8 (client 6, server 2; in 2 of 2 trials)." in said
    assert DROPS not in codes(found(experiment(), [trial("h3")]))


def test_a_chain_beyond_the_amplification_limit_is_named_where_quic_sends_it() -> None:
    assert "RFC 9000 §8.1" in text(found(experiment(), certificate=LONG), LIMIT)
    assert LIMIT not in codes(found(experiment(), certificate=SHORT))
    assert LIMIT not in codes(found(experiment(("h1", "h2")), certificate=LONG))
    assert LIMIT not in codes(found(experiment(("h2+0rtt", "h3+0rtt")), certificate=LONG))


def test_a_short_hello_allows_a_shorter_answer() -> None:
    """A ClientHello without X25519MLKEM768 fits into one datagram, and so does more of an answer."""
    middling = {"chain_bytes": 4000, "first_flight_bytes": 5500}
    assert LIMIT not in codes(found(experiment(), certificate=middling))
    for key_exchange, waits in (("X25519", True), ("SECP256R1", True), ("X25519MLKEM768", False)):
        offered = Knobs.model_validate({"key_exchange": key_exchange})
        asked = experiment(knobs=KnobTables(common=offered))
        assert (LIMIT in codes(found(asked, certificate=middling))) is waits
    said = text(found(experiment(fair=True), certificate=middling), LIMIT)
    assert "about 4412 bytes first. The one datagram" in said
    assert "allow only 3600" in said


def test_handshakes_that_did_not_wait_are_believed() -> None:
    waited = trial("h3", connection={"secured_s": 2.1 * ROUND_TRIP_S})
    assert "took 2.1 round trips" in text(found(experiment(), [waited], certificate=LONG), LIMIT)
    did_not = trial("h3", connection={"secured_s": 1.1 * ROUND_TRIP_S})
    assert LIMIT not in codes(found(experiment(), [did_not], certificate=LONG))


def test_windows_that_fall_back_beside_others_are_named_where_clients_are_kept() -> None:
    falls = {"net.ipv4.tcp_slow_start_after_idle": "1"}
    kept = experiment(state="kept", pause="2s")
    assert "the windows of h2 fall back" in text(found(kept, sysctls=falls), IDLE)
    assert IDLE not in codes(found(experiment(), sysctls=falls))
    assert IDLE not in codes(found(kept, sysctls={"net.ipv4.tcp_slow_start_after_idle": "0"}))
    assert IDLE not in codes(found(experiment(("h1", "h2"), state="kept"), sysctls=falls))


def test_the_window_of_bbr_falls_back_for_no_setting() -> None:
    falls = {"net.ipv4.tcp_slow_start_after_idle": "1"}
    kept = experiment(("h2@bbr", "h3@bbr"), state="kept", pause="2s")
    assert IDLE not in codes(found(kept, sysctls=falls))
    unasked = trial("h2", served={"congestion_control": "bbr"})
    assert IDLE not in codes(found(experiment(state="kept", pause="2s"), [unasked], sysctls=falls))


def test_datagrams_that_contaminated_trials_lost_are_none() -> None:
    dropping: dict[str, Any] = {"udp_receive_buffer_drops": {"client": 3, "server": 1}}
    repeated = trial("h3", host=dropping, status="contaminated")
    assert DROPS not in codes(found(experiment(), [repeated, trial("h3", block=1)]))


def test_datagrams_dropped_on_several_paths_are_one_warning() -> None:
    far = profile().model_copy(update={"name": "far"})
    ran = trial("h3", host={"udp_receive_buffer_drops": {"client": 0, "server": 2}})
    there = ran.model_copy(update={"cell": ran.cell.model_copy(update={"path": "far"})})
    said = text(found(experiment().model_copy(update={"paths": (profile(), far)}), [ran, there]), DROPS)
    assert ": on far 2 (server 2; in 1 of 1 trial), on line 2 (server 2; in 1 of 1 trial)." in said


def test_bbr_in_several_cells_is_one_warning() -> None:
    far = profile().model_copy(update={"name": "far"})
    ran = trial("h2", served={"congestion_control": "bbr"})
    there = ran.model_copy(update={"cell": ran.cell.model_copy(update={"path": "far"})})
    said = text(found(experiment().model_copy(update={"paths": (profile(), far)}), [ran, there]), BBR)
    assert said.startswith("h2 on tiny/line/builtin/native and in 1 more cell leaves")
    assert "on 2 of 2 connections" in said
