//! What quinn is known to miss, by itself and as the product drives it. An improvement and a regression both fail the suite
//! until they are written down here.

use pronghorn_quic_conformance::Known;

pub(crate) const QUINN: &str = "quinn";
pub(crate) const PRODUCT: &str = "product";

const fn known(stack: &'static str, requirement: &'static str, measured: &'static str) -> Known {
    Known {
        stack,
        requirement,
        measured: Some(measured),
    }
}

pub(crate) const KNOWN: &[Known] = &[
    // quinn-proto by itself.
    known(
        QUINN,
        "pto-doubles-handshake",
        "probes after 150, 600, 2400 ms (150, 300, 600, 1200, 2400…)",
    ),
    known(
        QUINN,
        "pto-unconfirmed",
        "1-RTT packets alone after 350, 1750, 7350 ms",
    ),
    known(
        QUINN,
        "reset-initial-keys",
        "the Finished goes again after 7200 ms (3600, 3000 or 2550)",
    ),
    known(
        QUINN,
        "reset-handshake-keys",
        "probes after 950 and 2800 ms (at most 175 and 350)",
    ),
    known(
        QUINN,
        "anti-amplification",
        "7246 bytes for 2400 (at most 7200)",
    ),
    known(
        QUINN,
        "probe-other-spaces",
        "the first Handshake probe goes alone",
    ),
    known(
        QUINN,
        "probe-other-spaces-server",
        "Initial probes after 999, 4995 ms, Handshake probes after 1998 ms",
    ),
    known(
        QUINN,
        "second-flight-300ms",
        "response after 1900 ms (at most 660)",
    ),
    known(
        QUINN,
        "second-flight-1s",
        "response after 7500 ms (at most 1260)",
    ),
    known(
        QUINN,
        "second-flight-2s",
        "response after 7500 ms (at most 2460)",
    ),
    known(
        QUINN,
        "second-flight-4s",
        "response after 27975 ms (at most 4860)",
    ),
    known(
        QUINN,
        "first-flight-300ms",
        "response after 1149 ms (at most 1109)",
    ),
    known(
        QUINN,
        "response-1s",
        "response after 1790.6 ms (at most 1385)",
    ),
    known(
        QUINN,
        "response-4s",
        "response after 7753.1 ms (at most 5585)",
    ),
    // With a PING beside each probe of Handshake packets (`pronghorn_http::ping_along`). In `persistent-spaces` all losses are
    // persistent congestion by the rule itself, since PINGs are lost with the probes.
    known(
        PRODUCT,
        "reset-initial-keys",
        "the Finished goes again after 7200 ms (3600, 3000 or 2550)",
    ),
    known(
        PRODUCT,
        "reset-handshake-keys",
        "probes after 650 and 1400 ms (at most 175 and 350)",
    ),
    known(
        PRODUCT,
        "anti-amplification",
        "7246 bytes for 2400 (at most 7200)",
    ),
    known(
        PRODUCT,
        "probe-other-spaces-server",
        "Initial probes after 999, 4995 ms, Handshake probes after 1998 ms",
    ),
    known(
        PRODUCT,
        "persistent-spaces",
        "1-RTT packets lost at 0, 150, 450, 500 ms, Handshake passed at 450 ms",
    ),
    known(
        PRODUCT,
        "first-flight-300ms",
        "response after 1149 ms (at most 1109)",
    ),
];
