//! The engine's state between two requests, and what each request does to it.

use std::mem;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use pronghorn_bench::{Isolation, Side, available_congestion_controls, evict_descendants};
use pronghorn_http::{SecretLog, Sessions};
use pronghorn_load::LoadSpec;
use pronghorn_names::NameRecords;
use pronghorn_origin::Content;
use pronghorn_path::{LinkSpec, PathSpec};
use serde_json::Value;

use crate::answer::{self, Fault};
use crate::answers::{
    Begun, Closed, Counters, Cpus, Described, Hello, LinksDescribed, Loaded, NameServing, NamesLog,
    Nothing, Opened, OriginEnded, OriginLog, Serving,
};
use crate::cpu::Watched;
use crate::dns::Answering;
use crate::flight::Recordings;
use crate::generate::Generating;
use crate::hosts::Hosts;
use crate::load;
use crate::origin::{self, Running, SiteCache};
use crate::policy;
use crate::processes::Processes;
use crate::recorded::RecordedCache;
use crate::recording::Recording;
use crate::request::{self, Envelope, Request};
use crate::versions;

/// One slot: at most one bench, one origin, any processes.
pub(crate) struct Session {
    isolation: Isolation,
    // Loads, the origin and the name server end before their hosts.
    generating: Option<Generating>,
    origin: Option<Running>,
    names: Option<Answering>,
    processes: Processes,
    hosts: Option<Hosts>,
    recording: Option<Recording>,
    // What loads of this bench gained.
    sessions: Arc<Sessions>,
    recordings: Recordings,
    sites: SiteCache,
    recorded: RecordedCache,
}

/// The longest that requests under way may be waited for.
const LONGEST_END: Duration = Duration::from_secs(86_400);

type Answer = Result<Value, Fault>;

impl Session {
    pub(crate) fn new(isolation: Isolation) -> Self {
        Session {
            isolation,
            generating: None,
            origin: None,
            names: None,
            processes: Processes::default(),
            hosts: None,
            recording: None,
            sessions: Arc::default(),
            recordings: Recordings::default(),
            sites: SiteCache::default(),
            recorded: RecordedCache::default(),
        }
    }

    /// Answers one line.
    pub(crate) fn answer(&mut self, line: &str) -> String {
        match serde_json::from_str::<Envelope>(line) {
            Ok(Envelope { id, request }) => answer::line(id, self.perform(request)),
            Err(error) => {
                let id = serde_json::from_str::<Value>(line)
                    .ok()
                    .and_then(|value| value.get("id").and_then(Value::as_u64));
                answer::line(id, Err(Fault::input(format!("not a request: {error}"))))
            }
        }
    }

    fn perform(&mut self, request: Request) -> Answer {
        match request {
            Request::Hello {} => to_value(self.hello()),
            Request::DescribePath { path } => describe_path(&path),
            Request::Open(open) => self.open(*open),
            Request::Begin { seed } => self.begin(seed),
            Request::Origin(origin) => self.start_origin(origin),
            Request::Load(load) => self.load(load),
            Request::Generate { spec } => {
                let generating = self.start_load(*spec)?;
                to_value(generating.finish(false)?)
            }
            Request::GenerateStart { spec } => {
                self.generating = Some(self.start_load(*spec)?);
                to_value(Nothing {})
            }
            Request::GenerateStop { wait } => {
                let generating = self.generating.take();
                let generating = generating.ok_or_else(|| Fault::input("no load was started"))?;
                to_value(generating.finish(!wait)?)
            }
            Request::OriginEnd { within_s } => self.end_origin(within_s),
            Request::OriginLog {} => self.origin_log(),
            Request::Spawn(spawn) => {
                let hosts = self.hosts.as_ref().ok_or_else(no_bench)?;
                to_value(
                    self.processes
                        .spawn(spawn, hosts, self.recording.as_mut())?,
                )
            }
            Request::Wait { process, timeout_s } => {
                to_value(self.processes.wait(process, timeout_s)?)
            }
            Request::Kill { process, signal } => {
                self.processes.kill(process, signal)?;
                to_value(Nothing {})
            }
            Request::Listening(port) => to_value(self.processes.await_port(port, self.hosts()?)?),
            Request::Sockets { host } => to_value(self.hosts()?.connections(host.into())?),
            Request::Dns { records } => self.start_names(&records),
            Request::DnsLog {} => self.names_log(),
            Request::Flight {} => to_value(self.recordings.flight()?),
            Request::Arrivals {} => self.arrivals(),
            Request::Calibrate(plan) => to_value(self.hosts()?.calibrate(&plan)?),
            Request::Counters {} => self.counters(),
            Request::Idle { for_s } => idle(for_s),
            Request::Close {} => self.close(),
            Request::Policy(asking) => to_value(policy::judge(&asking)?),
            Request::Outcomes { responses } => to_value(policy::outcomes(&responses)),
            Request::Simulate { spec } => to_value(policy::simulate(&spec)?),
        }
    }

    fn hello(&self) -> Hello<'_> {
        Hello {
            version: env!("CARGO_PKG_VERSION"),
            isolation: self.isolation.name(),
            isolation_reason: self.isolation.reason(),
            mend: self.isolation.mend(),
            congestion_controls: available_congestion_controls().unwrap_or_default(),
            libraries: versions::libraries(),
        }
    }

    fn open(&mut self, open: request::Open) -> Answer {
        if self.hosts.is_some() {
            return Err(Fault::input("a bench is open; close it first"));
        }
        let started = Instant::now();
        let recordings = Recordings::new(open.flight.as_ref())?;
        let (hosts, recording) = Hosts::open(open, &self.isolation, recordings.flight.clone())?;
        let opened = Opened {
            client_address: hosts.get(Side::Client).address(),
            server_address: hosts.get(Side::Server).address(),
            further_addresses: hosts.further_addresses().to_vec(),
            tcp: hosts.tcp(),
            open_s: started.elapsed().as_secs_f64(),
        };
        self.hosts = Some(hosts);
        self.sessions = Arc::default();
        self.recording = recording;
        self.recordings = recordings;
        to_value(opened)
    }

    fn begin(&mut self, seed: u64) -> Answer {
        let hosts = self.hosts.as_mut().ok_or_else(no_bench)?;
        let (packets_before, quiet) = hosts.begin(seed, self.recording.as_mut())?;
        to_value(Begun {
            packets_before,
            quiet,
        })
    }

    fn start_origin(&mut self, request: request::Origin) -> Answer {
        self.origin = None;
        let content = match (&request.recorded, &request.proxy) {
            (None, None) => Content::Site(self.sites.read(&request.root)?),
            (_, Some(proxied)) => origin::proxied(&request, proxied)?,
            (Some(recorded), None) => Content::Recorded {
                site: self.recorded.read(&request.root)?,
                think: recorded.think,
            },
        };
        self.hosts()?;
        let watch = self.recordings.watch(request.qlog.as_deref())?;
        let hosts = self.hosts()?;
        let isolated = matches!(hosts, Hosts::Bench(..));
        let running = Running::start(
            hosts.get(Side::Server),
            request,
            content,
            isolated,
            self.secrets(),
            watch,
        )?;
        let serving = Serving {
            port: running.port,
            clear_port: running.clear_port,
        };
        self.origin = Some(running);
        to_value(serving)
    }

    fn load(&mut self, request: request::Load) -> Answer {
        self.hosts()?;
        let watch = self.recordings.watch(request.qlog.as_deref())?;
        let hosts = self.hosts()?;
        let serves = self.origin.as_ref().map(|origin| &origin.serves);
        let before = serves.and_then(Watched::begin);
        let (sessions, secrets) = (self.sessions.clone(), self.secrets());
        let (page, client, span) = load::load(hosts, request, sessions, secrets, watch)?;
        let origin = serves.and_then(|serves| serves.since(before, span));
        let cpu = Cpus { client, origin };
        to_value(Loaded { page, cpu })
    }

    fn start_load(&self, spec: LoadSpec) -> Result<Generating, Fault> {
        if self.generating.is_some() {
            return Err(Fault::input("a load runs; `generate_stop` ends it first"));
        }
        Generating::start(self.hosts()?, spec)
    }

    fn end_origin(&mut self, within_s: f64) -> Answer {
        let within = Duration::try_from_secs_f64(within_s).ok();
        let within = within.filter(|within| *within <= LONGEST_END);
        let within = within.ok_or_else(|| {
            Fault::input(format!(
                "within_s = {within_s}; allowed is 0 to 86400 (a day)"
            ))
        })?;
        let origin = self.origin.take();
        let origin = origin.ok_or_else(|| Fault::input("no origin was started"))?;
        let answered = origin.end(within);
        to_value(OriginEnded { answered })
    }

    fn origin_log(&self) -> Answer {
        let origin = self
            .origin
            .as_ref()
            .ok_or_else(|| Fault::input("no origin was started"))?;
        to_value(OriginLog {
            requests: origin.log.entries(),
            counts: origin.log.request_counts(),
            connections: origin.log.connections(),
            connection_counts: origin.log.connection_counts(),
            tickets: origin.log.tickets(),
            cpu_s: origin.serves.used_s(),
        })
    }

    fn start_names(&mut self, records: &[NameRecords]) -> Answer {
        self.names = None;
        let started = Answering::start(self.hosts()?, records)?;
        let serving = NameServing {
            address: started.address.ip(),
            port: started.address.port(),
        };
        self.names = Some(started);
        to_value(serving)
    }

    fn names_log(&self) -> Answer {
        let names = self
            .names
            .as_ref()
            .ok_or_else(|| Fault::input("no name server was started"))?;
        let queries = names.log.queries();
        to_value(NamesLog { queries })
    }

    fn arrivals(&self) -> Answer {
        let recording = self.recording.as_ref();
        let told = recording.and_then(Recording::write_arrivals);
        to_value(told.ok_or_else(|| Fault::input("`open` asked for no arrivals"))?)
    }

    fn close(&mut self) -> Answer {
        self.generating = None;
        self.origin = None;
        self.names = None;
        self.processes.forget();
        let hosts = self.hosts.take().ok_or_else(no_bench)?;
        let recording = self.recording.take();
        let closed = hosts.close();
        evict_descendants();
        let recordings = mem::take(&mut self.recordings);
        let told = recording.map(Recording::finish);
        let (capture, arrivals) = told.map_or((None, None), |told| (told.capture, told.arrivals));
        let counters = Counters::new(closed, capture, recordings.qlogs());
        to_value(Closed { counters, arrivals })
    }

    fn counters(&self) -> Answer {
        let captured = self.recording.as_ref().and_then(Recording::captured);
        let counted = self.hosts()?.counters();
        to_value(Counters::new(counted, captured, self.recordings.qlogs()))
    }

    /// Where our own programs leave their TLS secrets.
    fn secrets(&self) -> Option<Arc<SecretLog>> {
        self.recording.as_ref().map(Recording::secrets)
    }

    fn hosts(&self) -> Result<&Hosts, Fault> {
        self.hosts.as_ref().ok_or_else(no_bench)
    }
}

/// Whether a path can be emulated, and what its links are on the whole.
fn describe_path(path: &PathSpec) -> Answer {
    path.validate().map_err(|error| Fault::path(&error))?;
    let described = |path: &PathSpec| -> Result<LinksDescribed, Fault> {
        let figures = |link: &LinkSpec| link.figures().map_err(|error| Fault::path(&error));
        let (down, up) = (figures(&path.down)?, figures(&path.up)?);
        Ok(LinksDescribed { down, up })
    };
    let links = described(path)?;
    let handover = path.handover.as_ref();
    let handover = handover.map(|handover| described(&handover.path));
    let handover = handover.transpose()?;
    to_value(Described { links, handover })
}

/// Lets time pass: a guest's clock stands still between requests.
fn idle(for_s: f64) -> Answer {
    let pause = Duration::try_from_secs_f64(for_s)
        .map_err(|error| Fault::input(format!("for_s = {for_s}: {error}")))?;
    thread::sleep(pause);
    to_value(Nothing {})
}

fn to_value(told: impl serde::Serialize) -> Answer {
    serde_json::to_value(told).map_err(Fault::bench)
}

fn no_bench() -> Fault {
    Fault::input("no bench is open")
}
