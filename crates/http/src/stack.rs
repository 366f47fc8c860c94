//! Which QUIC implementation carries HTTP/3, and what it can't be asked for.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{QuicCongestionControl, TransportKnobs};

/// A QUIC implementation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuicStack {
    /// quinn.
    #[default]
    Quinn,
    /// s2n-quic. It has no early data, resumes no session, leaves no qlog, and its client stays on one path.
    S2n,
}

/// What a QUIC implementation lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{stack} has no {what}; {mend}")]
pub struct StackLacks {
    stack: QuicStack,
    what: String,
    mend: &'static str,
}

impl QuicStack {
    /// Whether it can run this controller with these settings.
    pub fn check(
        self,
        control: QuicCongestionControl,
        knobs: &TransportKnobs,
    ) -> Result<(), StackLacks> {
        use QuicCongestionControl::{Bbr, Bbr2, Cubic, NewReno};
        let mend = match (self, control) {
            (QuicStack::Quinn, Bbr2) => Some("it has `cubic`, `newreno` and `bbr`"),
            (QuicStack::S2n, Bbr) => Some("its BBR is version 2, `bbr2`"),
            (QuicStack::S2n, NewReno) => Some("it has `cubic` and `bbr2`"),
            (QuicStack::Quinn, Cubic | NewReno | Bbr) | (QuicStack::S2n, Cubic | Bbr2) => None,
        };
        if let Some(mend) = mend {
            return Err(self.lacks(format!("congestion control `{control}`"), mend));
        }
        if self == QuicStack::S2n && knobs.ack_frequency.is_some() {
            return Err(self.lacks("`ack_frequency`", "leave it out"));
        }
        Ok(())
    }

    /// Whether it can resume sessions, with early data or without.
    pub fn check_sessions(self, used: bool) -> Result<(), StackLacks> {
        match self {
            QuicStack::S2n if used => {
                Err(self.lacks("session resumption over rustls", "every load is cold"))
            }
            _ => Ok(()),
        }
    }

    fn lacks(self, what: impl Into<String>, mend: &'static str) -> StackLacks {
        StackLacks {
            stack: self,
            what: what.into(),
            mend,
        }
    }
}

impl fmt::Display for QuicStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuicStack::Quinn => crate::QUIC_STACK,
            QuicStack::S2n => "s2n-quic",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_that_a_stack_lacks_is_refused_by_name() {
        let plain = TransportKnobs::default();
        for (stack, control, told) in [
            (QuicStack::S2n, QuicCongestionControl::Bbr, "version 2"),
            (QuicStack::S2n, QuicCongestionControl::NewReno, "`bbr2`"),
            (QuicStack::Quinn, QuicCongestionControl::Bbr2, "`newreno`"),
        ] {
            let refused = stack.check(control, &plain).expect_err("it lacks that");
            let refused = refused.to_string();
            assert!(refused.contains(told), "{refused}");
            assert!(refused.contains(&format!("`{control}`")), "{refused}");
        }
        for control in [QuicCongestionControl::Cubic, QuicCongestionControl::Bbr2] {
            assert_eq!(QuicStack::S2n.check(control, &plain), Ok(()));
        }
    }

    #[test]
    fn what_s2n_quic_lacks_is_refused() {
        let knobs = TransportKnobs {
            ack_frequency: Some(9),
            ..TransportKnobs::default()
        };
        let cubic = QuicCongestionControl::Cubic;
        assert!(QuicStack::S2n.check(cubic, &knobs).is_err());
        assert_eq!(QuicStack::Quinn.check(cubic, &knobs), Ok(()));
        assert!(QuicStack::S2n.check_sessions(true).is_err());
        assert_eq!(QuicStack::S2n.check_sessions(false), Ok(()));
    }
}
