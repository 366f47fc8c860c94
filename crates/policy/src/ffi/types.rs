//! The C header's structures, field for field, and what they stand for.

use crate::decision::{Ask, Decision, Downgrade};
use crate::sample::{Protocol, Sample, TcpControl};

const REASON_BYTES: usize = 240;

/// `pronghorn_error`.
#[repr(C)]
pub struct CError {
    line: u32,
    reason: [u8; REASON_BYTES],
}

/// `pronghorn_sample`.
#[repr(C)]
pub struct CSample {
    bytes: u64,
    time_us: u64,
    rate_bytes_per_s: u64,
    delivered: u64,
    min_rtt_us: u32,
    sent: u32,
    lost: u32,
    tcp_control: u8,
    stalled: u8,
    dry_run: u8,
    reserved: u8,
}

/// `pronghorn_ask`.
#[repr(C)]
pub struct CAsk {
    holdout: f32,
    max_age_s: u32,
    downgrade: u8,
    dry_run: u8,
    new_connection: u8,
    host: u8,
}

/// `pronghorn_decision`.
#[repr(C)]
pub struct CDecision {
    action: u8,
    reason: u8,
    arm: u8,
    reserved: u8,
    max_age_s: u32,
    propensity: f32,
    gain: f32,
    sd: f32,
}

impl CSample {
    pub(super) fn natural(&self) -> Sample {
        Sample {
            bytes: self.bytes,
            time_us: self.time_us,
            rate_bytes_per_s: self.rate_bytes_per_s,
            min_rtt_us: self.min_rtt_us,
            sent: self.sent,
            lost: self.lost,
            tcp_control: TcpControl::of(self.tcp_control),
            stalled: self.stalled != 0,
            delivered: self.delivered,
            dry_run: self.dry_run != 0,
        }
    }
}

impl CAsk {
    pub(super) fn natural(&self) -> Ask {
        Ask {
            holdout: self.holdout,
            max_age_s: self.max_age_s,
            downgrade: match self.downgrade {
                0 => Downgrade::Off,
                2 => Downgrade::Clear,
                _ => Downgrade::Lease,
            },
            dry_run: self.dry_run != 0,
            new_connection: self.new_connection != 0,
            host: self.host,
        }
    }
}

impl CDecision {
    pub(super) fn of(decision: &Decision) -> CDecision {
        CDecision {
            action: decision.action as u8,
            reason: decision.reason as u8,
            arm: decision.arm as u8,
            reserved: 0,
            max_age_s: decision.max_age_s,
            propensity: decision.propensity,
            gain: decision.gain,
            sd: decision.sd,
        }
    }
}

pub(super) fn protocol_of(number: u8) -> Protocol {
    match number {
        0 => Protocol::Tcp,
        _ => Protocol::Quic,
    }
}

/// # Safety
/// `error` is null or may be written to.
pub(super) unsafe fn tell(error: *mut CError, line: u32, reason: &str) {
    let mut said = CError {
        line,
        reason: [0; REASON_BYTES],
    };
    let mut end = reason.len().min(REASON_BYTES - 1);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    for (to, from) in said
        .reason
        .iter_mut()
        .zip(reason.as_bytes().iter().take(end))
    {
        *to = *from;
    }
    if !error.is_null() {
        // SAFETY: as the caller promises.
        unsafe { error.write(said) };
    }
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;
    use std::fmt::Write;
    use std::string::String;

    use super::*;
    use crate::{Group, Keys, Snapshot, Uplift};

    macro_rules! layout {
        ($text:ident, $name:literal, $type:ty, $($field:ident),+) => {
            writeln!($text, "{} {}", $name, size_of::<$type>()).expect("text grows");
            $(writeln!($text, "  {} {}", stringify!($field), offset_of!($type, $field)).expect("text grows");)+
        };
    }

    /// The C program prints the same of the header's (`tests/policy/golden.rs`).
    #[test]
    fn structures_lie_in_memory_as_the_golden_layout_says() {
        let mut text = String::new();
        layout!(text, "error", CError, line, reason);
        layout!(text, "keys", Keys, own, parent, client);
        layout!(
            text,
            "sample",
            CSample,
            bytes,
            time_us,
            rate_bytes_per_s,
            delivered,
            min_rtt_us,
            sent,
            lost,
            tcp_control,
            stalled,
            dry_run,
            reserved
        );
        layout!(
            text, "decision", CDecision, action, reason, arm, reserved, max_age_s, propensity,
            gain, sd
        );
        layout!(
            text,
            "ask",
            CAsk,
            holdout,
            max_age_s,
            downgrade,
            dry_run,
            new_connection,
            host
        );
        layout!(text, "group", Group, keys, mean, sd);
        layout!(text, "uplift", Uplift, ratio, low, high);
        layout!(
            text,
            "snapshot",
            Snapshot,
            capacity,
            keys,
            parents,
            keys_on,
            keys_blocked,
            evicted,
            mended,
            emptied,
            refused,
            samples,
            stalls,
            decisions,
            offers,
            upgrades,
            downgrades,
            blocks,
            epoch,
            all,
            now,
            steered_all,
            steered_now,
            pinned_h3_all,
            pinned_h3_now
        );
        assert_eq!(text, include_str!("../../tests/golden/layout.txt"));
    }

    #[test]
    fn a_reason_is_cut_between_characters() {
        let mut error = CError {
            line: 0,
            reason: [1; REASON_BYTES],
        };
        let long = "\u{fc}".repeat(200);
        // SAFETY: the pointer is made from a reference.
        unsafe { tell(&mut error, 3, &long) };
        assert_eq!(error.line, 3);
        let end = error
            .reason
            .iter()
            .position(|byte| *byte == 0)
            .expect("an end");
        assert_eq!(core::str::from_utf8(&error.reason[..end]), Ok(&long[..238]));
    }
}
