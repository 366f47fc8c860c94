"""Guard, physics and proof: which measurements count, and as what."""

from typing import Any

import pytest

from pronghorn.costs import cost
from pronghorn.model import arm as arms
from pronghorn.model.path import (
    CrossSpec,
    IndependentLoss,
    LinkFigures,
    LinkSpec,
    PathFigures,
    PathProfile,
    PathSpec,
)
from pronghorn.model.trial import Counters, OriginConnection, OriginRequest, PageLoad
from pronghorn.origins import OriginLog
from pronghorn.trust import guard, physics, proof

SITE_BYTES = 600_000


def path(delay_ms: int = 50, rate: int | None = 20_000_000) -> PathProfile:
    link = LinkSpec(delay_ns=delay_ms * 1_000_000, rate_bit_per_s=rate)
    return PathProfile(name="test", spec=PathSpec(down=link, up=link))


def counters(*, late_s: float = 0.0, ring: int = 0, steal: float = 0.0, delay_s: float = 0.05) -> Counters:
    link = {"ring_dropped": ring, "delay_min_s": delay_s, "lateness": {"count": 9, "p99_s": late_s}}
    return Counters.model_validate({"down": link, "up": link, "host": {"steal_share": steal}})


def page(protocol: str | None = "h3", **figures: Any) -> PageLoad:
    resources = [{"path": name, "protocol": protocol, "status": 200} for name in ("/", "/a")]
    return PageLoad.model_validate({"outcome": "ok", "load_s": 1.0, "resources": resources, **figures})


def log(protocol: str = "h3", names: tuple[str, ...] = ("/", "/a"), control: str = "cubic") -> OriginLog:
    return OriginLog(
        [OriginRequest(path=name, protocol=protocol) for name in names],
        [OriginConnection(protocol=protocol, congestion_control=control)],
    )


def test_lateness_is_tolerated_to_two_milliseconds_or_a_twentieth_of_the_round_trip() -> None:
    assert guard.tolerance_s(path(delay_ms=50)) == pytest.approx(0.005)
    assert guard.tolerance_s(path(delay_ms=1)) == pytest.approx(0.002)
    assert guard.contamination(page(), counters(late_s=0.0049), path(), SITE_BYTES) is None
    late = guard.contamination(page(), counters(late_s=0.0051), path(), SITE_BYTES)
    assert late is not None
    assert late.reason == "late"


def test_one_packet_may_be_late_by_a_twentieth_of_the_fastest_load() -> None:
    def held(late_s: float, wait_s: float = 0.0) -> Counters:
        link = {"lateness": {"count": 900, "p99_s": 0.0, "max_s": late_s}, "intake_wait": {"max_s": wait_s}}
        return Counters.model_validate({"down": link, "up": link})

    tolerated = guard.CRITICAL_SHARE * cost.least_s(path(), SITE_BYTES)
    assert guard.contamination(page(), held(tolerated * 0.99), path(), SITE_BYTES) is None
    for late in (held(tolerated * 1.01), held(0.0, tolerated * 1.01)):
        found = guard.contamination(page(), late, path(), SITE_BYTES)
        assert found is not None
        assert found.reason == "late"
    assert guard.contamination(page(), held(0.0019), path(delay_ms=1), 1000) is None
    assert guard.contamination(page(), held(1.0), path(rate=10**9), SITE_BYTES) is None


def test_an_address_that_comes_late_after_a_handover_contaminates() -> None:
    def moved(late_s: float) -> Counters:
        return Counters.model_validate({"handover": {"address": "198.18.0.9", "late_s": late_s}})

    assert guard.contamination(page(), moved(0.0049), path(), SITE_BYTES) is None
    late = guard.contamination(page(), moved(0.0051), path(), SITE_BYTES)
    assert late is not None
    assert late.reason == "late"


def test_a_dropping_ring_and_a_starved_host_contaminate() -> None:
    ring = guard.contamination(page(), counters(ring=1), path(), SITE_BYTES)
    steal = guard.contamination(page(), counters(steal=0.11), path(), SITE_BYTES)
    assert ring is not None
    assert ring.reason == "ring"
    assert steal is not None
    assert steal.reason == "steal"
    assert guard.contamination(page(), counters(steal=0.09), path(), SITE_BYTES) is None
    assert guard.contamination(page(), Counters(), path(), SITE_BYTES) is None


def delayed(client_s: float | None, origin_s: float | None, waited_s: float = 9.0) -> PageLoad:
    threads = {"client": client_s, "origin": origin_s}
    account = {"used_s": 0.1, "waited_s": waited_s, "longest_s": 0.001, "longest_at_s": 0.5}
    return page(cpu={name: account | {"critical_s": critical} for name, critical in threads.items()})


def test_waits_contaminate_by_what_they_can_have_delayed() -> None:
    tolerated = guard.CRITICAL_SHARE * cost.least_s(path(), SITE_BYTES)
    less, more = delayed(tolerated / 2, tolerated * 0.49), delayed(tolerated / 2, tolerated * 0.51)
    assert guard.contamination(less, counters(), path(), SITE_BYTES) is None
    starved = guard.contamination(more, counters(), path(), SITE_BYTES)
    assert starved is not None
    assert starved.reason == "starved"
    assert "the longest of 1.0 ms" in starved.detail


def test_a_foreign_origin_can_have_delayed_a_load_as_the_client_can() -> None:
    tolerated = guard.CRITICAL_SHARE * cost.least_s(path(), SITE_BYTES)
    for share, reason in ((0.49, None), (0.51, "starved")):
        account = {"used_s": 0.1, "waited_s": 9.0, "critical_s": tolerated * share}
        found = guard.contamination(page(cpu={"client": account}), counters(), path(), SITE_BYTES)
        assert (found.reason if found else None) == reason


def test_the_bound_of_waits_is_the_cells_whatever_the_load_took() -> None:
    tolerated = guard.CRITICAL_SHARE * cost.least_s(path(), SITE_BYTES)
    slow = delayed(tolerated, tolerated).model_copy(update={"load_s": 100.0})
    assert guard.contamination(slow, counters(), path(), SITE_BYTES) is not None


def test_many_waits_of_a_long_transfer_are_no_delay() -> None:
    """20 MB over 50 Mbit/s and 40 ms: a thread that is woken by each packet waits for longer than a second in
    all, and for 0.1 s at most one after the other."""
    link = LinkSpec(delay_ns=20_000_000, rate_bit_per_s=50_000_000)
    long = PathProfile(name="long", spec=PathSpec(down=link, up=link))
    found = delayed(0.05, 0.05, waited_s=1.0)
    assert guard.contamination(found, counters(), long, 20_000_000) is None
    older = delayed(None, None, waited_s=1.0)
    assert guard.contamination(older, counters(), long, 20_000_000) is not None


def test_where_the_cpu_sets_the_pace_its_own_threads_wait_for_each_other() -> None:
    fast = path(rate=10**9)
    tolerated = guard.CPU_BOUND_SHARE * cost.least_s(fast, SITE_BYTES)
    assert guard.contamination(delayed(tolerated, 0.0), counters(), fast, SITE_BYTES) is None
    assert guard.contamination(delayed(tolerated, 0.001), counters(), fast, SITE_BYTES) is not None


def test_over_loopback_no_wait_contaminates() -> None:
    assert guard.contamination(delayed(9.0, 9.0), Counters(), PathProfile(name="direct"), SITE_BYTES) is None


def test_the_bound_of_waits_grows_with_the_round_trips_that_a_load_needs() -> None:
    """Those of the handshake and of the steps of discovery, however long they took."""
    few, many = (delayed(0.03, 0.0).model_copy(update={"round_trips": trips}) for trips in (2, 4))
    few_s, many_s = (guard.CRITICAL_SHARE * (trips * 0.1 + SITE_BYTES * 8 / 20e6) for trips in (2, 4))
    assert few_s < 0.03 < many_s
    assert guard.contamination(few, counters(), path(), SITE_BYTES) is not None
    assert guard.contamination(many, counters(), path(), SITE_BYTES) is None
    assert cost.least_s(path(), SITE_BYTES, 0) == cost.least_s(path(), SITE_BYTES)


def test_the_fastest_load_of_a_cell_has_six_connections_and_no_set_up() -> None:
    assert cost.least_s(path(), SITE_BYTES) == pytest.approx(2 * 0.1 + SITE_BYTES * 8 / 20e6)
    assert cost.least_s(PathProfile(name="direct"), SITE_BYTES) == 0.0
    clean = path(rate=None)
    assert clean.spec is not None
    down = clean.spec.down.model_copy(update={"loss": IndependentLoss(probability=0.01)})
    lossy = clean.model_copy(update={"spec": clean.spec.model_copy(update={"down": down})})
    assert cost.least_s(lossy, 10**9) == pytest.approx(cost.expected_s(lossy, 10**9) / 6, rel=0.01)


def test_records_without_single_waits_are_judged_by_their_sum() -> None:
    def waiting(client_s: float, origin_s: float) -> PageLoad:
        threads = {"client": client_s, "origin": origin_s}
        return page(cpu={name: {"used_s": 0.1, "waited_s": waited} for name, waited in threads.items()})

    tolerated = guard.STARVED_SHARE * cost.expected_s(path(), SITE_BYTES)
    more, less = waiting(tolerated / 2, tolerated * 0.6), waiting(tolerated / 2, tolerated * 0.4)
    starved = guard.contamination(more, counters(), path(), SITE_BYTES)
    assert starved is not None
    assert starved.reason == "starved"
    assert guard.contamination(less, counters(), path(), SITE_BYTES) is None
    assert guard.contamination(more, counters(), path(rate=10**9), SITE_BYTES) is None


def crowded(others: float, own: float = 0.0, own_s: float = 10.0) -> Counters:
    share = {"own_s": own_s, "own_share": own, "others_share": others}
    return Counters.model_validate({"host": {"cpu": share}})


@pytest.mark.parametrize(("own", "tolerated"), [(0.0, 0.5), (0.1, 0.45), (0.6, 0.2), (0.9, 0.1), (1.0, 0.1)])
def test_a_foreign_client_bears_others_in_half_of_what_they_leave(own: float, tolerated: float) -> None:
    for where in (path(), path(rate=10**9)):
        assert guard.contamination(page(), crowded(tolerated - 0.001, own), where, SITE_BYTES) is None
        starved = guard.contamination(page(), crowded(tolerated + 0.001, own), where, SITE_BYTES)
        assert starved is not None
        assert starved.reason == "starved"
        assert f"at most {tolerated:.0%} are tolerated" in starved.detail


def test_a_short_load_bears_what_the_control_plane_itself_uses() -> None:
    """The load took 50 ms on two cores, so 20 ms are a fifth of the CPUs' time."""
    assert guard.contamination(page(), crowded(0.19, own=0.8, own_s=0.08), path(), SITE_BYTES) is None
    assert guard.contamination(page(), crowded(0.21, own=0.8, own_s=0.08), path(), SITE_BYTES) is not None


def test_a_foreign_origin_is_taken_to_wait_as_the_client_does() -> None:
    def waiting(client_s: float) -> PageLoad:
        return page(cpu={"client": {"used_s": 0.1, "waited_s": client_s}})

    tolerated = guard.STARVED_SHARE * cost.expected_s(path(), SITE_BYTES)
    assert guard.contamination(waiting(tolerated * 0.49), crowded(0.9), path(), SITE_BYTES) is None
    assert guard.contamination(waiting(tolerated * 0.51), crowded(0.0), path(), SITE_BYTES) is not None


def test_where_the_cpu_sets_the_pace_a_foreign_origin_is_held_against_others() -> None:
    account = {"used_s": 0.1, "waited_s": 0.0}
    both, client = page(cpu={"client": account, "origin": account}), page(cpu={"client": account})
    fast = path(rate=10**9)
    assert guard.contamination(client, crowded(0.9), fast, SITE_BYTES) is not None
    assert guard.contamination(both, crowded(0.9), fast, SITE_BYTES) is None


def test_a_load_that_never_began_was_not_starved() -> None:
    never = PageLoad(outcome="failed", reason="origin", detail="it ended")
    assert guard.contamination(never, crowded(0.9), path(), SITE_BYTES) is None
    assert guard.contamination(page(), Counters(), path(), SITE_BYTES) is None


def test_no_load_beats_its_bytes_over_the_rate() -> None:
    exactly = page(bytes=2_500_000, load_s=1.0)
    faster = page(bytes=2_500_010, load_s=1.0)
    assert physics.violation(exactly, counters(), path()) is None
    found = physics.violation(faster, counters(), path())
    assert found is not None
    assert found.reason == "physics"


def test_what_came_after_the_load_event_says_nothing_of_the_load() -> None:
    def loaded(last_byte_s: float) -> PageLoad:
        later = {
            "path": "/later",
            "protocol": "h3",
            "status": 200,
            "bytes": 3_000_000,
            "last_byte_s": last_byte_s,
        }
        return page(bytes=3_000_100, resources=[later])

    assert physics.violation(loaded(1.1), counters(), path()) is None
    assert physics.violation(loaded(1.0), counters(), path()) is not None


def test_the_fastest_of_a_schedule_or_a_trace_bounds_a_load() -> None:
    def varying(fastest: float, **stages: Any) -> PathProfile:
        link = LinkSpec.model_validate({"schedule": {"text": ""}, **stages})
        figures = PathFigures(down=LinkFigures(mean_rate_bit_per_s=1e6, max_rate_bit_per_s=fastest))
        return PathProfile(name="test", spec=PathSpec(down=link, up=link), figures=figures)

    scheduled = varying(20e6)
    assert physics.violation(page(bytes=2_500_000), counters(delay_s=0), scheduled) is None
    assert physics.violation(page(bytes=2_500_010), counters(delay_s=0), scheduled) is not None
    traced = varying(20e6, trace={"text": "1"}, schedule=None)
    assert physics.violation(page(bytes=2_502_500), counters(delay_s=0), traced) is None
    assert physics.violation(page(bytes=2_502_510), counters(delay_s=0), traced) is not None
    shortened = varying(20e6, overhead={"packet_bytes": -20})
    assert physics.violation(page(bytes=10**9), counters(delay_s=0), shortened) is None
    unasked = PathProfile(name="test", spec=scheduled.spec)
    assert physics.violation(page(bytes=10**9), counters(delay_s=0), unasked) is None


def test_other_flows_take_their_share_and_their_time() -> None:
    alone = path(delay_ms=0)
    assert alone.spec is not None
    cross = CrossSpec(flows=3, tcp_congestion_control="cubic", warmup_ns=2 * 10**9)
    shared = alone.model_copy(update={"spec": alone.spec.model_copy(update={"cross": cross})})
    transfer = cost.expected_s(alone, SITE_BYTES) - cost.expected_s(alone, 0)
    assert cost.expected_s(shared, SITE_BYTES) - cost.expected_s(shared, 0) == pytest.approx(4 * transfer)
    assert (cost.warmup_s(alone), cost.warmup_s(shared)) == (0.0, 2.0)


def test_a_load_goes_at_the_rate_until_its_first_loss_and_then_as_losses_let_it() -> None:
    """A packet in 10 000 is one in 14.6 MB; Mathis et al.: 1460 bytes in 100 ms, times 1.22 over 0.01."""
    clean = path(rate=100_000_000)
    assert clean.spec is not None
    down = clean.spec.down.model_copy(update={"loss": IndependentLoss(probability=1e-4)})
    lossy = clean.model_copy(update={"spec": clean.spec.model_copy(update={"down": down})})
    assert cost.expected_s(lossy, 14_600_000) == pytest.approx(cost.expected_s(clean, 14_600_000))
    more = cost.expected_s(lossy, 24_600_000) - cost.expected_s(lossy, 14_600_000)
    assert more == pytest.approx(80e6 / (1460 * 8 / 0.1 * 1.22 / 0.01))


def test_packets_that_the_path_cannot_read_contaminate() -> None:
    met = counters()
    assert met.up is not None
    met.up.malformed = 1
    found = guard.contamination(page(), met, path(), SITE_BYTES)
    assert found is not None
    assert found.reason == "malformed"


def test_no_load_beats_its_round_trips_at_the_smallest_delays_of_its_own_trial() -> None:
    load = page(load_s=0.3, round_trips=3)
    assert physics.violation(load, counters(delay_s=0.05), path()) is None
    assert physics.violation(load, counters(delay_s=0.0501), path()) is not None


def test_physics_binds_only_successful_loads_on_emulated_paths() -> None:
    impossible = page(bytes=10**9, load_s=0.001, round_trips=9)
    assert physics.violation(impossible, Counters(), PathProfile(name="direct")) is None
    failed = impossible.model_copy(update={"outcome": "failed"})
    assert physics.violation(failed, counters(), path()) is None


def test_a_load_over_the_asked_protocol_is_proven() -> None:
    assert proof.mismatch(arms.parse("h3"), page(), log()) is None


@pytest.mark.parametrize(
    ("load", "seen", "reason", "said"),
    [
        (page("h2"), log(), "protocol", "asked h3, but the client got / over h2"),
        (page(None), log(), "protocol", "over no known protocol"),
        (page(), log("h2"), "protocol", "asked h3, but the origin served / over h2"),
        (page(), log(names=("/",)), "protocol", "lacks 1 of the client's requests, such as /a"),
        (page(), log(control="reno"), "congestion-control", "asked cubic, but the origin ran reno"),
    ],
)
def test_anything_else_is_named(load: PageLoad, seen: OriginLog, reason: str, said: str) -> None:
    fault = proof.mismatch(arms.parse("h3"), load, seen)
    assert fault is not None
    assert fault.reason == reason
    assert said in fault.detail


def test_a_cut_load_need_not_be_whole_in_the_origins_log() -> None:
    assert proof.mismatch(arms.parse("h3"), page(outcome="failed"), log(names=("/",))) is None
