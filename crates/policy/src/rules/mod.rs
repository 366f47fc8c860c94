//! What is done with what is expected of a key: when h3 is offered and for how long, to whom it isn't, and which keys chance decides about.

mod epoch;
mod holdout;
mod lease;
pub(crate) mod pins;
mod silence;
mod steer;

pub(crate) use steer::Change;
