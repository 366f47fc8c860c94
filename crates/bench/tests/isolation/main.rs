//! What becomes of the processes around an engine: statuses and signals go through, and nothing
//! outlives it, whatever is killed. The program plays the engine, and the engine's parent, itself.

mod ends;
mod engine;
mod kills;
mod modes;
mod processes;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

use support::Case;

const CASES: &[Case] = &[
    ("the_exit_status_goes_through", ends::exit_status),
    ("a_fatal_signal_goes_through", ends::fatal_signal),
    ("signals_are_forwarded_inwards", ends::forwarded_signals),
    (
        "closed_stdin_ends_the_engine_and_all_below",
        ends::closed_stdin,
    ),
    (
        "a_parents_thread_may_end_before_the_engine",
        ends::parents_thread,
    ),
    ("killing_the_supervisor_leaves_nothing", kills::supervisor),
    ("killing_the_engine_leaves_nothing", kills::engine),
    ("killing_init_leaves_nothing", kills::init),
    ("killing_the_parent_leaves_nothing", kills::parent),
    (
        "killing_at_random_moments_leaves_nothing",
        kills::random_moments,
    ),
    (
        "orphans_are_reaped_and_proc_shows_the_inside",
        modes::orphans,
    ),
    ("isolation_none_is_denied_with_the_mend", modes::none),
    ("a_user_namespace_will_do", modes::user_namespace),
    (
        "an_ordinary_user_gets_a_bench_or_the_mend",
        modes::ordinary_user,
    ),
];

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(engine::ROLE) => engine::run(),
        Some(engine::PARENT_ROLE) => engine::run_parent(),
        _ => support::run(CASES, None),
    }
}
