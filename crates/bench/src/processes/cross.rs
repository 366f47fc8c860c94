//! Cross traffic: bulk TCP flows of the hosts' own kernels, which share both links with what is measured.
//!
//! The flows run between addresses of their own, so that a route of their own can lock their
//! congestion control. The client always connects, whichever side sends, as through a NAT. One
//! thread on each host moves all of them.

mod pump;
mod socket;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use pronghorn_flight::together;
use pronghorn_path::{Cross, Direction};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::BenchError;
use crate::network::addressing::Addressing;
use crate::network::setup;
use crate::processes::host::Host;
use crate::side::Side;
use pump::{Pump, Tally, Work};

/// What the cross traffic did since the end of its warm-up.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "CrossCounters")]
pub struct CrossReport {
    /// Flows that are connected now.
    pub flows: u32,
    /// The flows' congestion control, read back from the sending sockets, each name once.
    pub tcp_congestion_controls: Vec<String>,
    /// Bytes that the receiving ends took.
    pub bytes: u64,
    /// Segments that the sending ends sent again.
    pub retransmits: u64,
    /// Seconds since the end of the warm-up.
    pub seconds: f64,
    /// `bytes` over `seconds`, in bits per second.
    pub goodput_bit_per_s: f64,
}

/// The flows of a bench, which end when this is dropped.
pub(crate) struct CrossTraffic {
    sender: Pump,
    receiver: Pump,
    open: Counted,
}

/// A reading of what only grows.
struct Counted {
    at: Instant,
    bytes: u64,
    retransmits: u64,
}

impl CrossTraffic {
    /// Gives the hosts the flows' addresses and routes.
    pub(crate) fn prepare(
        spec: &Cross,
        addressing: Addressing,
        client: &Host,
        server: &Host,
    ) -> Result<(), BenchError> {
        let [near, far] =
            [Side::Client, Side::Server].map(|side| addressing.address_of_cross(side));
        for (host, own, peer) in [(client, near, far), (server, far, near)] {
            let control = spec.tcp_congestion_control.as_str().into();
            host.within(move || setup::add_pair(own, peer, &control))?;
        }
        Ok(())
    }

    /// Starts the flows between prepared hosts and lets them send for their warm-up.
    pub(crate) fn start(
        spec: &Cross,
        addressing: Addressing,
        client: &Host,
        server: &Host,
    ) -> Result<CrossTraffic, BenchError> {
        let far = addressing.address_of_cross(Side::Server);
        let (at_client, at_server) = match spec.direction {
            Direction::Down => (Work::Discard, Work::Send),
            Direction::Up => (Work::Send, Work::Discard),
        };
        let server_end = Pump::accept(server, far, at_server).map_err(BenchError::Threads)?;
        let to = SocketAddr::new(far, server_end.port());
        let client_end = Pump::connect(client, to, spec.flows as usize, at_client)
            .map_err(BenchError::Threads)?;
        let (sender, receiver) = match spec.direction {
            Direction::Down => (server_end, client_end),
            Direction::Up => (client_end, server_end),
        };
        thread::sleep(Duration::from_nanos(spec.warmup_ns));
        let open = Counted::now(sender.tally(), receiver.tally());
        Ok(CrossTraffic {
            sender,
            receiver,
            open,
        })
    }

    /// What has been done since the warm-up.
    pub(crate) fn report(&self) -> CrossReport {
        let tally = self.sender.tally();
        let now = Counted::now(tally, self.receiver.tally());
        let seconds = (now.at - self.open.at).as_secs_f64();
        let bytes = now.bytes - self.open.bytes;
        CrossReport {
            flows: tally.connected(),
            tcp_congestion_controls: tally.congestion_controls(),
            bytes,
            retransmits: now.retransmits.saturating_sub(self.open.retransmits),
            seconds,
            goodput_bit_per_s: if seconds > 0.0 {
                bytes as f64 * 8.0 / seconds
            } else {
                0.0
            },
        }
    }
}

impl Counted {
    fn now(sender: &Arc<Tally>, receiver: &Arc<Tally>) -> Counted {
        let bytes = || receiver.received_bytes();
        let (at, bytes) = together(Instant::now, bytes);
        Counted {
            at,
            bytes,
            retransmits: sender.retransmits(),
        }
    }
}

/// An error of the standard library's from one of nix's.
fn from_errno(errno: nix::errno::Errno) -> io::Error {
    errno.into()
}
