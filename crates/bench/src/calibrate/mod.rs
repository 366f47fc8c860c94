//! Calibration: numbered probes across a bench's links, and what became of each.
//!
//! The hosts' own sockets and kernels observe, not the path. Nothing is judged here: which probes are
//! worth sending, and what their fate says of the path, is the caller's.

mod receiver;
mod sender;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pronghorn_path::{Direction, Family};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bench::Bench;
use crate::driver::report::LinkReport;
use crate::observation::kernel_counters::NamespaceCounters;
use crate::processes::host::Host;
use crate::report::PathReport;
use crate::side::Side;
use receiver::Receiver;

/// The port that probes go to.
const PORT: u16 = 9;

/// Bytes of UDP's header.
const UDP_HEADER: u32 = 8;

/// Bytes of a probe's payload: the place of its phase, and its own.
const NUMBERS: u32 = 8;

/// The most probes of one direction of a plan.
const MOST_PROBES: u64 = 1_000_000;

/// Bytes of the probes that go to the kernel at once.
const MOST_TOGETHER: u32 = 65_000;

/// How often the links are asked whether they are empty.
const GLANCE: Duration = Duration::from_millis(2);

/// Which probes to send. At most 1 000 000 a direction.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbePlan {
    /// The phases from the server to the client.
    pub down: Vec<Phase>,
    /// The phases from the client to the server.
    pub up: Vec<Phase>,
    /// How long to wait after the last probe of a phase for both links to be empty, in nanoseconds.
    pub settle_ns: u64,
}

/// Probes of equal size at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[schemars(rename = "ProbePhase")]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// How many probes. 0: none in this direction.
    pub packets: u32,
    /// Bytes of the IP packet, 36 to 1500; over IPv6 from 56.
    pub bytes: u32,
    /// Nanoseconds from one to the next. 0: as fast as they can be sent.
    pub gap_ns: u64,
    /// How many are handed to the kernel at once, which cuts them apart (UDP's segmentation offload): at most 64, and 65 000
    /// bytes. 0 and 1: one by one.
    #[serde(default)]
    pub together: u32,
}

/// What became of the probes.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Calibration {
    /// Server to client.
    pub down: ProbedLink,
    /// Client to server.
    pub up: ProbedLink,
}

/// The probes of one direction.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProbedLink {
    /// One for each of the plan's phases.
    pub phases: Vec<ProbedPhase>,
    /// Packets that the receiving kernel dropped for a wrong checksum or length.
    pub damaged: u64,
    /// Probes that the receiving socket had no room for.
    pub receive_buffer_drops: u64,
    /// Messages of ICMPv6 among what the link carried: answers of the sending host to probes of the other direction whose
    /// header was corrupted.
    pub answers: u64,
}

/// The probes of one phase. Times count from its first probe.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct ProbedPhase {
    /// When each was sent, in nanoseconds since the phase's first.
    pub sent_ns: Vec<u64>,
    /// Each probe that was received: its place among the sent (from 0), and the receiving kernel's time in nanoseconds. In
    /// the order of arrival, copies included.
    pub arrivals: Vec<(u32, u64)>,
    /// Whether the link was empty before `settle_ns` had passed.
    pub settled: bool,
    /// What the link had counted when the phase was over.
    pub link: LinkReport,
}

/// Sends a plan's probes across `bench`, on which nothing else may send, and observes them.
///
/// # Errors
/// `InvalidInput` where the plan isn't allowed; else what a socket or a thread has met.
pub fn calibrate(bench: &Bench, plan: &ProbePlan) -> io::Result<Calibration> {
    let headers = headers(bench);
    plan.check(headers)?;
    let before = [Direction::Down, Direction::Up].map(|way| counted(bench, way));
    let receivers = [
        Receiver::start(bench.host(Side::Client))?,
        Receiver::start(bench.host(Side::Server))?,
    ];
    let mut phases = [Vec::new(), Vec::new()];
    let mut starts = [Vec::new(), Vec::new()];
    let mut sent = [0, 0];
    for place in 0..plan.down.len().max(plan.up.len()) {
        let senders = [
            (Direction::Down, plan.down.get(place)),
            (Direction::Up, plan.up.get(place)),
        ]
        .map(|(way, phase)| start_sender(bench, way, place as u32, phase));
        let mut times = Vec::new();
        for sender in senders {
            let sender = sender?.map(JoinHandle::join).transpose();
            let ended = sender.map_err(|_| io::Error::other("a sender has died"))?;
            times.push(ended.transpose()?.unwrap_or_default());
        }
        for (sent, times) in sent.iter_mut().zip(&times) {
            *sent += times.len() as u64;
        }
        let (report, settled) = settle(bench, sent, Duration::from_nanos(plan.settle_ns));
        let links = [report.down, report.up];
        for (way, (times, link)) in times.into_iter().zip(links).enumerate() {
            let start = times.first().copied().unwrap_or_default();
            starts[way].push(start);
            phases[way].push(ProbedPhase {
                sent_ns: times.into_iter().map(|at| at - start).collect(),
                settled,
                link,
                ..ProbedPhase::default()
            });
        }
    }
    let mut after = [Direction::Down, Direction::Up].map(|way| counted(bench, way));
    for (way, receiver) in receivers.into_iter().enumerate() {
        for arrival in receiver.finish()? {
            let place = arrival.phase as usize;
            if let (Some(phase), Some(start)) = (phases[way].get_mut(place), starts[way].get(place))
            {
                let at = arrival.at_ns.saturating_sub(*start);
                phase.arrivals.push((arrival.number, at));
            }
        }
        after[way] = after[way].since(before[way]);
    }
    let [down, up] = phases;
    let link = |phases, counted: NamespaceCounters| ProbedLink {
        phases,
        damaged: counted.broken_packets,
        receive_buffer_drops: counted.udp_receive_buffer_drops,
        answers: counted.icmp6_messages,
    };
    Ok(Calibration {
        down: link(down, after[0]),
        up: link(up, after[1]),
    })
}

impl ProbePlan {
    fn check(&self, headers: u32) -> io::Result<()> {
        let least = headers + NUMBERS;
        for phases in [&self.down, &self.up] {
            let probes: u64 = phases.iter().map(|phase| u64::from(phase.packets)).sum();
            let sized = phases
                .iter()
                .all(|phase| phase.packets == 0 || phase.is_sized(least));
            if probes > MOST_PROBES || !sized {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!(
                        "allowed are {MOST_PROBES} probes a direction, of {least} to 1500 bytes, at most 64 and \
                         {MOST_TOGETHER} bytes together"
                    ),
                ));
            }
        }
        Ok(())
    }
}

impl Phase {
    fn is_sized(&self, least: u32) -> bool {
        (least..=1500).contains(&self.bytes)
            && self.bytes.saturating_mul(self.together) <= MOST_TOGETHER
            && self.together <= 64
    }
}

/// Bytes of IP's and UDP's headers over the path of a bench.
fn headers(bench: &Bench) -> u32 {
    let family = Family::from(bench.host(Side::Server).address());
    family.header_bytes() + UDP_HEADER
}

/// The hosts that send and receive in a direction.
fn ends(bench: &Bench, way: Direction) -> (&Host, &Host) {
    let (client, server) = (bench.host(Side::Client), bench.host(Side::Server));
    match way {
        Direction::Down => (server, client),
        Direction::Up => (client, server),
    }
}

type Sender = JoinHandle<io::Result<Vec<u64>>>;

fn start_sender(
    bench: &Bench,
    way: Direction,
    place: u32,
    phase: Option<&Phase>,
) -> io::Result<Option<Sender>> {
    let Some(phase) = phase.copied().filter(|phase| phase.packets > 0) else {
        return Ok(None);
    };
    let (from, to) = ends(bench, way);
    let to = SocketAddr::new(to.address(), PORT);
    let any: IpAddr = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let payload = (phase.bytes - headers(bench)) as usize;
    let send = move || sender::send(&UdpSocket::bind((any, 0))?, to, place, phase, payload);
    from.thread("probe-send", send).map(Some)
}

/// Waits until both links have taken what was sent and are empty again; whether that came to pass.
fn settle(bench: &Bench, sent: [u64; 2], limit: Duration) -> (PathReport, bool) {
    let deadline = Instant::now() + limit;
    loop {
        let report = bench.counters();
        let empty = [&report.down, &report.up]
            .into_iter()
            .zip(sent)
            .all(|(link, sent)| {
                let met = link.counters.packets_in + link.ring_dropped;
                met >= sent && link.counters.held == 0
            });
        if empty || Instant::now() >= deadline {
            // The last packets are on their way through the receiving kernel.
            thread::sleep(GLANCE);
            return (report, empty);
        }
        thread::sleep(GLANCE);
    }
}

/// What the receiving kernel has counted.
fn counted(bench: &Bench, way: Direction) -> NamespaceCounters {
    ends(bench, way).1.within(NamespaceCounters::read)
}
