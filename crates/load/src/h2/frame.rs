//! Frames (RFC 9113 §4, §6).

/// Bytes of a frame's header.
pub(super) const HEADER: usize = 9;
/// The largest payload that either end may send until it is told otherwise; we tell nobody.
pub(super) const MAX_FRAME_SIZE: u32 = 16_384;

pub(super) mod kind {
    pub(in crate::h2) const DATA: u8 = 0;
    pub(in crate::h2) const HEADERS: u8 = 1;
    pub(in crate::h2) const RST_STREAM: u8 = 3;
    pub(in crate::h2) const SETTINGS: u8 = 4;
    pub(in crate::h2) const PUSH_PROMISE: u8 = 5;
    pub(in crate::h2) const PING: u8 = 6;
    pub(in crate::h2) const GOAWAY: u8 = 7;
    pub(in crate::h2) const WINDOW_UPDATE: u8 = 8;
    pub(in crate::h2) const CONTINUATION: u8 = 9;
}

pub(super) mod flag {
    pub(in crate::h2) const END_STREAM: u8 = 0x1;
    pub(in crate::h2) const ACK: u8 = 0x1;
    pub(in crate::h2) const END_HEADERS: u8 = 0x4;
    pub(in crate::h2) const PADDED: u8 = 0x8;
    pub(in crate::h2) const PRIORITY: u8 = 0x20;
}

pub(super) mod setting {
    pub(in crate::h2) const HEADER_TABLE_SIZE: u16 = 1;
    pub(in crate::h2) const ENABLE_PUSH: u16 = 2;
    pub(in crate::h2) const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub(in crate::h2) const INITIAL_WINDOW_SIZE: u16 = 4;
    pub(in crate::h2) const MAX_FRAME_SIZE: u16 = 5;
}

/// Error codes (RFC 9113 §7).
pub(super) mod code {
    pub(in crate::h2) const NO_ERROR: u32 = 0;
    pub(in crate::h2) const REFUSED_STREAM: u32 = 7;
    pub(in crate::h2) const CANCEL: u32 = 8;
}

/// What stands before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) length: usize,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl Header {
    pub(super) fn read(bytes: &[u8; HEADER]) -> Header {
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = *bytes;
        Header {
            length: u32::from_be_bytes([0, l0, l1, l2]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff,
        }
    }

    pub(super) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends a frame's header.
pub(super) fn put_header(length: usize, kind: u8, flags: u8, stream: u32, out: &mut Vec<u8>) {
    let [_, l0, l1, l2] = (length as u32).to_be_bytes();
    let [s0, s1, s2, s3] = stream.to_be_bytes();
    out.extend_from_slice(&[l0, l1, l2, kind, flags, s0, s1, s2, s3]);
}

/// Appends a frame whose payload is one number.
pub(super) fn put_number(kind: u8, stream: u32, number: u32, out: &mut Vec<u8>) {
    put_header(4, kind, 0, stream, out);
    out.extend_from_slice(&number.to_be_bytes());
}

/// Takes padding, and the fields of an old priority, off a payload (RFC 9113 §6.1, §6.2).
pub(super) fn without_padding(header: Header, mut payload: &[u8]) -> Option<&[u8]> {
    if header.has(flag::PADDED) {
        let (&padding, rest) = payload.split_first()?;
        payload = rest.get(..rest.len().checked_sub(padding.into())?)?;
    }
    if header.kind == kind::HEADERS && header.has(flag::PRIORITY) {
        payload = payload.get(5..)?;
    }
    Some(payload)
}

/// The number with which a payload begins.
pub(super) fn number(payload: &[u8]) -> Option<u32> {
    payload
        .first_chunk()
        .map(|bytes| u32::from_be_bytes(*bytes))
}
