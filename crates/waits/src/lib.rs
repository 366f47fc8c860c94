//! How long a thread waited for a CPU, wait by wait, and how much of that can have delayed what it did.
//!
//! The kernel's account of a thread (`schedstat` of proc(5)) has only the sum of its waits. The sum says little: a thread
//! that is woken 20 000 times waits some microseconds each time, and all of these together delay nothing, because packets
//! that come after each other don't wait for each other. So an event loop reads the account each time that it wakes, and the
//! waits are kept one by one.
//!
//! | question | file |
//! |---|---|
//! | what does the kernel tell of a thread | `account.rs` |
//! | what is one wait, and what is kept of it | `log.rs` |
//! | how much can waits have delayed a load | `critical.rs` |

mod account;
mod critical;
mod log;

pub use account::{Account, Times};
pub use critical::critical_ns;
pub use log::{Log, Wait};
