//! What these stacks are known to miss, or what a scenario can't show of them.

use pronghorn_quic_conformance::Known;

const fn known(stack: &'static str, requirement: &'static str, measured: &'static str) -> Known {
    Known {
        stack,
        requirement,
        measured: Some(measured),
    }
}

/// ECDSA's signatures have several lengths.
const fn varies(stack: &'static str, requirement: &'static str) -> Known {
    Known {
        stack,
        requirement,
        measured: None,
    }
}

pub(crate) const KNOWN: &[Known] = &[
    known("noq", "ack-delay-subtracted", "too few ACKs that wait"),
    known(
        "noq",
        "ack-delay-min-rtt",
        "no ACK that waits and is of the response alone",
    ),
    known(
        "noq",
        "pto-doubles",
        "probes after 76, 152, 304, 607.9, 1215.8, 2431.7, 4431.7 ms",
    ),
    known(
        "noq",
        "backoff-initial-ack",
        "the server acknowledges half a ClientHello",
    ),
    known(
        "noq",
        "reset-initial-keys",
        "the Finished goes again after 5000 ms (3600, 3000 or 2550)",
    ),
    known(
        "noq",
        "reset-handshake-keys",
        "probes after 175 and 1200 ms (at most 175 and 350)",
    ),
    known(
        "noq",
        "anti-amplification",
        "7294 bytes for 2400 (at most 7200)",
    ),
    known(
        "noq",
        "probe-other-spaces",
        "the first Handshake probe goes alone",
    ),
    known(
        "noq",
        "probe-other-spaces-server",
        "Initial probes after 1025.6, 1052.3, 5048.3 ms, Handshake probes after 2024.6, 2038.5 ms",
    ),
    known("noq", "persistent-spaces", "2400 bytes (more than 2400)"),
    known(
        "noq",
        "second-flight-300ms",
        "response after 776.6 ms (at most 611.6)",
    ),
    known(
        "noq",
        "second-flight-1s",
        "response after 2576.6 ms (at most 2111.6)",
    ),
    known(
        "noq",
        "second-flight-2s",
        "response after 4576.6 ms (at most 4111.6)",
    ),
    known(
        "noq",
        "first-flight-300ms",
        "response after 1175.6 ms (at most 1109)",
    ),
    known("quiche", "ack-delay-subtracted", "too few ACKs that wait"),
    known(
        "quiche",
        "ack-delay-min-rtt",
        "no ACK that waits and is of the response alone",
    ),
    known(
        "quiche",
        "pto-doubles-handshake",
        "probes after 150, 600, 2400 ms (150, 300, 600, 1200, 2400…)",
    ),
    known(
        "quiche",
        "pto-unconfirmed",
        "1-RTT packets alone after 350, 1750, 7350 ms",
    ),
    known(
        "quiche",
        "backoff-initial-ack",
        "no acknowledgement without a ServerHello",
    ),
    known(
        "quiche",
        "reset-handshake-keys",
        "probes after 950 and 2800 ms (at most 175 and 350)",
    ),
    known(
        "quiche",
        "anti-deadlock-initial",
        "no acknowledgement without a ServerHello",
    ),
    varies("quiche", "anti-amplification"),
    known(
        "quiche",
        "probe-other-spaces",
        "the first Handshake probe goes alone",
    ),
    known(
        "quiche",
        "probe-other-spaces-server",
        "Initial probes after 999, 4995 ms, Handshake probes after 1998 ms",
    ),
    known("quiche", "persistent", "1075200 bytes (2400)"),
    known(
        "quiche",
        "second-flight-300ms",
        "response after 1850 ms (at most 660)",
    ),
    known(
        "quiche",
        "second-flight-1s",
        "response after 7450 ms (at most 1260)",
    ),
    known(
        "quiche",
        "second-flight-2s",
        "response after 7450 ms (at most 2460)",
    ),
    known(
        "quiche",
        "second-flight-4s",
        "no response: lost (at most 4860 ms)",
    ),
    known(
        "quiche",
        "first-flight-300ms",
        "response after 1149 ms (at most 1109)",
    ),
    known(
        "s2n",
        "ack-delay-subtracted",
        "smoothed_rtt 69.4 ms (50) with ACK delays of 25 ms",
    ),
    known("s2n", "ack-delay-capped", "no estimate is reported"),
    known("s2n", "pto-period", "smoothed_rtt hasn't settled: 69.4 ms"),
    known(
        "s2n",
        "backoff-initial-ack",
        "no acknowledgement without a ServerHello",
    ),
    known(
        "s2n",
        "anti-deadlock-initial",
        "no acknowledgement without a ServerHello",
    ),
    known(
        "s2n",
        "anti-amplification",
        "8314 bytes for 2400 (at most 7200)",
    ),
    known(
        "s2n",
        "probe-other-spaces",
        "the first Handshake probe goes alone",
    ),
    known("s2n", "persistent", "771120 bytes (2400)"),
    known("s2n", "persistent-spaces", "2400 bytes (more than 2400)"),
    known("s2n", "ack-second", "after 23 ms (at most 0)"),
    known(
        "s2n",
        "first-flight-300ms",
        "response after 3097 ms (at most 1109)",
    ),
];
