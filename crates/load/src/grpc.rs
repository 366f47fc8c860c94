//! How gRPC says that a call failed whose response has status 200: by the field `grpc-status`, among the trailers, or in the
//! head of a response without content (gRPC's PROTOCOL-HTTP2.md, "Responses").

use std::borrow::Cow;

use crate::decimal::decimal;

/// The field's name.
pub(crate) const FIELD: &str = "grpc-status";
/// What a status counts as that is none.
const UNKNOWN: u32 = 2;

const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// A response's `grpc-status` as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GrpcStatus {
    head: Option<u32>,
    trailers: Option<u32>,
}

impl GrpcStatus {
    /// Takes the field's value from a head.
    pub(crate) fn in_head(&mut self, value: &[u8]) {
        self.head = Some(number(value));
    }

    /// Likewise from the trailers.
    pub(crate) fn in_trailers(&mut self, value: &[u8]) {
        self.trailers = Some(number(value));
    }

    /// What a head has become the trailers of another one.
    pub(crate) fn trailed_by(&mut self, later: GrpcStatus) {
        self.trailers = later.head.or(self.trailers);
    }

    /// The status of a response with so many bytes of content; 0, which is a success, where it has none.
    pub(crate) fn of(self, content: u64) -> u32 {
        self.trailers
            .or(self.head.filter(|_| content == 0))
            .unwrap_or(0)
    }
}

fn number(value: &[u8]) -> u32 {
    decimal(value)
        .and_then(|number| number.try_into().ok())
        .unwrap_or(UNKNOWN)
}

/// The name of a status.
pub(crate) fn name(status: u32) -> Cow<'static, str> {
    match NAMES.get(status as usize) {
        Some(name) => (*name).into(),
        None => status.to_string().into(),
    }
}
