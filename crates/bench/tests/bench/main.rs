//! Real packets between the hosts of a bench. The program enters its isolation first and so brings
//! its own harness; it also plays the foreign programs that run on the hosts.

mod begin;
mod congestion;
mod cpu;
mod cross;
mod echo;
mod flight;
mod handover;
mod middlebox;
mod offloads;
mod programs;
mod statistics;
#[path = "../support/mod.rs"]
mod support;
mod tcp_knobs;
mod traffic;
mod transfer;

use std::process::ExitCode;

use pronghorn_bench::{Bench, BenchSpec, Isolation, enter};
use pronghorn_path::PathSpec;
use support::Case;

const CASES: &[Case] = &[
    (
        "every_round_trip_takes_at_least_both_delays",
        echo::every_round_trip_takes_both_delays,
    ),
    (
        "benches_side_by_side_do_not_see_each_other",
        echo::benches_side_by_side,
    ),
    (
        "an_idle_path_carries_no_packet",
        echo::an_idle_path_carries_no_packet,
    ),
    (
        "counted_loss_and_corruption_agree_with_asked_and_seen",
        traffic::loss_and_corruption_agree,
    ),
    (
        "counted_duplication_agrees_with_asked_and_seen",
        traffic::duplication_agrees,
    ),
    (
        "the_same_seed_decides_the_same",
        traffic::the_same_seed_decides_the_same,
    ),
    (
        "tcp_goes_through_a_lossy_path_unharmed",
        traffic::tcp_goes_through,
    ),
    ("a_burst_fills_no_ring", traffic::a_burst_fills_no_ring),
    (
        "what_a_full_ring_drops_is_counted",
        traffic::what_a_full_ring_drops_is_counted,
    ),
    (
        "losses_take_single_segments_of_super_packets",
        offloads::losses_take_single_segments,
    ),
    (
        "corrupted_segments_are_found_by_their_checksums",
        offloads::corrupted_segments_are_found_by_their_checksums,
    ),
    (
        "what_comes_twice_is_no_checksum_error",
        offloads::what_comes_twice_is_no_checksum_error,
    ),
    (
        "corrupted_tcp_is_found_by_its_checksums",
        offloads::corrupted_tcp_is_found_by_its_checksums,
    ),
    (
        "tcp_goes_through_whole_in_super_packets",
        offloads::tcp_goes_through_whole_in_super_packets,
    ),
    (
        "a_rebinding_changes_a_flows_address_and_port_under_way",
        middlebox::a_rebinding_changes_a_flows_address_and_port_under_way,
    ),
    (
        "tcp_that_begins_after_a_rebinding_goes_through",
        middlebox::tcp_that_begins_after_a_rebinding_goes_through,
    ),
    (
        "tcp_learns_the_mtu_that_it_is_told",
        middlebox::tcp_learns_the_mtu_that_it_is_told,
    ),
    (
        "dns_crosses_a_path_that_blocks_udp_and_nothing_else_of_udp_does",
        middlebox::dns_crosses_a_path_that_blocks_udp,
    ),
    (
        "a_begun_path_decides_as_a_new_one_does",
        begin::decides_as_a_new_one_does,
    ),
    ("a_begun_path_counts_from_zero", begin::counts_from_zero),
    (
        "a_begun_path_delivers_what_was_inside",
        begin::delivers_what_is_inside,
    ),
    (
        "a_begun_path_starts_its_clock_with_its_first_packet",
        begin::starts_its_clock_with_its_first_packet,
    ),
    (
        "a_begun_path_rebinds_by_its_own_clock",
        begin::rebinds_by_its_own_clock,
    ),
    (
        "a_begun_path_starts_its_cross_traffic",
        begin::starts_cross_traffic,
    ),
    (
        "a_warm_up_leaves_tcp_nothing_to_remember",
        begin::leaves_tcp_nothing_to_remember,
    ),
    (
        "a_path_without_a_warm_up_has_begun_already",
        begin::without_a_warm_up_is_refused,
    ),
    (
        "udp_goes_on_from_the_new_address_after_a_handover",
        handover::udp_goes_on_from_the_new_address_over_the_other_path,
    ),
    (
        "tcp_gets_nothing_more_after_a_handover",
        handover::tcp_gets_nothing_more,
    ),
    (
        "a_begun_path_gives_the_client_its_first_address_back",
        handover::a_begun_path_gives_the_first_address_back,
    ),
    (
        "congestion_control_is_locked_for_foreign_programs",
        congestion::is_locked,
    ),
    (
        "an_unknown_congestion_control_names_the_known",
        congestion::an_unknown_one_names_the_known,
    ),
    (
        "a_preferred_congestion_control_may_be_asked_for_and_so_may_another",
        congestion::a_preferred_one_may_be_asked_for,
    ),
    (
        "an_initial_window_of_tcp_is_its_first_flight",
        tcp_knobs::the_initial_window_is_the_first_flight,
    ),
    (
        "a_receive_buffer_of_tcp_bounds_what_a_round_trip_brings",
        tcp_knobs::a_receive_buffer_bounds_what_a_round_trip_brings,
    ),
    (
        "what_is_asked_of_tcp_reads_back",
        tcp_knobs::what_is_asked_for_reads_back,
    ),
    (
        "what_no_kernels_tcp_takes_is_refused",
        tcp_knobs::what_no_kernel_takes_is_refused,
    ),
    (
        "without_offloads_the_path_gets_single_packets",
        tcp_knobs::single_packets_stay_single,
    ),
    (
        "a_flow_of_cross_traffic_and_a_measured_one_share_the_link",
        cross::a_flow_beside_gets_its_share,
    ),
    (
        "cross_traffic_has_a_congestion_control_of_its_own",
        cross::its_congestion_control_is_its_own,
    ),
    (
        "a_flight_of_tcp_tells_windows_round_trips_and_retransmissions_of_both_ends",
        flight::of_tcp_tells_both_ends,
    ),
    (
        "a_flight_begins_with_the_path_and_anew_with_it_and_knows_older_connections",
        flight::begins_with_the_path,
    ),
    (
        "a_flight_knows_short_connections_and_each_once",
        flight::knows_short_connections,
    ),
    (
        "a_flight_costs_a_small_share_of_a_cpu",
        flight::costs_little,
    ),
    (
        "a_bench_without_a_flight_has_no_thread_for_it",
        flight::without_one_there_is_no_thread,
    ),
    (
        "a_living_programs_cpu_time_is_the_benchs_own",
        cpu::of_a_living_program,
    ),
    (
        "an_ended_orphans_cpu_time_is_the_benchs_own",
        cpu::of_an_ended_orphan,
    ),
    (
        "the_cpu_time_of_earlier_benches_is_not_this_ones",
        cpu::of_earlier_benches_is_not_this_ones,
    ),
    (
        "a_program_runs_on_its_host",
        programs::a_program_runs_on_its_host,
    ),
    (
        "a_program_is_waited_for_and_signalled",
        programs::is_waited_for_and_signalled,
    ),
    (
        "a_program_that_cannot_start_says_why",
        programs::cannot_start_says_why,
    ),
    (
        "closing_leaves_no_process_and_no_thread",
        programs::closing_leaves_nothing,
    ),
    (
        "opening_a_bad_path_says_which_key",
        programs::opening_a_bad_path,
    ),
];

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(congestion::FOREIGN) {
        congestion::foreign_program();
        return ExitCode::SUCCESS;
    }
    let lacking = match enter() {
        Isolation::None { reason, mend } => Some(format!("{reason}; mend: {mend}")),
        _ => None,
    };
    support::run(CASES, lacking.as_deref())
}

/// A bench over `path` with the kernel's ubiquitous congestion control.
fn open(path: PathSpec, seed: u64) -> Bench {
    Bench::open(BenchSpec {
        path,
        seed,
        tcp_congestion_control: "cubic".into(),
        ..BenchSpec::default()
    })
    .expect("a bench opens where the isolation is had")
}
