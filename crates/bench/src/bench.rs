//! A bench: two hosts and the path between them.

use std::sync::Arc;
use std::thread;

use pronghorn_path::{Direction, PathSpec};

use crate::congestion::CongestionControl;
use crate::cross::CrossTraffic;
use crate::doorbell::Doorbell;
use crate::driver::{Driver, Start, Wiring};
use crate::error::BenchError;
use crate::host::{Host, Side};
use crate::isolation::{Isolation, entered};
use crate::kernel_counters::{CpuTime, NamespaceCounters};
use crate::level::Level;
use crate::network;
use crate::report::{BothSides, HostReport, LinkReport, PathReport};
use crate::tap::Taps;
use crate::tun::{Offloads, Tun};

/// What a bench is to be like.
#[derive(Debug, Default)]
pub struct BenchSpec {
    /// The path between the hosts.
    pub path: PathSpec,
    /// Settles every random decision of the path.
    pub seed: u64,
    /// What TCP's sockets on either host use.
    pub tcp_congestion_control: CongestionControl,
    /// Which addresses the hosts have.
    pub level: Level,
    /// Who watches the links; none: nobody, which costs nothing.
    pub taps: Option<Taps>,
}

/// Two hosts with nothing but a path between them. Several can be open at a time; none sees another.
///
/// Dropping a bench closes it.
pub struct Bench {
    /// Present until the bench is closed.
    parts: Option<Parts>,
}

struct Parts {
    client: Host,
    server: Host,
    client_tun: Arc<Tun>,
    server_tun: Arc<Tun>,
    down: Driver,
    up: Driver,
    cross: Option<CrossTraffic>,
    offloads: Offloads,
    cpu_at_opening: CpuTime,
}

impl Bench {
    /// Makes new hosts, with empty TCP metrics, and starts the path. Takes a few milliseconds, and the
    /// warm-up of the path's cross traffic.
    ///
    /// # Errors
    /// The path or the congestion control isn't valid, or the host denies what a bench needs.
    pub fn open(spec: BenchSpec) -> Result<Bench, BenchError> {
        if let Some(Isolation::None { reason, mend }) = entered() {
            return Err(BenchError::Denied {
                reason: reason.clone(),
                mend: mend.clone(),
            });
        }
        spec.path.validate()?;
        let host = |side: Side| {
            let host = Host::isolated(side, spec.level)?;
            let algorithm = spec.tcp_congestion_control.clone();
            let level = spec.level;
            let set_up = move || network::set_up(level, side, &algorithm);
            let (tun, offloads) = host.within(set_up)?;
            Ok::<_, BenchError>((host, Arc::new(tun), offloads))
        };
        let (client, client_tun, client_offloads) = host(Side::Client)?;
        let (server, server_tun, server_offloads) = host(Side::Server)?;
        let start = Arc::new(Start::default());
        let bell = || {
            let bell = Doorbell::new().map_err(|errno| BenchError::Threads(errno.into()));
            bell.map(Arc::new)
        };
        let bells = [bell()?, bell()?];
        let drive = |direction, from: &Arc<Tun>, to: &Arc<Tun>, tap| {
            let [down, up] = bells.each_ref().map(Arc::clone);
            Driver::start(Wiring {
                path: spec.path.clone(),
                seed: spec.seed,
                direction,
                from: Arc::clone(from),
                to: Arc::clone(to),
                start: Arc::clone(&start),
                bells: match direction {
                    Direction::Down => [down, up],
                    Direction::Up => [up, down],
                },
                tap,
            })
        };
        let (down_tap, up_tap) = spec.taps.map(|taps| (taps.down, taps.up)).unzip();
        let down = drive(Direction::Down, &server_tun, &client_tun, down_tap)?;
        let up = drive(Direction::Up, &client_tun, &server_tun, up_tap)?;
        let cross = spec.path.cross.as_ref();
        let cross = cross
            .map(|cross| CrossTraffic::start(cross, &client, &server))
            .transpose()?;
        let cpu_at_opening = CpuTime::now();
        let parts = Parts {
            client,
            server,
            client_tun,
            server_tun,
            down,
            up,
            cross,
            offloads: client_offloads.min(server_offloads),
            cpu_at_opening,
        };
        Ok(Bench { parts: Some(parts) })
    }

    /// One of the two hosts.
    #[must_use]
    pub fn host(&self, side: Side) -> &Host {
        let parts = self.parts();
        match side {
            Side::Client => &parts.client,
            Side::Server => &parts.server,
        }
    }

    /// What has been counted since the bench was opened.
    #[must_use]
    pub fn counters(&self) -> PathReport {
        self.parts().report(Driver::report)
    }

    /// Stops the path, kills what was started on the hosts, and gives the final counters. The
    /// devices, which take the kernel long, go in the background while the next bench is opened.
    pub fn close(mut self) -> PathReport {
        let report = self.parts().report(Driver::last_report);
        self.dismantle();
        report
    }

    fn parts(&self) -> &Parts {
        match &self.parts {
            Some(parts) => parts,
            None => unreachable!("a bench has its parts until it is closed, which consumes it"),
        }
    }

    fn dismantle(&mut self) {
        let Some(parts) = self.parts.take() else {
            return;
        };
        let Parts {
            client,
            server,
            client_tun,
            server_tun,
            down,
            up,
            cross,
            ..
        } = parts;
        drop(cross);
        drop((down, up));
        client.evict();
        server.evict();
        let remains = (client, server, client_tun, server_tun);
        // Where no thread can be had, the closure and all in it is dropped at once.
        let _ = thread::Builder::new()
            .name("dismantle".into())
            .spawn(move || drop(remains));
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.dismantle();
    }
}

impl Parts {
    fn report(&self, of_link: fn(&Driver) -> LinkReport) -> PathReport {
        let (mut down, mut up) = (of_link(&self.down), of_link(&self.up));
        let client = self.client.within(NamespaceCounters::read);
        let server = self.server.within(NamespaceCounters::read);
        add_device_drops(&mut down, server, client);
        add_device_drops(&mut up, client, server);
        let both = |of: fn(&NamespaceCounters) -> u64| BothSides {
            client: of(&client),
            server: of(&server),
        };
        let host = HostReport {
            steal_share: CpuTime::now().steal_share_since(self.cpu_at_opening),
            udp_receive_buffer_drops: both(|counters| counters.udp_receive_buffer_drops),
            checksum_errors: both(|counters| counters.broken_packets),
            tcp_retransmits: both(|counters| counters.tcp_retransmits),
            driver_priority: self.down.priority().name(),
            offloads: self.offloads.names(),
        };
        PathReport {
            down,
            up,
            host,
            cross: self.cross.as_ref().map(CrossTraffic::report),
        }
    }
}

/// A packet that the device refused to take from the driver is counted by either, mostly by both.
fn add_device_drops(link: &mut LinkReport, from: NamespaceCounters, to: NamespaceCounters) {
    link.ring_dropped = from.device_transmit_drops + link.ring_dropped.max(to.device_receive_drops);
}
