//! The payloads of control frames (RFC 9114 §7.2, RFC 9218 §7.2).

use pronghorn_http_wire::{Priority, varint};

use crate::error::{Code, Error};

/// The one integer that fills `payload`: a stream's or a push's ID.
pub(super) fn parse_id(payload: &[u8]) -> Result<u64, Error> {
    match varint::decode(payload) {
        Some((id, size)) if size == payload.len() => Ok(id),
        _ => Err(broken("a frame that should hold one identifier")),
    }
}

/// The identifier and the priority in the payload of a PRIORITY_UPDATE frame.
pub(super) fn parse_priority_update(payload: &[u8]) -> Result<(u64, Priority), Error> {
    let (id, size) = varint::decode(payload).ok_or(broken("a truncated PRIORITY_UPDATE frame"))?;
    Ok((id, Priority::parse(&payload[size..])))
}

/// Whether `stream` is the ID of a request stream: bidirectional and opened by the client
/// (RFC 9000 §2.1).
pub(super) fn is_request_stream(stream: u64) -> bool {
    stream % 4 == 0
}

const fn broken(reason: &'static str) -> Error {
    Error::connection(Code::FrameError, reason)
}
