//! The flight recorder: what connections told of their sending, over time, on one axis for all stacks.
//!
//! Samplers look at connections at the recorder's interval ([`Pace`]) and hand it what they read ([`Reading`]); it keeps a
//! series a connection ([`Recorder`]) and tells all of them as columns ([`Flight`]), with what the looking cost.
//!
//! | question | file |
//! |---|---|
//! | what is read of a connection | `sample.rs` |
//! | how is a long series kept short | `series.rs` |
//! | which connection is a reading of | `recorder.rs` |
//! | when is the next look | `pace.rs` |
//! | on which clock | `clock.rs` |

mod clock;
mod pace;
mod recorder;
mod sample;
mod series;

pub use clock::{monotonic_s, thread_cpu_time, timed, together};
pub use pace::Pace;
pub use recorder::{
    ConnectionFlight, Cost, End, Flight, IntervalError, Key, MssChange, Reading, Recorder,
    Transport,
};
pub use sample::{Columns, Sample};
pub use series::{MOST_SAMPLES, Series};
