//! What the bottleneck's part of a specification may hold: policing, rate or trace, overhead, queue, schedule.

use super::{HOUR_NS, SpecError, integer, validate_bucket, validate_rate};
use crate::schedule::Changes;
use crate::spec::{Aqm, LinkSpec, Overhead, Queue};
use crate::trace::Deliveries;

const QUEUE_BYTES: u64 = 1_000_000_000_000;
const QUEUE_PACKETS: u64 = 1_000_000_000;
const WIDEST: u32 = 65_535;

pub(super) fn validate_bottleneck(spec: &LinkSpec) -> Result<(), SpecError> {
    if let Some(bucket) = spec.police {
        validate_bucket("police", bucket)?;
    }
    if let Some(rate) = spec.rate_bit_per_s {
        validate_rate("rate_bit_per_s", rate)?;
    }
    if let Some(overhead) = spec.overhead {
        validate_overhead(overhead)?;
    }
    if let Some(trace) = &spec.trace {
        if spec.rate_bit_per_s.is_some() {
            let allowed = "a trace only without rate_bit_per_s, which is set";
            return Err(misplaced("trace", "set", allowed));
        }
        Deliveries::parse(trace)?;
    }
    if let Some(queue) = spec.queue {
        validate_queue(queue)?;
    }
    if let Some(aqm) = spec.aqm {
        validate_aqm(aqm)?;
    }
    let changes = Changes::of(spec)?;
    if spec.trace.is_some() || changes.first_rate_bit_per_s(spec).is_some() {
        return Ok(());
    }
    let only =
        |what| format!("{what} only beside rate_bit_per_s or trace, neither of which is set");
    if spec.overhead.is_some() {
        return Err(misplaced("overhead", "set", &only("an overhead")));
    }
    if let Some(queue) = spec.queue {
        return Err(misplaced("queue", &in_words(queue), &only("a queue")));
    }
    if spec.aqm.is_some() {
        return Err(misplaced("aqm", "set", &only("queue management")));
    }
    Ok(())
}

fn validate_overhead(overhead: Overhead) -> Result<(), SpecError> {
    let Overhead {
        packet_bytes,
        cell_bytes,
        cell_overhead_bytes,
    } = overhead;
    if packet_bytes.unsigned_abs() > WIDEST {
        return Err(SpecError::OutOfRange {
            key: "overhead.packet_bytes".to_owned(),
            value: packet_bytes.to_string(),
            allowed: "-65535 to 65535".to_owned(),
        });
    }
    if let Some(cell) = cell_bytes {
        let cells = 1..=u64::from(WIDEST);
        integer("overhead.cell_bytes", cell.into(), &cells, "1 to 65535")?;
    }
    let key = "overhead.cell_overhead_bytes";
    let added = u64::from(cell_overhead_bytes);
    integer(key, added, &(0..=u64::from(WIDEST)), "0 to 65535")?;
    if added > 0 && cell_bytes.is_none() {
        let allowed = "an overhead of cells only beside cell_bytes, which is not set";
        return Err(misplaced(key, &added.to_string(), allowed));
    }
    Ok(())
}

fn validate_queue(queue: Queue) -> Result<(), SpecError> {
    let (key, value, most, words) = match queue {
        Queue::Bytes(bytes) => ("queue.bytes", bytes, QUEUE_BYTES, "1 to 1000000000000"),
        Queue::Packets(packets) => ("queue.packets", packets, QUEUE_PACKETS, "1 to 1000000000"),
        Queue::TimeNs(nanos) => (
            "queue.time_ns",
            nanos,
            HOUR_NS,
            "1 to 3600000000000 (an hour)",
        ),
    };
    integer(key, value, &(1..=most), words)
}

fn validate_aqm(aqm: Aqm) -> Result<(), SpecError> {
    let (Aqm::Codel {
        target_ns,
        interval_ns,
        ..
    }
    | Aqm::FqCodel {
        target_ns,
        interval_ns,
        ..
    }) = aqm;
    let times = 1..=HOUR_NS;
    let allowed = "1 to 3600000000000 (an hour)";
    integer("aqm.target_ns", target_ns, &times, allowed)?;
    integer("aqm.interval_ns", interval_ns, &times, allowed)?;
    if let Aqm::FqCodel {
        flows,
        quantum_bytes,
        ..
    } = aqm
    {
        integer("aqm.flows", flows.into(), &(1..=65_536), "1 to 65536")?;
        let quanta = 1..=1_000_000;
        integer(
            "aqm.quantum_bytes",
            quantum_bytes.into(),
            &quanta,
            "1 to 1000000",
        )?;
    }
    Ok(())
}

fn in_words(queue: Queue) -> String {
    match queue {
        Queue::TimeNs(nanos) => format!("{nanos} ns"),
        Queue::Bytes(bytes) => format!("{bytes} bytes"),
        Queue::Packets(packets) => format!("{packets} packets"),
    }
}

fn misplaced(key: &str, value: &str, allowed: &str) -> SpecError {
    SpecError::Misplaced {
        key: key.to_owned(),
        value: value.to_owned(),
        allowed: allowed.to_owned(),
    }
}
