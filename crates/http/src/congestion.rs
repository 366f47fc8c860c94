//! Congestion control as a parameter of both transports.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::flight::Metered;
use crate::handshake_room::HandshakeRoom;

/// The congestion control of one end, by transport.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CongestionControl {
    /// TCP's, by the kernel's name: `cubic`, `reno`, `bbr` and others that it has.
    pub tcp: String,
    /// QUIC's.
    pub quic: QuicCongestionControl,
}

/// The QUIC stacks' congestion controllers. No name is an alias of another algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuicCongestionControl {
    /// CUBIC (RFC 9438).
    Cubic,
    /// NewReno as RFC 9002 §7 has it.
    NewReno,
    /// quinn's BBR, which its authors call experimental.
    Bbr,
    /// s2n-quic's BBR, version 2 (draft-cardwell-iccrg-bbr-congestion-control-02).
    Bbr2,
}

/// A controller that no stack has.
#[derive(Debug, thiserror::Error)]
#[error("unknown QUIC congestion control `{0}`; allowed: cubic, newreno, bbr, bbr2")]
pub struct UnknownCongestionControl(String);

impl QuicCongestionControl {
    /// The factory from which quinn makes a controller for each connection, with quinn's defaults.
    pub fn factory(self) -> Arc<dyn ControllerFactory + Send + Sync> {
        self.factory_beginning_with(None)
    }

    /// Such a factory of controllers whose windows begin with so many bytes, where it says.
    pub fn factory_beginning_with(
        self,
        initial_window: Option<u64>,
    ) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            QuicCongestionControl::Cubic => {
                let mut config = CubicConfig::default();
                if let Some(bytes) = initial_window {
                    config.initial_window(bytes);
                }
                Arc::new(config)
            }
            QuicCongestionControl::NewReno => {
                let mut config = NewRenoConfig::default();
                if let Some(bytes) = initial_window {
                    config.initial_window(bytes);
                }
                Arc::new(config)
            }
            QuicCongestionControl::Bbr => {
                let mut config = BbrConfig::default();
                if let Some(bytes) = initial_window {
                    config.initial_window(bytes);
                }
                Arc::new(config)
            }
            QuicCongestionControl::Bbr2 => {
                unreachable!("quinn is never asked for it: `QuicStack::check`")
            }
        }
    }

    /// The name of the controller that a live connection runs, by the type of its state.
    pub fn of(connection: &quinn::Connection) -> Option<QuicCongestionControl> {
        QuicCongestionControl::of_state(connection.congestion_state().into_any())
    }

    /// The name of a controller of quinn-proto's.
    pub fn of_controller(
        controller: &dyn quinn::congestion::Controller,
    ) -> Option<QuicCongestionControl> {
        QuicCongestionControl::of_state(controller.clone_box().into_any())
    }

    /// The name of the controller with this state.
    pub(crate) fn of_state(state: Box<dyn Any>) -> Option<QuicCongestionControl> {
        let state = HandshakeRoom::inside(Metered::inside(state));
        if state.is::<quinn::congestion::Cubic>() {
            Some(QuicCongestionControl::Cubic)
        } else if state.is::<quinn::congestion::NewReno>() {
            Some(QuicCongestionControl::NewReno)
        } else if state.is::<quinn::congestion::Bbr>() {
            Some(QuicCongestionControl::Bbr)
        } else {
            None
        }
    }
}

impl fmt::Display for QuicCongestionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuicCongestionControl::Cubic => "cubic",
            QuicCongestionControl::NewReno => "newreno",
            QuicCongestionControl::Bbr => "bbr",
            QuicCongestionControl::Bbr2 => "bbr2",
        })
    }
}

impl std::str::FromStr for QuicCongestionControl {
    type Err = UnknownCongestionControl;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "cubic" => Ok(QuicCongestionControl::Cubic),
            "newreno" => Ok(QuicCongestionControl::NewReno),
            "bbr" => Ok(QuicCongestionControl::Bbr),
            "bbr2" => Ok(QuicCongestionControl::Bbr2),
            other => Err(UnknownCongestionControl(other.to_owned())),
        }
    }
}
