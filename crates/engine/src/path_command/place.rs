//! Where the command runs: a bench on a free level, its congestion control, and its uplink.

use std::fs;
use std::net::Ipv4Addr;

use pronghorn_bench::{
    Bench, BenchError, BenchSpec, Level, PathReport, Side, TcpCongestionControl, Uplink,
    UplinkError, Way,
};
use pronghorn_path::Family;

use super::LEVEL_VARIABLE;
use super::report::Failure;
use super::request::Request;
use crate::answers::Captured;
use crate::recording::{Files, Recording};

/// An open bench and what belongs to it.
pub(crate) struct Place {
    pub(crate) level: Level,
    pub(crate) congestion_control: TcpCongestionControl,
    pub(crate) uplink: Option<Uplink>,
    pub(crate) bench: Bench,
    pub(crate) recording: Option<Recording>,
    /// Whether the far side is a program on the far host.
    own_far_side: bool,
    notes: Vec<String>,
}

impl Place {
    /// Opens a bench on the first level that nobody around has.
    pub(crate) fn open(request: &Request) -> Result<Place, Failure> {
        let above: u8 = std::env::var(LEVEL_VARIABLE)
            .ok()
            .and_then(|level| level.parse().ok())
            .unwrap_or(0);
        let mut least = above.saturating_add(1);
        loop {
            let level = Level::free(least).ok_or_else(|| {
                Failure::host(
                    "all 255 levels of addresses below 198.18.0.0/16 are taken",
                    None,
                )
            })?;
            let Opened {
                bench,
                congestion_control,
                recording,
            } = open(request, level)?;
            let own_far_side = request.server.is_some();
            let mut notes = Vec::new();
            let uplink = match Uplink::attach(&bench, level, &congestion_control) {
                Ok(uplink) => Some(uplink),
                Err(UplinkError::Taken(_)) => {
                    least = level.number().saturating_add(1);
                    continue;
                }
                Err(UplinkError::NoPasta) if own_far_side => None,
                Err(error) if own_far_side => {
                    notes.push(format!(
                        "the far host reaches nothing beyond itself: {error}"
                    ));
                    None
                }
                Err(error) => {
                    let mend = error.mend();
                    return Err(Failure::host(error, mend));
                }
            };
            notes.extend(
                uplink
                    .iter()
                    .filter_map(|uplink| note(uplink, own_far_side)),
            );
            return Ok(Place {
                level,
                congestion_control,
                uplink,
                bench,
                recording,
                own_far_side,
                notes,
            });
        }
    }

    /// What a person should know.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The command's own address.
    pub(crate) fn client(&self) -> Ipv4Addr {
        self.level.address(Side::Client)
    }

    /// The far host's address on the path.
    pub(crate) fn far_host(&self) -> Ipv4Addr {
        self.level.address(Side::Server)
    }

    /// Where the command finds the far side's services.
    pub(crate) fn server(&self) -> Ipv4Addr {
        if self.own_far_side {
            self.far_host()
        } else {
            self.level.uplink()
        }
    }

    /// What gives TCP's sockets their congestion control: `lock`, `default` or `route`.
    pub(crate) fn congestion_control_by(&self) -> &'static str {
        let control = self.congestion_control.clone();
        match control {
            TcpCongestionControl::Locked(_) => "lock",
            TcpCongestionControl::Preferred(_) => {
                let here = move || control.is_default_here();
                if self.bench.host(Side::Client).within(here) {
                    "default"
                } else {
                    "route"
                }
            }
        }
    }

    /// Ends all that runs on it, and writes the capture; the final counters, and what was captured.
    pub(crate) fn close(self) -> (PathReport, Option<Captured>) {
        drop(self.uplink);
        let counters = self.bench.close();
        (
            counters,
            self.recording
                .and_then(|recording| recording.finish().capture),
        )
    }
}

/// A bench that could be opened.
struct Opened {
    bench: Bench,
    congestion_control: TcpCongestionControl,
    recording: Option<Recording>,
}

/// A bench with the first congestion control that the kernel grants.
fn open(request: &Request, level: Level) -> Result<Opened, Failure> {
    if request.path.family == Family::Six {
        return Err(Failure::input(
            "family is 6; allowed is 4 around a command: its uplink to the machine is IPv4's",
        ));
    }
    let candidates = match &request.tcp_congestion_control {
        Some(asked) => vec![TcpCongestionControl::Locked(asked.clone())],
        None => {
            let default = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control");
            let default = default.unwrap_or_default();
            ["cubic", default.trim(), "reno"]
                .map(|name| TcpCongestionControl::Preferred(name.to_owned()))
                .to_vec()
        }
    };
    let mut refusal = None;
    for congestion_control in candidates {
        let files = Files {
            capture: request.capture.as_deref(),
            arrivals: None,
        };
        let recording = Recording::start(files, &request.path, request.seed, level);
        let (recording, taps) = recording.map_err(Failure::input)?.unzip();
        let spec = BenchSpec {
            path: request.path.clone(),
            seed: request.seed,
            tcp_congestion_control: congestion_control.clone(),
            level,
            taps,
            ..BenchSpec::default()
        };
        match Bench::open(spec) {
            Ok(bench) => {
                return Ok(Opened {
                    bench,
                    congestion_control,
                    recording,
                });
            }
            Err(error @ BenchError::CongestionControl { .. }) => {
                refusal = refusal.or(Some(error));
            }
            Err(error) => {
                let mend = error.mend();
                return Err(Failure::host(error, mend));
            }
        }
    }
    Err(match refusal {
        Some(error) => {
            let mend = error.mend();
            Failure::host(error, mend)
        }
        None => Failure::bench("no congestion control was tried"),
    })
}

fn note(uplink: &Uplink, own_far_side: bool) -> Option<String> {
    if let Some(reason) = uplink.refused_translation() {
        return Some(format!(
            "this kernel doesn't translate addresses ({reason}; it needs nf_tables with masquerade): \
             the far host reaches the services around it, but nothing beyond"
        ));
    }
    (uplink.way() == Way::Pasta && !own_far_side).then(|| {
        "the far side is pasta, whose TCP has no congestion control towards this side; for \
         measurements run the server by --server, or as root"
            .to_owned()
    })
}
