//! What is required, by which section.

mod acks;
mod congestion;
mod handshake;
mod loss;
mod outage;
mod path;
mod probes;
mod rtt;

use std::fmt;

use crate::report::Finding;
use crate::stack::Stack;

/// How binding a requirement is (RFC 2119).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It is.
    Must,
    /// Unless there is a reason.
    Should,
    /// It follows from others.
    Follows,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::Must => "MUST",
            Level::Should => "SHOULD",
            Level::Follows => "follows",
        })
    }
}

/// One requirement.
#[derive(Clone, Copy)]
pub struct Requirement {
    /// Its name, as known misses have it.
    pub id: &'static str,
    /// Its section, with the RFC before it where that isn't RFC 9002.
    pub section: &'static str,
    /// How binding it is.
    pub level: Level,
    /// What it says.
    pub says: &'static str,
    /// Finds out whether a stack meets it.
    pub check: fn(&dyn Stack) -> Finding,
}

const fn requirement(
    id: &'static str,
    section: &'static str,
    level: Level,
    says: &'static str,
    check: fn(&dyn Stack) -> Finding,
) -> Requirement {
    Requirement {
        id,
        section,
        level,
        says,
        check,
    }
}

/// All of them, in the order of the sections.
pub const REQUIREMENTS: &[Requirement] = &[
    requirement(
        "ack-delay-subtracted",
        "5.3",
        Level::Must,
        "the peer's ACK delay is subtracted from a sample of the round trip",
        rtt::ack_delay_is_subtracted,
    ),
    requirement(
        "ack-delay-capped",
        "5.3",
        Level::Must,
        "no more than max_ack_delay is subtracted",
        rtt::ack_delay_is_capped,
    ),
    requirement(
        "ack-delay-min-rtt",
        "5.3",
        Level::Must,
        "nothing is subtracted where the result is less than min_rtt",
        rtt::no_sample_falls_below_min_rtt,
    ),
    requirement(
        "packet-threshold",
        "6.1.1",
        Level::Should,
        "a packet is lost once one is acknowledged that was sent three packets later",
        loss::packet_threshold,
    ),
    requirement(
        "time-threshold",
        "6.1.2",
        Level::Should,
        "a packet before an acknowledged one is lost 9/8 of a round trip after it was sent",
        loss::time_threshold,
    ),
    requirement(
        "reordering",
        "6.1",
        Level::Must,
        "a packet reordered within both thresholds isn't sent again",
        loss::reordering_within_the_thresholds,
    ),
    requirement(
        "spurious-loss",
        "6.1",
        Level::Follows,
        "a packet that comes 80 ms late costs at most one reduction of the window",
        loss::spurious_loss,
    ),
    requirement(
        "pto-period",
        "6.2.1",
        Level::Must,
        "PTO of 1-RTT packets = smoothed_rtt + max(4 rttvar, 1 ms) + max_ack_delay",
        probes::period_of_application_data,
    ),
    requirement(
        "pto-period-handshake",
        "6.2.1",
        Level::Must,
        "PTO of Handshake packets leaves max_ack_delay out",
        handshake::period_of_handshake,
    ),
    requirement(
        "pto-doubles",
        "6.2.1",
        Level::Must,
        "each expiry doubles the PTO of 1-RTT packets",
        probes::period_doubles,
    ),
    requirement(
        "pto-doubles-handshake",
        "6.2.1",
        Level::Must,
        "each expiry doubles the PTO of Handshake packets, and nothing else does",
        handshake::period_of_handshake_doubles,
    ),
    requirement(
        "pto-unconfirmed",
        "6.2.1",
        Level::Must,
        "no PTO for 1-RTT packets before the handshake is confirmed",
        handshake::no_timer_for_application_data,
    ),
    requirement(
        "backoff-initial-ack",
        "6.2.1",
        Level::Must,
        "an acknowledgement of Initial packets doesn't reset a client's back-off",
        handshake::backoff_outlives_initial_acks,
    ),
    requirement(
        "initial-rtt",
        "6.2.2",
        Level::Should,
        "the round trip counts as 333 ms until it is known, so that the first PTO is 999 ms",
        handshake::initial_rtt,
    ),
    requirement(
        "reset-initial-keys",
        "6.2.2",
        Level::Must,
        "discarding Initial keys resets the back-off",
        handshake::discarding_initial_keys_resets,
    ),
    requirement(
        "reset-handshake-keys",
        "6.2.2",
        Level::Must,
        "discarding Handshake keys resets the back-off",
        handshake::discarding_handshake_keys_resets,
    ),
    requirement(
        "anti-deadlock-initial",
        "6.2.2.1",
        Level::Must,
        "a client with nothing in flight and no Handshake keys sends an Initial packet in 1200 bytes or more",
        handshake::anti_deadlock_by_initial,
    ),
    requirement(
        "anti-deadlock-handshake",
        "6.2.2.1",
        Level::Must,
        "a client with nothing in flight and Handshake keys sends a Handshake packet",
        handshake::anti_deadlock_by_handshake,
    ),
    requirement(
        "anti-amplification",
        "RFC 9000 8.1",
        Level::Must,
        "a server sends at most three times what it received, probes included, before it knows the address",
        handshake::anti_amplification,
    ),
    requirement(
        "probe-count",
        "6.2.4",
        Level::Must,
        "one or two datagrams at a PTO, though the congestion window is full",
        probes::one_or_two_datagrams,
    ),
    requirement(
        "probe-answered",
        "6.2.4",
        Level::Must,
        "a probe asks for an acknowledgement",
        probes::probes_are_answered,
    ),
    requirement(
        "probe-other-spaces",
        "6.2.4",
        Level::Should,
        "a probe of Handshake packets takes 1-RTT data in flight with it",
        handshake::probes_take_other_spaces_along,
    ),
    requirement(
        "probe-other-spaces-server",
        "6.2.4",
        Level::Should,
        "a server's probe of Initial packets takes Handshake packets in flight with it",
        handshake::probes_of_a_server_take_other_spaces_along,
    ),
    requirement(
        "one-reduction",
        "7.3.2",
        Level::Must,
        "losses within one round trip reduce the window once",
        congestion::one_reduction_a_round_trip,
    ),
    requirement(
        "persistent",
        "7.6.2",
        Level::Must,
        "persistent congestion leaves the least window, two datagrams",
        congestion::persistent_congestion_collapses,
    ),
    requirement(
        "persistent-period",
        "7.6.1",
        Level::Must,
        "losses over less than three PTOs are not persistent congestion",
        congestion::short_losses_are_not_persistent,
    ),
    requirement(
        "persistent-sample",
        "7.6.2",
        Level::Should,
        "no persistent congestion before the first sample of the round trip",
        congestion::none_before_a_sample,
    ),
    requirement(
        "persistent-spaces",
        "7.6.2",
        Level::Should,
        "a packet acknowledged in another space parts the losses around it",
        congestion::all_spaces_count,
    ),
    requirement(
        "ack-delay",
        "RFC 9000 13.2.1",
        Level::Must,
        "a packet that asks for it is acknowledged within max_ack_delay (25 ms)",
        acks::within_max_ack_delay,
    ),
    requirement(
        "ack-handshake",
        "RFC 9000 13.2.1",
        Level::Must,
        "Initial and Handshake packets are acknowledged at once",
        acks::handshake_at_once,
    ),
    requirement(
        "ack-out-of-order",
        "RFC 9000 13.2.1",
        Level::Should,
        "a packet after a gap is acknowledged at once",
        acks::out_of_order_at_once,
    ),
    requirement(
        "ack-second",
        "RFC 9000 13.2.2",
        Level::Should,
        "every second packet is acknowledged at once",
        acks::second_at_once,
    ),
    requirement(
        "mtu-probes",
        "RFC 9000 14.4",
        Level::Should,
        "the loss of MTU probes doesn't reduce the window",
        path::mtu_probes_are_no_congestion,
    ),
    requirement(
        "second-flight-300ms",
        "6.2, all of it",
        Level::Follows,
        "the client's second flight is lost for 0.3 s: the response is there in time",
        outage::second_flight::<300>,
    ),
    requirement(
        "second-flight-1s",
        "6.2, all of it",
        Level::Follows,
        "the same for 1 s",
        outage::second_flight::<1000>,
    ),
    requirement(
        "second-flight-2s",
        "6.2, all of it",
        Level::Follows,
        "the same for 2 s",
        outage::second_flight::<2000>,
    ),
    requirement(
        "second-flight-4s",
        "6.2, all of it",
        Level::Follows,
        "the same for 4 s",
        outage::second_flight::<4000>,
    ),
    requirement(
        "first-flight-300ms",
        "6.2, all of it",
        Level::Follows,
        "the server's first flight is lost for 0.3 s: the response is there in time",
        outage::first_flight::<300>,
    ),
    requirement(
        "response-1s",
        "6.2, all of it",
        Level::Follows,
        "the server's datagrams are lost for 1 s from its response on: the response is there in time",
        outage::response::<1000>,
    ),
    requirement(
        "response-4s",
        "6.2, all of it",
        Level::Follows,
        "the same for 4 s",
        outage::response::<4000>,
    ),
];
