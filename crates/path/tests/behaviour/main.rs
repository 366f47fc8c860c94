//! What a link promises, in virtual time. Statistical claims are tested at a false-alarm rate of
//! 1e-6 each, with fixed seeds.

mod chain;
mod codel;
mod conservation;
mod correlation;
mod corruption;
mod decisions;
mod delay;
mod determinism;
mod duplication;
mod extremes;
mod far;
mod fate;
mod fq_codel;
mod gate;
mod handover;
mod harness;
mod independence;
mod jitter;
mod lateness;
mod limits;
mod loss;
mod queue;
mod random_bottlenecks;
mod random_specs;
mod rate;
mod refusals;
mod reordering;
mod schedules;
mod specification;
mod statistics;
mod tables;
mod traces;
mod whole_decisions;
