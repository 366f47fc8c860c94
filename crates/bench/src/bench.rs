//! A bench: two hosts and the path between them.

use std::io;
use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pronghorn_flight::Recorder;
use pronghorn_path::{Direction, PathSpec};
use schemars::JsonSchema;
use serde::Serialize;

use crate::driver::course::{Plan, Start};
use crate::driver::doorbell::Doorbell;
use crate::driver::handle::Driver;
use crate::driver::quiet::{self, Load};
use crate::driver::report::LinkReport;
use crate::driver::tap::Taps;
use crate::driver::wiring::Wiring;
use crate::error::BenchError;
use crate::network::addressing::Addressing;
use crate::network::congestion::TcpCongestionControl;
use crate::network::further;
use crate::network::level::Level;
use crate::network::setup::{self, Setup};
use crate::network::tcp_knobs::TcpKnobs;
use crate::network::tcp_settings::{HostTcp, TcpOfHosts};
use crate::network::tun::{Offloads, Tun};
use crate::observation::cpu::CpuReading;
use crate::observation::flight::Sampler;
use crate::observation::kernel_counters::NamespaceCounters;
use crate::processes::cross::CrossTraffic;
use crate::processes::host::Host;
use crate::processes::isolation::{Isolation, entered};
use crate::processes::mover::{Addresses, Movement, Mover};
use crate::report::{BothSides, HostReport, PathReport};
use crate::side::Side;

/// What a bench is to be like.
#[derive(Debug, Default)]
pub struct BenchSpec {
    /// The path between the hosts.
    pub path: PathSpec,
    /// Settles every random decision of the path.
    pub seed: u64,
    /// What TCP's sockets on either host use.
    pub tcp_congestion_control: TcpCongestionControl,
    /// What else is asked of TCP on either host.
    pub tcp: TcpKnobs,
    /// Whether the hosts' kernels cut all that they send into single packets, rather than leave that to the path's
    /// devices (no TSO, no USO).
    pub single_packets: bool,
    /// Which addresses of IPv4 the hosts have. Those of IPv6 are always the same.
    pub level: Level,
    /// The further addresses of the server, as many as there are entries, at most 2000: how much longer packets
    /// to each are delayed, in nanoseconds.
    pub further_addresses: Vec<u64>,
    /// Who watches the links; none: nobody, which costs nothing.
    pub taps: Option<Taps>,
    /// Whether the path has only its constant delays at first, until [`Bench::begin`]; its cross traffic starts then.
    pub warm_up: bool,
    /// Who takes what the hosts' TCP connections do over time, from when the path begins; none: nobody looks.
    pub flight: Option<Arc<Recorder>>,
}

/// Packets that entered each link before the path began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PacketsBefore {
    /// Server to client.
    pub down: u64,
    /// Client to server.
    pub up: u64,
}

/// Two hosts with nothing but a path between them. Several can be open at a time; none sees another.
///
/// Dropping a bench closes it.
pub struct Bench {
    /// Present until the bench is closed.
    parts: Option<Parts>,
}

struct Parts {
    path: PathSpec,
    client: Host,
    server: Host,
    client_tun: Arc<Tun>,
    server_tun: Arc<Tun>,
    down: Driver,
    up: Driver,
    cross: Option<CrossTraffic>,
    mover: Option<Mover>,
    addresses: Addresses,
    /// Of the server.
    further_addresses: Vec<IpAddr>,
    offloads: Offloads,
    before: Before,
    may_begin: bool,
    /// With who looks at the connections.
    flight: Option<(Arc<Recorder>, Sampler)>,
}

/// What the kernel had counted when the path that was asked for began.
#[derive(Default)]
struct Before {
    cpu: Option<CpuReading>,
    client: NamespaceCounters,
    server: NamespaceCounters,
}

impl Bench {
    /// Makes new hosts, with empty TCP metrics, and starts the path. Takes a few milliseconds, and the
    /// warm-up of the path's cross traffic.
    ///
    /// # Errors
    /// The path or the congestion control isn't valid, or the host denies what a bench needs.
    pub fn open(mut spec: BenchSpec) -> Result<Bench, BenchError> {
        if let Some(Isolation::None { reason, mend }) = entered() {
            return Err(BenchError::Denied {
                reason: reason.clone(),
                mend: mend.clone(),
            });
        }
        spec.path.validate()?;
        spec.tcp.validate()?;
        let addressing = Addressing::of(spec.path.family, spec.level);
        let further = further::addresses(addressing, &spec.further_addresses, &mut spec.path)?;
        let setup = Setup {
            addressing,
            congestion_control: spec.tcp_congestion_control,
            tcp: spec.tcp,
            single_packets: spec.single_packets,
        };
        let host = |side: Side| {
            let host = Host::isolated(side, addressing)?;
            let setup = setup.clone();
            let (tun, offloads) = host.within(move || setup::set_up(&setup, side))?;
            Ok::<_, BenchError>((host, Arc::new(tun), offloads))
        };
        let (client, client_tun, client_offloads) = host(Side::Client)?;
        let (server, server_tun, server_offloads) = host(Side::Server)?;
        let added = further.clone();
        server.within(move || setup::add_addresses(&added))?;
        let bell = || {
            let bell = Doorbell::new().map_err(|errno| BenchError::Threads(errno.into()));
            bell.map(Arc::new)
        };
        let bells = [bell()?, bell()?];
        let drive = |direction, from: &Arc<Tun>, to: &Arc<Tun>, plan| {
            let [down, up] = bells.each_ref().map(Arc::clone);
            let wiring = Wiring {
                direction,
                from: Arc::clone(from),
                to: Arc::clone(to),
                bells: match direction {
                    Direction::Down => [down, up],
                    Direction::Up => [up, down],
                },
            };
            Driver::start(wiring, plan)
        };
        let driven = match spec.warm_up {
            true => spec.path.delays_alone(),
            false => spec.path.clone(),
        };
        let addresses = Addresses { setup };
        let (mover, [down_plan, up_plan]) =
            plans(&driven, spec.seed, spec.taps, &client, &addresses)?;
        let down = drive(Direction::Down, &server_tun, &client_tun, down_plan)?;
        let up = drive(Direction::Up, &client_tun, &server_tun, up_plan)?;
        if let Some(cross) = &spec.path.cross {
            CrossTraffic::prepare(cross, addressing, &client, &server)?;
        }
        let flight = spec.flight.map(|recorder| {
            let sampler = Sampler::start(&client, &server, Arc::clone(&recorder));
            sampler.map(|sampler| (recorder, sampler))
        });
        let mut parts = Parts {
            path: spec.path,
            client,
            server,
            client_tun,
            server_tun,
            down,
            up,
            cross: None,
            mover,
            addresses,
            further_addresses: further,
            offloads: client_offloads.min(server_offloads),
            before: Before::default(),
            may_begin: spec.warm_up,
            flight: flight.transpose()?,
        };
        if !spec.warm_up {
            parts.begin_flight();
            parts.start_cross_traffic()?;
        }
        parts.before.cpu = Some(CpuReading::now());
        Ok(Bench { parts: Some(parts) })
    }

    /// Makes of the path the one that was asked for, as new: its decisions are those of `seed` from the first packet on,
    /// its clock starts with the next one, all is counted from zero, and `taps` watch it. The hosts' TCP metrics are
    /// empty. Packets that are still inside are delivered as before, uncounted and unseen. Answers after the warm-up of
    /// the path's cross traffic. May be called again and again.
    ///
    /// # Errors
    /// The bench wasn't opened for a warm-up, TCP's metrics can't be kept empty, or a driver has died.
    pub fn begin(&mut self, seed: u64, taps: Option<Taps>) -> Result<PacketsBefore, BenchError> {
        match &mut self.parts {
            Some(parts) => parts.begin(seed, taps),
            None => unreachable!("a bench has its parts until it is closed, which consumes it"),
        }
    }

    /// Ends the path's cross traffic, and waits until nothing is inside the links and nothing has entered them for a round
    /// trip and the time that an end may take to answer; at most `at_most`. Whether it came to that: what goes on then
    /// is the load's that comes next.
    pub fn settle(&mut self, at_most: Duration) -> bool {
        match &mut self.parts {
            Some(parts) => parts.settle(at_most),
            None => unreachable!("a bench has its parts until it is closed, which consumes it"),
        }
    }

    /// Whether it was opened for a warm-up.
    #[must_use]
    pub fn may_begin(&self) -> bool {
        self.parts().may_begin
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

    /// The server's further addresses.
    #[must_use]
    pub fn further_addresses(&self) -> &[IpAddr] {
        &self.parts().further_addresses
    }

    /// How TCP is set up on the hosts, as their kernels tell now.
    #[must_use]
    pub fn tcp(&self) -> TcpOfHosts {
        self.parts().tcp()
    }

    /// What has been counted since the bench was opened, or begun.
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
            mover,
            flight,
            ..
        } = parts;
        drop(flight);
        drop(cross);
        drop((down, up));
        drop(mover);
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
    fn begin(&mut self, seed: u64, taps: Option<Taps>) -> Result<PacketsBefore, BenchError> {
        if !self.may_begin {
            return Err(BenchError::NoWarmUp);
        }
        for host in [&self.client, &self.server] {
            host.within(setup::keeps_no_metrics)?;
        }
        self.cross = None;
        let (mover, [down_plan, up_plan]) =
            plans(&self.path, seed, taps, &self.client, &self.addresses)?;
        let rests = [channel::<()>(), channel::<()>()];
        let [(go_down, down_rests), (go_up, up_rests)] = rests;
        let answers = [
            self.down.begin(down_plan, down_rests),
            self.up.begin(up_plan, up_rests),
        ];
        let answers = answers.map(|answer| answer.recv());
        self.before = Before {
            cpu: Some(CpuReading::now()),
            client: self.client.within(NamespaceCounters::read),
            server: self.server.within(NamespaceCounters::read),
        };
        // Both drivers rest, and have let go of the mover before.
        let moved_back = match mem::replace(&mut self.mover, mover) {
            Some(mover) => mover.undo(&self.client),
            None => Ok(()),
        };
        self.begin_flight();
        drop((go_down, go_up));
        moved_back?;
        let [down, up] = answers.map(|answer| match answer {
            Ok(packets) => packets.map_err(BenchError::from),
            Err(_) => Err(BenchError::Threads(io::Error::other("a driver has died"))),
        });
        let before = PacketsBefore {
            down: down?,
            up: up?,
        };
        self.start_cross_traffic()?;
        Ok(before)
    }

    fn settle(&mut self, at_most: Duration) -> bool {
        self.cross = None;
        let round_trip = |path: &PathSpec| path.down.delay_ns.saturating_add(path.up.delay_ns);
        let other = self.path.handover.as_ref();
        let longest = other.map_or(0, |handover| round_trip(&handover.path));
        let round_trip = Duration::from_nanos(longest.max(round_trip(&self.path)));
        let look = || {
            let [down, up] = [&self.down, &self.up].map(|driver| driver.report().counters);
            Load {
                entered: down.packets_in + up.packets_in,
                held: down.held + up.held,
            }
        };
        quiet::wait(look, quiet::pause_over(round_trip), at_most)
    }

    fn begin_flight(&self) {
        if let Some((recorder, _)) = &self.flight {
            recorder.begin();
        }
    }

    fn start_cross_traffic(&mut self) -> Result<(), BenchError> {
        let cross = self.path.cross.as_ref();
        self.cross = cross
            .map(|cross| {
                let addressing = self.addresses.setup.addressing;
                CrossTraffic::start(cross, addressing, &self.client, &self.server)
            })
            .transpose()?;
        Ok(())
    }

    fn tcp(&self) -> TcpOfHosts {
        let addressing = self.addresses.setup.addressing;
        let of = |host: &Host, side| host.within(move || HostTcp::read(addressing, side));
        TcpOfHosts {
            client: of(&self.client, Side::Client),
            server: of(&self.server, Side::Server),
        }
    }

    fn report(&self, of_link: fn(&Driver) -> LinkReport) -> PathReport {
        let (mut down, mut up) = (of_link(&self.down), of_link(&self.up));
        let client = self.client.within(NamespaceCounters::read);
        let client = client.since(self.before.client);
        let server = self.server.within(NamespaceCounters::read);
        let server = server.since(self.before.server);
        add_device_drops(&mut down, server, client);
        add_device_drops(&mut up, client, server);
        let both = |of: fn(&NamespaceCounters) -> u64| BothSides {
            client: of(&client),
            server: of(&server),
        };
        let cpu = CpuReading::now();
        let earlier = self.before.cpu.as_ref();
        let host = HostReport {
            steal_share: earlier.map_or(0.0, |earlier| cpu.steal_share_since(earlier)),
            cpu: earlier.and_then(|earlier| cpu.since(earlier)),
            udp_receive_buffer_drops: both(|counters| counters.udp_receive_buffer_drops),
            checksum_errors: both(|counters| counters.broken_packets),
            tcp_retransmits: both(|counters| counters.tcp_retransmits),
            driver_priority: self.down.priority().name(),
            offloads: self.offloads.names(),
            tcp: self.tcp(),
        };
        let handover = self.mover.as_ref().and_then(Mover::outcome).transpose();
        if let Err(error) = &handover {
            up.fault
                .get_or_insert_with(|| format!("the handover failed: {error}"));
        }
        PathReport {
            handover: handover.unwrap_or_default(),
            down,
            up,
            host,
            cross: self.cross.as_ref().map(CrossTraffic::report),
        }
    }
}

/// What the drivers of one path's links are to do, down's first, and who changes the client's address meanwhile.
fn plans(
    path: &PathSpec,
    seed: u64,
    taps: Option<Taps>,
    client: &Host,
    addresses: &Addresses,
) -> Result<(Option<Mover>, [Plan; 2]), BenchError> {
    let started = path
        .handover
        .as_ref()
        .map(|_| Mover::start(client, addresses.clone()));
    let (mover, movement) = started.transpose()?.unzip();
    let start = Arc::new(Start::default());
    let plan = |tap, movement: Option<Movement>| Plan {
        path: path.clone(),
        seed,
        start: Arc::clone(&start),
        tap,
        departure: movement.map(|movement| (movement, addresses.first())),
    };
    let (down, up) = taps.map(|taps| (taps.down, taps.up)).unzip();
    let plans = [plan(down, movement.clone()), plan(up, movement)];
    Ok((mover, plans))
}

/// A packet that the device refused to take from the driver is counted by either, mostly by both.
fn add_device_drops(link: &mut LinkReport, from: NamespaceCounters, to: NamespaceCounters) {
    link.ring_dropped = from.device_transmit_drops + link.ring_dropped.max(to.device_receive_drops);
}
