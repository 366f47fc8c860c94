//! Holds the product's QUIC stack against RFC 9002 and prints the table section by section.

mod known;
mod quinn;

use std::process::ExitCode;

fn main() -> ExitCode {
    pronghorn_quic_conformance::main(
        &[
            Box::new(quinn::Quinn::new(false)),
            Box::new(quinn::Quinn::new(true)),
        ],
        known::KNOWN,
    )
}
