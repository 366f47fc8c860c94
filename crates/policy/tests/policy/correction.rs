//! Where the laboratory's surface is wrong here, the keys that chance pinned say so for others.

use crate::common::{Memory, NOON_MS, keys, policy};
use pronghorn_policy::{Arm, Ask, Policy, Protocol, Sample, Table, TcpControl};

/// 50 ms and 0.3 % lost: there the surface says that h3 takes 0.96 to 1.05 of the time.
fn network(time_us: u64) -> Sample {
    Sample {
        bytes: 20_000,
        time_us,
        min_rtt_us: 50_000,
        sent: 1000,
        lost: 3,
        ..Sample::default()
    }
}

/// What is expected of a key that only its network is known of, after 2000 others were asked about, on which QUIC takes
/// `factor` times as long.
fn expected_after(policy: &Policy, table: &mut Table<'_>, factor: f64, holdout: f32) -> f32 {
    let ask = Ask {
        holdout,
        ..Ask::default()
    };
    for key in 0..2000 {
        let decision = table.decide(policy, keys(key), Protocol::Tcp, &ask, NOON_MS);
        let (protocol, time_us) = match decision.arm {
            Arm::PinnedH3 => (Protocol::Quic, 200_000.0 * factor),
            _ => (Protocol::Tcp, 200_000.0),
        };
        table.observe(
            policy,
            keys(key),
            protocol,
            &network(time_us as u64),
            NOON_MS,
        );
    }
    let other = keys(1 << 30);
    let known = Sample {
        bytes: 0,
        ..network(0)
    };
    table.observe(policy, other, Protocol::Tcp, &known, NOON_MS);
    table
        .decide(policy, other, Protocol::Tcp, &ask, NOON_MS)
        .gain
}

fn expected(factor: f64, holdout: f32) -> f32 {
    expected_after(
        &policy(),
        &mut Memory::new(1 << 21).table(),
        factor,
        holdout,
    )
}

#[test]
fn outcomes_of_pinned_keys_shift_the_surface_for_others() {
    let as_mapped = expected(1.5, 0.0); // nobody pinned, nothing learned
    let (slower, faster) = (expected(1.2, 0.25), expected(0.85, 0.25));
    assert!(slower > as_mapped + 0.03, "{slower}, mapped {as_mapped}");
    assert!(faster < as_mapped - 0.03, "{faster}, mapped {as_mapped}");
}

#[test]
fn what_was_learned_with_one_congestion_control_is_not_said_of_another() {
    let policy = policy(); // whose surface is the same for both
    let mut memory = Memory::new(1 << 21);
    let mut table = memory.table();
    let learned = expected_after(&policy, &mut table, 1.3, 0.25);
    let known = Sample {
        bytes: 0,
        tcp_control: TcpControl::Bbr,
        ..network(0)
    };
    let other = keys(1 << 31);
    table.observe(&policy, other, Protocol::Tcp, &known, NOON_MS);
    let ask = Ask::default();
    let decision = table.decide(&policy, other, Protocol::Tcp, &ask, NOON_MS);
    let as_mapped = expected(1.0, 0.0);
    assert!(learned > as_mapped + 0.03);
    assert!((decision.gain - as_mapped).abs() < 1e-6, "{decision:?}");
}

#[test]
fn a_shift_is_bounded_however_bad_it_was() {
    let as_mapped = expected(1.5, 0.0);
    let worst = expected(100.0, 0.25);
    // The mixture's sd there, over both rates: half of ln(1.05 / 0.96), and 0.02.
    let sd = ((1.05f32 / 0.96).ln() / 2.0).hypot(0.02);
    assert!(worst > as_mapped + sd, "{worst}");
    assert!(worst < as_mapped + 2.0 * sd + 0.15, "{worst}"); // neighbouring nodes' sd are greater
}

#[test]
fn what_was_learned_in_an_epoch_fades_by_the_epoch() {
    let policy = policy();
    let mut memory = Memory::new(1 << 21);
    let mut table = memory.table();
    let learned = expected_after(&policy, &mut table, 1.3, 0.02);
    let mut expected_in_days = |days: u64| {
        let now_ms = NOON_MS + days * 86_400_000;
        let known = Sample {
            bytes: 0,
            ..network(0)
        };
        // Somebody asks every day.
        table.observe(&policy, keys(1 << 30), Protocol::Tcp, &known, now_ms);
        table
            .decide(
                &policy,
                keys(1 << 30),
                Protocol::Tcp,
                &Ask::default(),
                now_ms,
            )
            .gain
    };
    let next: Vec<f32> = (1..=6).map(&mut expected_in_days).collect();
    let forgotten = expected(1.0, 0.0);
    assert!(learned > forgotten + 0.01, "{learned}, {forgotten}");
    assert!(
        next.windows(2).all(|pair| pair[1] <= pair[0] + 1e-4),
        "{next:?}"
    );
    assert!((next[5] - forgotten).abs() < 0.005, "{next:?}, {forgotten}");
}
