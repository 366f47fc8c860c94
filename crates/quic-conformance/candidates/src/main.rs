//! Holds QUIC stacks that the product doesn't use against RFC 9002.

mod clock;
mod known;
mod noq;
mod quiche;
mod s2n;

use std::process::ExitCode;

fn main() -> ExitCode {
    pronghorn_quic_conformance::main(
        &[
            Box::new(noq::Noq::new()),
            Box::new(quiche::Quiche::new()),
            Box::new(s2n::S2n::new()),
        ],
        known::KNOWN,
    )
}
