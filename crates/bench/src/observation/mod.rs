//! What is seen of a bench: its packets, its connections, what its kernels count and who used the CPUs.

pub(crate) mod capture;
pub(crate) mod cpu;
pub(crate) mod flight;
pub(crate) mod kernel_counters;
pub(crate) mod link_tap;
pub(crate) mod mailbox;
pub(crate) mod passages;
