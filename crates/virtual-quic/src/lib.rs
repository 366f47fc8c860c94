//! QUIC transfers in virtual time: two endpoints of quinn-proto, joined by the emulated path of `pronghorn-path`, and
//! an event loop that jumps from one deadline to the next. No clock, socket or thread is involved, so a transfer takes
//! as long as its computation, and gives the same events, to the nanosecond, whenever it is repeated.
//!
//! It is for tests and for judging congestion controllers, on which it takes notes from inside ([`Sample`]). Releases
//! don't hold it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use pronghorn_path::{LinkSpec, PathSpec};
//! use pronghorn_virtual_quic::{Transfer, thinned};
//! use quinn_proto::congestion::CubicConfig;
//!
//! let link = LinkSpec { delay_ns: 10_000_000, ..LinkSpec::default() };
//! let path = PathSpec { down: link.clone(), up: link, ..PathSpec::default() };
//! let record = Transfer::new(Arc::new(CubicConfig::default()), path, 100_000).run()?;
//! assert!(record.first_byte.as_millis() >= 40);   // a round trip for the handshake, one for the request
//! let curve = thinned(&record.samples);           // the congestion window over time
//! # assert!(curve.len() > 2);
//! # Ok::<(), pronghorn_virtual_quic::TransferError>(())
//! ```
//!
//! # What is real
//!
//! The protocol, its timers, its packets and their sizes, TLS included; loss detection, pacing, MTU discovery and flow
//! control. quinn's asynchronous part is left out, and with it what a host adds: socket buffers, the time that
//! computation takes, scheduling. Of these [`Transfer::timer_granularity`] imitates the one that can hold up a sender
//! that paces.

mod application;
mod certificate;
mod clock;
mod curve;
mod datagram;
mod error;
mod event_loop;
mod host;
mod payload_rate;
mod record;
mod transfer;
mod watch;

pub use curve::{Point, thinned};
pub use error::TransferError;
pub use payload_rate::payload_rate_bit_per_s;
pub use record::{Cause, Record, Sample};
pub use transfer::Transfer;
