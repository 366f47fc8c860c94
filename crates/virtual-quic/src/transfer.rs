//! A transfer as it is asked for.

use std::sync::Arc;
use std::time::Duration;

use pronghorn_path::{Direction, Link, PathSpec, Time, seed};
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{ClientConfig, EndpointConfig, ServerConfig, TransportConfig};

use crate::certificate::Tls;
use crate::clock::Clock;
use crate::error::TransferError;
use crate::event_loop::EventLoop;
use crate::host::Host;
use crate::record::Record;
use crate::watch::{Notes, Watching};

/// One response of so many bytes over a new connection.
pub struct Transfer {
    /// What congestion control both ends run; notes are taken on the server's.
    pub controller: Arc<dyn ControllerFactory + Send + Sync>,
    /// The path; without cross traffic, rebindings and handovers.
    pub path: PathSpec,
    /// What settles the path's decisions and all of quinn's that reach its packets' sizes and times.
    pub seed: u64,
    /// The response's length.
    pub bytes: u64,
    /// The client's other settings; quinn's defaults.
    pub client: TransportConfig,
    /// The server's other settings; quinn's defaults.
    pub server: TransportConfig,
    /// Timers go off at multiples of this, as tokio's do at milliseconds; zero, the default: when they are due.
    pub timer_granularity: Duration,
    /// When the transfer has failed, in virtual time; two minutes by default.
    pub limit: Duration,
}

impl Transfer {
    /// A transfer with the defaults, and seed 1.
    #[must_use]
    pub fn new(
        controller: Arc<dyn ControllerFactory + Send + Sync>,
        path: PathSpec,
        bytes: u64,
    ) -> Transfer {
        Transfer {
            controller,
            path,
            seed: 1,
            bytes,
            client: TransportConfig::default(),
            server: TransportConfig::default(),
            timer_granularity: Duration::ZERO,
            limit: Duration::from_secs(120),
        }
    }

    /// Runs it.
    ///
    /// # Errors
    /// A path that can't be, or needs hosts; TLS that can't be set up; a connection that fails; the limit.
    pub fn run(mut self) -> Result<Record, TransferError> {
        refuse_hosts(&self.path)?;
        let clock = Clock::new();
        let notes = Notes::default();
        let tls = Tls::new()?;

        self.client
            .congestion_controller_factory(self.controller.clone());
        let mut client = ClientConfig::new(Arc::new(tls.client));
        client.transport_config(Arc::new(self.client));
        self.server
            .congestion_controller_factory(Arc::new(Watching {
                factory: self.controller,
                clock,
                notes: notes.clone(),
            }));
        let mut server = ServerConfig::with_crypto(Arc::new(tls.server));
        server.transport_config(Arc::new(self.server));

        let events = EventLoop {
            clock,
            now: Time::ZERO,
            limit: self.limit,
            timer_granularity: self.timer_granularity,
            down: Link::new(&self.path.down, self.seed, Direction::Down)?,
            up: Link::new(&self.path.up, self.seed, Direction::Up)?,
            client: Host::client(
                endpoint(self.seed, "client"),
                client,
                clock,
                clock.instant(Time::ZERO),
            )?,
            server: Host::server(endpoint(self.seed, "server"), server, clock),
        };
        events.run(self.bytes, &notes)
    }
}

/// An endpoint's settings: quinn's defaults, seeded.
fn endpoint(seed: u64, host: &str) -> Arc<EndpointConfig> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed::derive(seed, host).to_le_bytes());
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(key));
    Arc::new(config)
}

fn refuse_hosts(path: &PathSpec) -> Result<(), TransferError> {
    let needs = [
        (path.cross.is_some(), "cross traffic"),
        (!path.rebind_ns.is_empty(), "rebindings"),
        (path.handover.is_some(), "a handover"),
        (!path.family.is_four(), "IPv6"),
    ];
    match needs.into_iter().find(|(needed, _)| *needed) {
        Some((_, what)) => Err(TransferError::NeedsHosts(what)),
        None => Ok(()),
    }
}
