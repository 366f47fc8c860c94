//! The pair of hosts at hand: a bench's, or the machine itself over loopback.

use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use pronghorn_bench::{
    Bench, BenchError, BenchSpec, Calibration, Host, Isolation, Level, PacketsBefore, PathReport,
    ProbePlan, Side, TcpKnobs, TcpOfHosts, calibrate,
};
use pronghorn_flight::Recorder;

use crate::answer::Fault;
use crate::answers::{Socket, Sockets};
use crate::recording::{Files, Recording};
use crate::request;

/// How long what was done before may go on before a path begins all the same.
const SETTLES_WITHIN: Duration = Duration::from_secs(5);

/// The longest delay of an address beyond the path's.
const LONGEST_DELAY_NS: u64 = 3_600_000_000_000;

/// A bench, or loopback for loads without an emulated path.
pub(crate) enum Hosts {
    /// With the least round trip of its path.
    Bench(Box<Bench>, Duration),
    Direct(Host),
}

impl Hosts {
    /// Opens what was asked for, and begins its capture. Fails as the host's fault where namespaces are denied.
    pub(crate) fn open(
        request: request::Open,
        isolation: &Isolation,
        flight: Option<Arc<Recorder>>,
    ) -> Result<(Hosts, Option<Recording>), Fault> {
        let Some(path) = request.path else {
            if request.capture.is_some() || request.arrivals.is_some() {
                return Err(Fault::input("over loopback there is no path to capture"));
            }
            if flight.is_some() {
                return Err(Fault::input(
                    "over loopback no flight is recorded: the connections there are all the machine's",
                ));
            }
            if request.tcp.is_some_and(|tcp| tcp != TcpKnobs::default()) || !request.offloads {
                return Err(Fault::input(
                    "over loopback neither `tcp` nor `offloads` can be set: they are the machine's; a bench's hosts have their own",
                ));
            }
            if !request.further_addresses.is_empty() {
                return Err(Fault::input(
                    "over loopback there are no `further_addresses`: a bench's server has them",
                ));
            }
            return match Host::local() {
                Ok(host) => Ok((Hosts::Direct(host), None)),
                Err(error) => Err(Fault::bench(error)),
            };
        };
        path.validate().map_err(Fault::input)?;
        let least_ns = path.least_round_trip_ns().map_err(Fault::input)?;
        if let Isolation::None { reason, mend } = isolation {
            return Err(Fault::host(reason, Some(mend.clone())));
        }
        let files = Files {
            capture: request.capture.as_deref(),
            arrivals: request.arrivals.as_deref(),
        };
        let level = Level::default();
        let recording = Recording::start(files, &path, request.seed, level);
        let (recording, taps) = recording.map_err(Fault::input)?.unzip();
        let further = distances(&request.further_addresses)?;
        let spec = BenchSpec {
            path,
            seed: request.seed,
            tcp_congestion_control: request.tcp_congestion_control.into(),
            taps: taps.filter(|_| !request.warm_up),
            warm_up: request.warm_up,
            flight,
            tcp: request.tcp.unwrap_or_default(),
            single_packets: !request.offloads,
            further_addresses: further,
            ..BenchSpec::default()
        };
        match Bench::open(spec) {
            Ok(bench) => {
                let least = Duration::from_nanos(least_ns);
                Ok((Hosts::Bench(Box::new(bench), least), recording))
            }
            Err(error) => Err(fault_of(error)),
        }
    }

    /// Begins the path that was asked for, and its capture, once what was done before is over; tells how many packets
    /// had entered each link before, and whether all of that was over within [`SETTLES_WITHIN`].
    /// Loopback has no path: there nothing had.
    pub(crate) fn begin(
        &mut self,
        seed: u64,
        recording: Option<&mut Recording>,
    ) -> Result<(PacketsBefore, bool), Fault> {
        let Hosts::Bench(bench, _) = self else {
            return Ok((PacketsBefore { down: 0, up: 0 }, true));
        };
        if !bench.may_begin() {
            return Err(fault_of(BenchError::NoWarmUp));
        }
        let quiet = bench.settle(SETTLES_WITHIN);
        let taps = recording.map(|recording| recording.restart(seed));
        let taps = taps.transpose().map_err(Fault::input)?.flatten();
        let before = bench.begin(seed, taps).map_err(fault_of)?;
        Ok((before, quiet))
    }

    pub(crate) fn get(&self, side: Side) -> &Host {
        match self {
            Hosts::Bench(bench, _) => bench.host(side),
            Hosts::Direct(host) => host,
        }
    }

    /// The shortest time in which something crosses the path and something else comes back; none over loopback.
    pub(crate) fn least_round_trip(&self) -> Option<Duration> {
        match self {
            Hosts::Bench(_, least) => Some(*least),
            Hosts::Direct(_) => None,
        }
    }

    /// One host's TCP connections.
    pub(crate) fn connections(&self, side: Side) -> Result<Sockets, Fault> {
        let connections = self.get(side).connections().map_err(Fault::bench)?;
        let told = connections.into_iter().map(|connection| Socket {
            local_port: connection.local_port,
            peer_port: connection.peer_port,
            state: connection.state.to_string(),
            tcp_congestion_control: connection.congestion_control,
        });
        Ok(Sockets {
            tcp: told.collect(),
        })
    }

    /// The further addresses of the server's host.
    pub(crate) fn further_addresses(&self) -> &[IpAddr] {
        match self {
            Hosts::Bench(bench, _) => bench.further_addresses(),
            Hosts::Direct(_) => &[],
        }
    }

    /// How TCP is set up on both hosts; none over loopback, where it is as the machine has it.
    pub(crate) fn tcp(&self) -> Option<TcpOfHosts> {
        match self {
            Hosts::Bench(bench, _) => Some(bench.tcp()),
            Hosts::Direct(_) => None,
        }
    }

    /// Probes the path; loopback has none.
    pub(crate) fn calibrate(&self, plan: &ProbePlan) -> Result<Calibration, Fault> {
        let Hosts::Bench(bench, _) = self else {
            return Err(Fault::input("there is no path to calibrate on loopback"));
        };
        match calibrate(bench, plan) {
            Ok(calibration) => Ok(calibration),
            Err(error) if error.kind() == ErrorKind::InvalidInput => Err(Fault::input(error)),
            Err(error) => Err(Fault::bench(error)),
        }
    }

    /// What the path counted so far; loopback counts nothing.
    pub(crate) fn counters(&self) -> Option<PathReport> {
        match self {
            Hosts::Bench(bench, _) => Some(bench.counters()),
            Hosts::Direct(_) => None,
        }
    }

    /// Ends it; gives the final counts.
    pub(crate) fn close(self) -> Option<PathReport> {
        match self {
            Hosts::Bench(bench, _) => Some(bench.close()),
            Hosts::Direct(_) => None,
        }
    }
}

/// How much longer packets to each of the further addresses are delayed, in nanoseconds.
fn distances(asked: &[request::FurtherAddress]) -> Result<Vec<u64>, Fault> {
    let delays = asked.iter().map(|one| one.delay_ns);
    if let Some(long) = delays.clone().find(|delay_ns| *delay_ns > LONGEST_DELAY_NS) {
        return Err(Fault::input(format!(
            "further_addresses: delay_ns = {long}; allowed is 0 to {LONGEST_DELAY_NS} (an hour)"
        )));
    }
    Ok(delays.collect())
}

fn fault_of(error: BenchError) -> Fault {
    match (error.mend(), &error) {
        (Some(mend), _) => Fault::host(error, Some(mend)),
        (None, BenchError::NoWarmUp | BenchError::OutOfRange { .. }) => Fault::input(error),
        (None, _) => Fault::bench(error),
    }
}
