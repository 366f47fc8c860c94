//! The decision core, by its public face: one program, since each costs a link.

mod common;
mod dwell;
mod evidence;
mod golden;
mod holdout;
mod monotone;
mod offers;
mod parents;
mod pinned;
mod refusals;
mod spoofed;
mod tries;
