//! The gateway's decision core: which clients are offered HTTP/3, learned from the laboratory's maps,
//! corrected by each client's own outcomes, audited by a holdout.
//!
//! There is no clock, socket, thread, global or random generator here, and nothing is allocated but by the reader of
//! policy files. The caller owns one block of memory (shared by an nginx's workers, say), holds one lock around each
//! call, and passes the time.
//!
//! ```
//! use pronghorn_policy::{Ask, Policy, Protocol, Sample, Table};
//! # let text = include_str!("../tests/data/small.toml");
//! let policy = Policy::parse(text)?;
//! let mut memory = vec![0u64; 1 << 16];
//! let mut table = Table::init(&mut memory, [7; 16])?;         // the secret: drawn at random, once
//!
//! let keys = table.keys_of("192.0.2.7".parse()?, 0, 0);       // 0: /24 in /16, or /56 in /40
//! let decision = table.decide(&policy, keys, Protocol::Tcp, &Ask::default(), 1_000);
//! println!("{} since {}", decision.action.name(), decision.reason.name());
//!
//! let sample = Sample { bytes: 20_000, time_us: 180_000, min_rtt_us: 60_000, ..Sample::default() };
//! table.observe(&policy, keys, Protocol::Tcp, &sample, 1_180);  // once its last byte was acknowledged
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is estimated
//!
//! Of each key (a keyed hash of the client's prefix: SipHash-2-4, Aumasson and Bernstein 2012) the mean of
//! `m = ln(time with h3 / time with h2)` of its responses, as a normal distribution that three sources make up, each
//! weighted by its precision (the conjugate normal update with known variances: Gelman et al., Bayesian Data Analysis,
//! 3rd edition, section 2.5):
//!
//! | source | mean | variance | file |
//! |---|---|---|---|
//! | the policy file's surface at the key's network | a mixture over the loss nodes, weighted by the binomial likelihood of the packets lost; between nodes of the round trip and of the rate, linear in their logarithms | of the mixture, + `surface`² + `between_clients`² + (`between_clients_slope` · the surface's m)² | `estimate/prior.rs` |
//! | its parent's other keys | plus what they are off the surface by, a vote a key that has both transports, within narrow bounds | as it is | `estimate/votes.rs` |
//! | the key's own responses | mean over QUIC's less mean over TCP's of `x = ln(time / reference(bytes))`, within strata of size and of cold and warm connections | `response`² (1/w_quic + 1/w_tcp), strata pooled by precision | `estimate/outcomes.rs` |
//!
//! Weights count independent responses, which a visit's aren't (`estimate/visit.rs`), the less so the more pages were seen to scatter on such networks and the more the key's connections over TCP differ in their
//! round trips; they decay with `half_life_s`. x is clipped to ±[`CLIP`]. Since all weights depend on how many samples there
//! are and on none of their times, m never falls when a QUIC sample gets slower or a TCP sample faster (`tests/policy/monotone.rs`).
//! What is decided by is ln(mean time with h3 / mean time with h2): m and half of what the variances of their pages differ by (`estimate/posterior.rs`).
//! Round trips are features of the network, which select the prior; they are never compared across transports.
//!
//! # What is done with it
//!
//! Steering (`rules/steer.rs`, `rules/lease.rs`) offers h3 where m < −`enter` or a try is worth its cost (`estimate/value.rs`), lets go where m > `leave`, changes no faster than
//! `dwell_s`, and after letting go offers nothing for a time that doubles. Offers hold for longer where h3 is faster and another look at h2 isn't worth its cost. A share of keys is pinned in each epoch to h2 and as large a
//! one to h3 (`rules/pins.rs`), by a hash and so at random with a known propensity; no evidence moves these. Their times are what
//! the gateway's worth is measured by (`rules/holdout.rs`, `estimate/uplift.rs`): one number a key and epoch, steered against pinned to h2, with Welch's
//! interval (Welch 1947, The generalization of "Student's" problem when several different population variances are involved).
//! Whether a client followed an offer doesn't matter there: what is compared is what was intended. Where an offer of an earlier epoch still holds
//! when a key is first asked about in a new one, its outcomes count from 30 s later on, in whichever arm it is: by then a client
//! that is pinned to h2 was told to come over TCP. What comes in a dry run counts for no arm. A table has one share at a time: with another one
//! the groups begin anew, after as long as the longest offer holds that was made before.
//!
//! # Where what is
//!
//! | question | file |
//! |---|---|
//! | Which prefix, which hash? | `key.rs` |
//! | What of a sample is believed? | `sample.rs` |
//! | How does the memory look? | `state/`: a key's, `entry.rs`; the block's, `head.rs`, `table.rs` |
//! | How is a key found, which one is displaced? | `state/index.rs` |
//! | What if a process dies inside? | `state/guard.rs`, `mend.rs` |
//! | What is expected of a key? | `estimate/` |
//! | What does a sample change, what a question? | `observe.rs`, `decide.rs` |
//! | When is h3 offered, for how long, and when is a look worth its cost? | `rules/steer.rs`, `lease.rs`; `estimate/value.rs` |
//! | Who is taken for UDP-blocked? | `rules/silence.rs` |
//! | What may stand in a policy file? | `file/` |
//! | How does C call it? | `ffi/`, `include/pronghorn_policy.h` |

#![no_std]

#[cfg(feature = "file")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod axis;
mod decide;
mod decision;
mod estimate;
#[cfg(feature = "ffi")]
pub mod ffi;
#[cfg(feature = "file")]
mod file;
mod key;
mod math;
mod observe;
mod policy;
mod rules;
mod sample;
mod snapshot;
mod state;
mod steering;

pub use axis::{AXIS_MOST, Axis};
pub use decision::{Action, Arm, Ask, Decision, Downgrade, Reason};
pub use estimate::{Group, Uplift};
#[cfg(feature = "file")]
pub use file::PolicyError;
pub use key::Keys;
pub use policy::{
    Axes, BetweenClients, Noise, Pages, Parts, Plane, Policy, Prior, SCATTER_MOST, Scatter,
};
pub use sample::{CLIP, Outcome, Protocol, Sample, TcpControl};
pub use snapshot::Snapshot;
pub use state::{ABI, Table, TableError};
pub use steering::Steering;
