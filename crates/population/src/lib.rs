//! A gateway's policy over many simulated clients, in virtual time.
//!
//! [`simulate`] draws networks, clients and page visits, lets each rule decide whom h3 is offered, and tells by how much
//! what clients then waited for exceeds what the better protocol would have taken. The decision core is `pronghorn-policy`
//! itself; it is told what a gateway sees and never the truth. Every rule meets the same pages with the same draws.
//! No clock, no socket, no thread; equal specifications give equal reports.
//!
//! | question | file |
//! |---|---|
//! | What is asked, what is told? | `spec.rs`, `report.rs` |
//! | What is true? | `truth.rs` |
//! | On which networks are clients, and who shares a key? | `network.rs`, `client.rs` |
//! | Who comes when? | `traffic.rs` |
//! | What does a browser make of `Alt-Svc`? | `browser.rs` |
//! | What does a response take, and what does a gateway see of it? | `course.rs`, `outcome.rs`, `world.rs` |
//! | Who decides what? | `rules/` |
//! | How is it played? | `play.rs`, `flood.rs`, `simulate.rs` |
//! | What came of it? | `segments.rs`, `regret.rs`, `pinned.rs`, `uplift.rs` |

mod browser;
mod client;
mod course;
mod flood;
mod network;
mod outcome;
mod pinned;
mod play;
mod random;
mod regret;
mod report;
mod rules;
mod segments;
mod simulate;
mod spec;
mod traffic;
mod truth;
mod uplift;
mod world;

pub use regret::Estimate;
pub use report::{Holdout, Outcome, Report, Segment, TableUse};
pub use simulate::simulate;
pub use spec::{
    Downgrade, Event, GatewaySpec, HardShares, Measured, NetworkSpec, NoiseSpec, Spec, SpecError,
    SurfaceSpec, TrafficSpec, TruthSpec,
};
