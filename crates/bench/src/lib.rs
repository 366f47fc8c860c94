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
//! What a host's network is stands in `network/`, what runs on the hosts in `processes/`, what carries packets between them in
//! `driver/`, what is seen of all that in `observation/`; each uses those before it alone. `bench.rs` puts them together.
//!
//! | question | file |
//! |---|---|
//! | what does this host allow, and what mends it | `processes/isolation/` |
//! | why does nothing outlive the engine | `processes/isolation/supervise.rs`, `processes/evict.rs` |
//! | how is a host's network set up, congestion control locked | `network/setup.rs` |
//! | what else of TCP can be set, and what is it | `network/tcp_knobs.rs`, `tcp_settings.rs` |
//! | which addresses do the hosts have | `network/level.rs` |
//! | how does a packet get from host to host | `driver/handle.rs`, `pump.rs`, `course.rs` |
//! | how does a super-packet become packets, and one again | `driver/wire/`, `driver/segment.rs`, `driver/run.rs` |
//! | what does a rebinding NAT do | `driver/nat.rs` |
//! | how does the client get to another network | `driver/course.rs`, `processes/mover.rs` |
//! | how is a link watched, packet by packet | `driver/tap.rs`, `observation/link_tap.rs` |
//! | what became of every packet, kept in memory | `observation/passages.rs` |
//! | how are packets captured | `observation/capture/` |
//! | how is a path probed from its ends | `calibrate/` |
//! | where does cross traffic come from | `processes/cross.rs` |
//! | how does a bench's server reach the machine's services | `uplink/` |
//! | how does a program run on a host | `processes/host.rs`, `process.rs` |
//! | does a server listen yet | `processes/listening.rs` |
//! | which TCP connections does a host have | `network/connections.rs`, `sock_diag.rs` |
//! | what do they do over time | `observation/flight/` |
//! | where does a program look up names | `processes/names.rs` |
//! | who used the CPUs meanwhile | `observation/cpu/` |
//! | what keeps the CPUs from halting | `processes/awake.rs` |

mod bench;
mod calibrate;
mod clock;
mod driver;
mod error;
mod network;
mod observation;
mod processes;
mod report;
mod side;
mod uplink;

pub use bench::{Bench, BenchSpec, PacketsBefore};
pub use calibrate::{Calibration, Phase, ProbePlan, ProbedLink, ProbedPhase, calibrate};
pub use driver::report::{Lateness, LinkReport};
pub use driver::tap::{Delivery, Dropping, Leaving, Tap, Taps};
#[doc(hidden)]
pub use driver::wire;
pub use error::{BenchError, SpawnError};
pub use network::congestion::{TcpCongestionControl, available_congestion_controls};
pub use network::connection_state::ConnectionState;
pub use network::connections::Connection;
pub use network::level::Level;
pub use network::tcp_knobs::TcpKnobs;
pub use network::tcp_settings::{HostTcp, TcpOfHosts};
pub use observation::capture::{Capture, CaptureError, CaptureReport};
pub use observation::cpu::CpuShare;
pub use observation::passages::{Outcome, Passage, Passages, Recorded};
pub use processes::awake;
pub use processes::cross::CrossReport;
pub use processes::evict::evict_descendants;
pub use processes::host::Host;
pub use processes::isolation::{
    FORWARDED_SIGNALS, ISOLATION_VARIABLE, Isolation, enter, enter_guest, private_folder,
};
pub use processes::listening::Port;
pub use processes::mover::HandoverReport;
pub use processes::process::{Attached, Process, Program};
pub use report::{BothSides, HostReport, PathReport};
pub use side::Side;
pub use uplink::{Uplink, UplinkError, Way};
