//! The emulated path between two hosts, sans-I/O: packets and the time go in, packets and the
//! next deadline come out. There is no clock, socket, thread or global random generator here.
//!
//! A path is two [`Link`]s, one a [`Direction`]; a link is built from a [`LinkSpec`] and a seed,
//! and its caller does three things:
//!
//! ```
//! use pronghorn_path::{Direction, Link, LinkSpec, Time};
//!
//! let spec = LinkSpec { delay_ns: 10_000_000, ..LinkSpec::default() };
//! let mut link = Link::new(&spec, 1, Direction::Down)?;
//!
//! link.push(Time(0), vec![0u8; 1200]);             // a packet has come
//! let deadline = link.next_due();                  // when to look again
//! assert_eq!(deadline, Some(Time(10_000_000)));
//! let departure = link.pop(Time(10_000_000));      // what leaves by now; again until None
//! assert_eq!(departure.map(|d| d.due), Some(Time(10_000_000)));
//! # Ok::<(), pronghorn_path::SpecError>(())
//! ```
//!
//! # What happens to a packet
//!
//! The stages stand in the order of Linux's netem (`net/sched/sch_netem.c`, `netem_enqueue`),
//! one file a discipline; `link.rs` strings them together.
//!
//! | stage | decides | file |
//! |---|---|---|
//! | gate | which packets don't enter: longer than the MTU, UDP, during an outage | `gate.rs`, `outage.rs` |
//! | duplicate | whether the packet comes twice | `duplicate.rs` |
//! | loss | whether one of its copies vanishes | `loss.rs`; a model each: `independent.rs`, `gilbert_elliott.rs`, `four_state.rs`, `packet_list.rs` |
//! | corrupt | whether one random bit flips | `corrupt.rs` |
//! | delay | **how a packet is delayed**: constant plus jitter, order kept or broken | `delay.rs`, its jitter in `jitter.rs`, whose shapes are in `distribution.rs` |
//! | | how much longer what goes to certain addresses | `far.rs` |
//! | reorder | which packets skip the delay | `reorder.rs` |
//! | police | whether a token bucket lets it pass | `token_bucket.rs` |
//! | queue | whether the bottleneck's buffer has room | `queue.rs` |
//! | discipline | which packet is sent next, which are dropped or marked | `discipline.rs`; `codel.rs`, `fq_codel.rs` |
//! | rate | how long the packet takes on the wire, or which delivery takes it | `serialiser.rs`, `overhead.rs`; of a trace: `opportunities.rs`, `trace.rs` |
//!
//! A [`Lane`] is a link that a handover changes for another path's (`lane.rs`).
//!
//! `entry.rs` strings the stages together that decide when a packet enters, `bottleneck.rs` those behind the
//! delay. What a schedule changes is read in `schedule.rs` and looked up in `timetable.rs`.
//!
//! # What can be relied on
//!
//! * **Same seed, same packets, same decisions.** Each stage draws from generators of its own,
//!   seeded by (seed, direction, stage name). Every packet uses up as many draws of every stage that
//!   is on, even of those that an earlier stage kept it from; switching one stage on therefore
//!   changes no other stage's decisions on the same packets (see `draws.rs`).
//!   Chances, jitter and reordering may depend on the packet before (`chance.rs`, `copula.rs`).
//! * **Lateness changes nothing.** A caller that pops late gets the same packets with the same
//!   due times, and the same counters, as a punctual one.
//! * **Nothing is lost sight of.** After every call
//!   `packets_in + duplicated == packets_out + dropped() + held` ([`Counters`]).
//! * **Steady state allocates nothing** but what [`Packet::duplicate`] does.

mod bottleneck;
mod chance;
mod codel;
mod copula;
mod corrupt;
mod counters;
mod delay;
mod discipline;
mod distribution;
mod distribution_table;
mod draws;
mod duplicate;
mod entry;
mod exit;
mod family;
mod far;
mod fate;
mod fifo;
mod figures;
mod four_state;
mod fq_codel;
mod gate;
mod gilbert_elliott;
mod independent;
mod jitter;
mod lane;
mod ledger;
mod link;
mod loss;
mod normal;
mod opportunities;
mod outage;
mod overhead;
mod packet;
mod packet_list;
mod queue;
mod reorder;
mod schedule;
pub mod seed;
mod serialiser;
mod spec;
mod spec_error;
mod text;
mod time;
mod timetable;
mod token_bucket;
mod trace;
mod transit;
mod units;
mod validate;
mod wire;

pub use counters::Counters;
pub use family::Family;
pub use far::Far;
pub use fate::{Departure, DropCause, Dropped, Marks};
pub use figures::LinkFigures;
pub use lane::Lane;
pub use link::Link;
pub use packet::Packet;
pub use spec::{
    Aqm, Cross, Direction, Distribution, Handover, Jitter, LinkSpec, Loss, Mtu, Order, Outage,
    Overhead, PathSpec, Queue, Reorder, Schedule, TokenBucket, Trace, Udp, Window,
};
pub use spec_error::SpecError;
pub use time::Time;
