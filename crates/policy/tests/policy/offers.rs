//! What clients are told, how they are let go, and what is learned of those whom no QUIC reaches.

use crate::common::{
    Memory, NOON_MS, keys, mix, policy, policy_with, sample, sample_of_network, steered,
};
use pronghorn_policy::{
    Action, Ask, Decision, Downgrade, Keys, Policy, Protocol, Reason, Sample, Table,
};

const LOSSY: Sample = Sample {
    bytes: 0,
    time_us: 0,
    rate_bytes_per_s: 0,
    min_rtt_us: 150_000,
    sent: 1000,
    lost: 80,
    tcp_control: pronghorn_policy::TcpControl::Cubic,
    stalled: false,
    delivered: 0,
    dry_run: false,
};
const CLEAN: Sample = Sample {
    min_rtt_us: 10_000,
    rate_bytes_per_s: 12_500_000,
    sent: 5000,
    lost: 0,
    ..LOSSY
};

fn ask(downgrade: Downgrade) -> Ask {
    Ask {
        downgrade,
        ..steered()
    }
}

/// Samples of both arms, of which QUIC's take `factor` times as long.
fn learn(table: &mut Table<'_>, policy: &Policy, factor: u64, now_ms: u64) {
    for _ in 0..200 {
        for (protocol, factor) in [(Protocol::Tcp, 2), (Protocol::Quic, 2 * factor)] {
            let sample = sample(20_000, 50_000 * factor);
            table.observe(policy, keys(1), protocol, &sample, now_ms);
        }
    }
}

#[test]
fn the_very_first_decision_follows_the_surface_at_the_network_of_the_key() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    table.observe(&policy, keys(2 << 8), Protocol::Tcp, &CLEAN, NOON_MS);
    let lossy = table.decide(&policy, keys(1), Protocol::Tcp, &steered(), NOON_MS);
    let clean = table.decide(&policy, keys(2 << 8), Protocol::Tcp, &steered(), NOON_MS);
    assert_eq!(
        (lossy.action, lossy.reason),
        (Action::Advertise, Reason::H3Faster)
    );
    assert_eq!(
        (clean.action, clean.reason),
        (Action::Nothing, Reason::H3Slower)
    );
    assert_eq!((lossy.max_age_s, clean.max_age_s), (86_400, 0));
    // By hand: at 8 % of 1000 packets the node 10 % outweighs the others by e^5 and more; of unknown rate, at 150 ms between 50 and 200 ms.
    let at = |rtt: [f64; 2]| (rtt[0].ln() + rtt[1].ln()) / 2.0;
    let share = (150f64 / 50.0).ln() / (200f64 / 50.0).ln();
    let expected = at([0.80, 0.70]) * (1.0 - share) + at([0.65, 0.50]) * share;
    assert!(
        (f64::from(lossy.gain) - expected).abs() < 0.01,
        "{lossy:?}, {expected}"
    );
    assert!(
        (f64::from(clean.gain) - 1.30f64.ln()).abs() < 0.01,
        "{clean:?}"
    );
}

#[test]
fn a_leased_client_is_told_nothing_once_it_is_let_go() {
    for (mode, over_quic) in [
        (Downgrade::Lease, Action::Nothing),
        (Downgrade::Clear, Action::Clear),
        (Downgrade::Off, Action::Advertise),
    ] {
        let policy = policy_with(|steering| steering.lease_most_s = steering.lease_s);
        let mut memory = Memory::new(1 << 16);
        let mut table = memory.table();
        table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
        let ask = ask(mode);
        let first = table.decide(&policy, keys(1), Protocol::Tcp, &ask, NOON_MS);
        assert_eq!(first.action, Action::Advertise);
        let renewed = table.decide(&policy, keys(1), Protocol::Quic, &ask, NOON_MS + 1000);
        assert_eq!(
            (renewed.action, renewed.max_age_s),
            (Action::Advertise, 300)
        );

        learn(&mut table, &policy, 4, NOON_MS + 2000);
        let dwelling = table.decide(&policy, keys(1), Protocol::Quic, &ask, NOON_MS + 59_999);
        assert_eq!(dwelling.action, Action::Advertise);
        let let_go = table.decide(&policy, keys(1), Protocol::Quic, &ask, NOON_MS + 60_000);
        assert_eq!(let_go.action, over_quic, "{mode:?}");
        let over_tcp = table.decide(&policy, keys(1), Protocol::Tcp, &ask, NOON_MS + 61_000);
        let expected = if mode == Downgrade::Off {
            Action::Advertise
        } else {
            Action::Nothing
        };
        assert_eq!(over_tcp.action, expected, "{mode:?}");
    }
}

/// Responses by TCP, then by QUIC, which takes half of the time; the answer to the next request over QUIC.
fn told_that_h3_is_faster(table: &mut Table<'_>, policy: &Policy, mode: Downgrade) -> Decision {
    table.observe(policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    for _ in 0..40 {
        for (protocol, time_us) in [(Protocol::Tcp, 200_000), (Protocol::Quic, 100_000)] {
            let sample = sample(20_000, time_us);
            table.observe(policy, keys(1), protocol, &sample, NOON_MS);
        }
    }
    table.decide(policy, keys(1), Protocol::Quic, &ask(mode), NOON_MS)
}

#[test]
fn an_offer_holds_for_a_day_where_the_map_or_a_keys_own_responses_say_that_h3_is_faster() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let untried = table.decide(&policy, keys(1), Protocol::Tcp, &steered(), NOON_MS);
    assert_eq!(untried.max_age_s, 86_400);
    let mut memory = Memory::new(1 << 16);
    let tried = told_that_h3_is_faster(&mut memory.table(), &policy, Downgrade::Lease);
    assert_eq!((tried.action, tried.max_age_s), (Action::Advertise, 86_400));
}

#[test]
fn whoever_is_let_go_within_a_long_lease_is_told_so() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    told_that_h3_is_faster(&mut table, &policy, Downgrade::Lease);
    learn(&mut table, &policy, 8, NOON_MS + 2000);
    let lease = ask(Downgrade::Lease);
    let let_go = table.decide(&policy, keys(1), Protocol::Quic, &lease, NOON_MS + 60_000);
    assert_eq!(
        (let_go.action, let_go.reason),
        (Action::Clear, Reason::H3Slower)
    );
    let over_tcp = table.decide(&policy, keys(1), Protocol::Tcp, &lease, NOON_MS + 61_000);
    assert_eq!(over_tcp.action, Action::Clear);
    // Within lease_s of its end the rest may lapse.
    let ends_ms = NOON_MS + 86_400_000;
    let lapsing = table.decide(&policy, keys(1), Protocol::Quic, &lease, ends_ms - 300_000);
    assert_ne!(lapsing.action, Action::Clear);
}

/// A key on a lossy network, asked about every five seconds over new connections, until `end_s`: when h3 was offered.
fn offered_at_s(table: &mut Table<'_>, policy: &Policy, end_s: u64) -> Vec<u64> {
    table.observe(policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let asked = (0..end_s).step_by(5);
    asked
        .filter(|second| {
            let now_ms = NOON_MS + second * 1000;
            let decision = table.decide(policy, keys(1), Protocol::Tcp, &steered(), now_ms);
            let is_offered = decision.action == Action::Advertise;
            assert!(is_offered || decision.reason == Reason::UdpBlocked);
            is_offered
        })
        .collect()
}

#[test]
fn a_key_is_blocked_after_four_offers_that_nobody_followed_and_tried_again_a_day_later() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    let offered = offered_at_s(&mut table, &policy, 87_000);
    let minute: Vec<u64> = (0..60).step_by(5).collect(); // the dwell
    assert_eq!(offered[..12], minute);
    assert_eq!(offered[12], 60 + 86_400);
    let snapshot = table.snapshot(&policy, NOON_MS);
    assert_eq!((snapshot.blocks, snapshot.keys_blocked), (2, 1));
}

#[test]
fn a_key_from_which_something_came_by_quic_once_is_tried_again_after_doubling_times() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    let once = sample(20_000, 100_000);
    table.observe(&policy, keys(1), Protocol::Quic, &once, NOON_MS);
    let offered = offered_at_s(&mut table, &policy, 20_000);
    // On for the dwell each time, in steps of 5 s; off for 600 s, then for twice as long each time.
    let pauses: Vec<u64> = offered
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|pause| *pause > 5)
        .collect();
    assert_eq!(pauses, [605, 1205, 2405, 4805, 9605]);
}

/// The `number`th client of the key on a lossy network.
fn neighbour(number: u64) -> Keys {
    Keys {
        client: mix(number),
        ..keys(1)
    }
}

#[test]
fn a_client_that_never_follows_an_offer_takes_none_from_its_neighbours() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let mut silent = 0;
    for second in (0..7200).step_by(10) {
        let now_ms = NOON_MS + second * 1000;
        let ask = steered();
        let program = table.decide(&policy, neighbour(0), Protocol::Tcp, &ask, now_ms);
        silent += u64::from(program.reason == Reason::UdpBlocked);
        let browser = 1 + second / 10;
        let offered = table.decide(&policy, neighbour(browser), Protocol::Tcp, &ask, now_ms);
        assert_eq!(
            (offered.action, offered.reason),
            (Action::Advertise, Reason::H3Faster),
            "{second} s"
        );
    }
    assert!(silent > 600, "{silent}");
    let snapshot = table.snapshot(&policy, NOON_MS);
    assert_eq!((snapshot.blocks, snapshot.keys_blocked), (1, 1));
    assert_eq!(snapshot.keys_on, 1);
}

#[test]
fn a_key_is_blocked_where_as_many_clients_agree_and_twice_as_many_where_one_ever_answered() {
    for (answers, expected) in [(false, 4), (true, 8)] {
        let policy = policy();
        let mut memory = Memory::new(1 << 16);
        let mut table = memory.table();
        let mut now_ms = NOON_MS;
        table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, now_ms);
        let mut decide = |number: u64, protocol, now_ms: u64| {
            table.decide(&policy, neighbour(number), protocol, &steered(), now_ms)
        };
        if answers {
            decide(0, Protocol::Quic, now_ms);
        }
        // Each of another bit.
        let mut clients: Vec<u64> = (1..400).collect();
        clients.sort_by_key(|number| (mix(*number) >> 16) & 15);
        clients.dedup_by_key(|number| (mix(*number) >> 16) & 15);
        let mut blocked_after = 0;
        for client in clients {
            decide(client, Protocol::Tcp, now_ms);
            let again = decide(client, Protocol::Tcp, now_ms + 20_000);
            if again.reason == Reason::UdpBlocked {
                break;
            }
            blocked_after += 1;
            now_ms += 400_000;
        }
        assert_eq!(blocked_after, expected, "{answers}");
        let stranger = decide(5000, Protocol::Tcp, now_ms);
        assert_eq!(stranger.reason, Reason::UdpBlocked);
    }
}

#[test]
fn a_silent_client_is_told_that_a_long_offer_holds_no_more_and_its_neighbours_are_not() {
    let policy = policy_with(|steering| (steering.blocked_after, steering.dwell_s) = (1, 0));
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let mut decide = |number: u64, second: u64| {
        let now_ms = NOON_MS + second * 1000;
        table.decide(
            &policy,
            neighbour(number),
            Protocol::Tcp,
            &steered(),
            now_ms,
        )
    };
    let acts = [0, 20, 40].map(|second| decide(0, second).action);
    assert_eq!(acts, [Action::Advertise, Action::Advertise, Action::Clear]);
    assert_eq!(decide(1, 41).action, Action::Advertise);
    // A day after its own last offer, whatever its neighbours were offered since.
    assert_eq!(decide(0, 86_000).action, Action::Clear);
    assert_eq!(decide(1, 86_100).action, Action::Advertise);
    assert_eq!(decide(0, 86_410).action, Action::Nothing);
}

#[test]
fn the_rest_of_a_page_that_was_offered_h3_is_no_sign_of_blocked_udp() {
    let policy = policy_with(|steering| steering.blocked_after = 1);
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    for second in 0..30 {
        let ask = Ask {
            new_connection: second == 0,
            ..steered()
        };
        table.decide(
            &policy,
            keys(1),
            Protocol::Tcp,
            &ask,
            NOON_MS + second * 1000,
        );
    }
    let later = table.decide(
        &policy,
        keys(1),
        Protocol::Tcp,
        &steered(),
        NOON_MS + 60_000,
    );
    assert_eq!(later.action, Action::Advertise);
    assert_eq!(table.snapshot(&policy, NOON_MS).blocks, 0);
}

#[test]
fn who_comes_back_after_the_offer_has_lapsed_is_not_taken_for_blocked() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    for day in 0..10 {
        let now_ms = NOON_MS + day * 86_400_000;
        table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, now_ms);
        let decision = table.decide(&policy, keys(1), Protocol::Tcp, &steered(), now_ms);
        assert_eq!(decision.action, Action::Advertise);
    }
    assert_eq!(table.snapshot(&policy, NOON_MS).blocks, 0);
}

#[test]
fn an_arrival_by_quic_ends_a_block() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let mut decide = |protocol, second: u64| {
        let now_ms = NOON_MS + second * 1000;
        table.decide(&policy, keys(1), protocol, &steered(), now_ms)
    };
    for second in 0..61 {
        decide(Protocol::Tcp, second);
    }
    assert_eq!(decide(Protocol::Tcp, 62).reason, Reason::UdpBlocked);
    decide(Protocol::Quic, 63); // by a lease that still ran
    assert_eq!(decide(Protocol::Tcp, 64).reason, Reason::Dwelling);
    assert_eq!(decide(Protocol::Tcp, 122).action, Action::Advertise);
}

#[test]
fn a_dry_run_counts_no_offer_and_says_what_would_be_done() {
    let policy = policy_with(|steering| steering.blocked_after = 1);
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let ask = Ask {
        dry_run: true,
        ..steered()
    };
    for second in 0..1000 {
        let now_ms = NOON_MS + second * 1000;
        let decision = table.decide(&policy, keys(1), Protocol::Tcp, &ask, now_ms);
        assert_eq!(
            (decision.action, decision.reason),
            (Action::Advertise, Reason::H3Faster)
        );
    }
    let snapshot = table.snapshot(&policy, NOON_MS);
    assert_eq!((snapshot.offers, snapshot.blocks), (0, 0));
}

#[test]
fn an_offer_lasts_as_long_as_was_asked() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    let ask = Ask {
        max_age_s: 77,
        ..steered()
    };
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    let decision = table.decide(&policy, keys(1), Protocol::Tcp, &ask, NOON_MS);
    assert_eq!(decision.max_age_s, 77);
}

#[test]
fn own_responses_outweigh_a_surface_that_is_wrong_here() {
    let policy = policy();
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    let network = sample_of_network(150_000, 1000, 80);
    table.observe(&policy, keys(1), Protocol::Tcp, &network, NOON_MS);
    learn(&mut table, &policy, 2, NOON_MS);
    let decision = table.decide(&policy, keys(1), Protocol::Tcp, &steered(), NOON_MS);
    assert!((decision.gain - 2f32.ln()).abs() < 0.1, "{decision:?}");
    assert_eq!(decision.reason, Reason::H3Slower);
}

#[test]
fn what_was_learned_fades() {
    let policy = policy_with(|steering| steering.half_life_s = 3600.0);
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    table.observe(&policy, keys(1), Protocol::Tcp, &LOSSY, NOON_MS);
    learn(&mut table, &policy, 2, NOON_MS);
    let after = |hours: u64, table: &mut Table<'_>| {
        let now_ms = NOON_MS + hours * 3_600_000;
        table
            .decide(&policy, keys(1), Protocol::Tcp, &steered(), now_ms)
            .gain
    };
    let gains: Vec<f32> = [0, 5, 10, 20]
        .map(|hours| after(hours, &mut table))
        .to_vec();
    assert!(gains.windows(2).all(|pair| pair[0] > pair[1]), "{gains:?}");
    assert!(gains[0] > 0.5 && gains[3] < 0.0, "{gains:?}");
}
