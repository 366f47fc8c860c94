//! A gateway's policy file.

use pronghorn_policy::{Ask, Keys, Policy, Protocol, Sample, Table};

/// What is refused has a reason and a line of the text; what is read decides by finite numbers.
pub fn policy(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let policy = match Policy::parse(text) {
        Ok(policy) => policy,
        Err(error) => {
            assert!(!error.reason.is_empty());
            assert!(error.line as usize <= text.matches('\n').count() + 1);
            return;
        }
    };
    let mut memory = [0u64; 2048];
    let mut table = Table::init(&mut memory, [1; 16]).expect("16 kB make a table");
    let keys = Keys {
        own: 1,
        parent: 2,
        client: 3,
    };
    let sample = Sample {
        bytes: 20_000,
        time_us: 90_000,
        min_rtt_us: 30_000,
        rate_bytes_per_s: 1_000_000,
        sent: 50,
        lost: 1,
        ..Sample::default()
    };
    for second in 0..20 {
        let protocol = [Protocol::Tcp, Protocol::Quic][second as usize % 2];
        let decision = table.decide(&policy, keys, protocol, &Ask::default(), second * 1000);
        assert!(decision.gain.is_finite() && decision.sd.is_finite() && decision.sd > 0.0);
        assert!((0.0..=1.0).contains(&decision.propensity));
        table.observe(&policy, keys, protocol, &sample, second * 1000);
    }
}
