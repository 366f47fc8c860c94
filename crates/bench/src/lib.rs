//! The isolated hosts of a measurement, and the real packets between them.
//!
//! A [`Bench`] is two network namespaces, client and server, each with a TUN device, and two driver
//! threads that run an emulated path ([`pronghorn_path`]) between them. Threads and processes run
//! on either [`Host`] and see an ordinary network with the other host on it. It needs no root where
//! the kernel allows user namespaces, and no external program.
//!
//! ```no_run
//! use pronghorn_bench::{Bench, BenchSpec, Side, enter};
//! # use pronghorn_path::PathSpec;
//!
//! let isolation = enter(); // first thing in main
//! println!("{}", isolation.name());
//! let bench = Bench::open(BenchSpec {
//!     path: PathSpec::default(),
//!     seed: 1,
//!     tcp_congestion_control: "cubic".into(),
//!     ..BenchSpec::default()
//! })?;
//! let server = bench.host(Side::Server).within(|| std::net::TcpListener::bind("0.0.0.0:443"))?;
//! let report = bench.close();
//! println!("{} packets down, {} lost", report.down.counters.packets_in, report.down.counters.lost);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | file |
//! |---|---|
//! | what does this host allow, and what mends it | `isolation/` |
//! | why does nothing outlive the engine | `isolation/supervise.rs`, `evict.rs` |
//! | how is a host's network set up, congestion control locked | `network.rs` |
//! | what else of TCP can be set, and what is it | `tcp_knobs.rs`, `tcp_settings.rs` |
//! | which addresses do the hosts have | `level.rs` |
//! | how does a packet get from host to host | `driver.rs`, `pump.rs`, `course.rs` |
//! | how does a super-packet become packets, and one again | `wire/`, `segment.rs`, `run.rs` |
//! | what does a rebinding NAT do | `nat.rs` |
//! | how does the client get to another network | `course.rs`, `mover.rs` |
//! | how is a link watched, packet by packet | `tap.rs`, `link_tap.rs` |
//! | what became of every packet, kept in memory | `passages.rs` |
//! | how are packets captured | `capture/` |
//! | how is a path probed from its ends | `calibrate/` |
//! | where does cross traffic come from | `cross.rs` |
//! | how does a bench's server reach the machine's services | `uplink/` |
//! | how does a program run on a host | `host.rs`, `process.rs` |
//! | does a server listen yet | `listening.rs` |
//! | which TCP connections does a host have | `connections.rs`, `sock_diag.rs` |
//! | what do they do over time | `flight/` |
//! | where does a program look up names | `names.rs` |
//! | who used the CPUs meanwhile | `cpu/` |
//! | what keeps the CPUs from halting | `awake.rs` |

pub mod awake;
mod bench;
mod buffers;
mod calibrate;
mod capture;
mod clock;
mod congestion;
mod connections;
mod course;
mod cpu;
mod cross;
mod doorbell;
mod driver;
mod error;
mod evict;
mod flight;
mod host;
mod isolation;
mod keeper;
mod kernel_counters;
mod level;
mod link_tap;
mod listening;
mod mailbox;
mod mover;
mod names;
mod nat;
mod netlink;
mod network;
mod passages;
mod priority;
mod proc;
mod process;
mod pump;
mod quiet;
mod report;
mod rtnetlink;
mod run;
mod run_delay;
mod segment;
mod sock_diag;
#[cfg(test)]
mod steady_state;
mod tap;
mod tcp_knobs;
mod tcp_settings;
mod timing;
mod tun;
mod uplink;
mod watch;
#[doc(hidden)]
pub mod wire;

pub use bench::{Bench, BenchSpec, PacketsBefore};
pub use calibrate::{Calibration, Phase, ProbePlan, ProbedLink, ProbedPhase, calibrate};
pub use capture::{Capture, CaptureError, CaptureReport};
pub use congestion::{CongestionControl, available_congestion_controls};
pub use connections::{Connection, ConnectionState};
pub use cpu::CpuShare;
pub use cross::CrossReport;
pub use error::{BenchError, SpawnError};
pub use evict::evict_descendants;
pub use host::{Host, Side};
pub use isolation::{FORWARDED_SIGNALS, ISOLATION_VARIABLE, Isolation, enter, private_folder};
pub use level::Level;
pub use listening::Port;
pub use mover::HandoverReport;
pub use passages::{Outcome, Passage, Passages, Recorded};
pub use process::{Attached, Process, Program};
pub use report::{BothSides, HostReport, Lateness, LinkReport, PathReport};
pub use tap::{Delivery, Dropping, Leaving, Tap, Taps};
pub use tcp_knobs::TcpKnobs;
pub use tcp_settings::{HostTcp, TcpOfHosts};
pub use uplink::{Uplink, UplinkError, Way};
