//! Frames (RFC 9113 §4, §6).

/// What a client says first (RFC 9113 §3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes of a frame's header.
pub const HEADER: usize = 9;
/// The largest payload, in bytes, that either end may send until it is told otherwise.
pub const MAX_FRAME_SIZE: u32 = 16_384;

/// Types of frames (RFC 9113 §6).
pub mod kind {
    /// Content.
    pub const DATA: u8 = 0;
    /// A header block begins.
    pub const HEADERS: u8 = 1;
    /// The end of a stream.
    pub const RST_STREAM: u8 = 3;
    /// What the sender asks of its peer.
    pub const SETTINGS: u8 = 4;
    /// A response that nobody asked for.
    pub const PUSH_PROMISE: u8 = 5;
    /// An echo is asked for, or is one.
    pub const PING: u8 = 6;
    /// The end of the connection.
    pub const GOAWAY: u8 = 7;
    /// More may be sent.
    pub const WINDOW_UPDATE: u8 = 8;
    /// A header block goes on.
    pub const CONTINUATION: u8 = 9;
}

/// Flags of frames.
pub mod flag {
    /// The last frame of the stream but for RST_STREAM and the like.
    pub const END_STREAM: u8 = 0x1;
    /// Of SETTINGS and PING: the answer.
    pub const ACK: u8 = 0x1;
    /// The header block ends with this frame.
    pub const END_HEADERS: u8 = 0x4;
    /// Padding follows the content.
    pub const PADDED: u8 = 0x8;
    /// Of HEADERS: an old priority stands before the block.
    pub const PRIORITY: u8 = 0x20;
}

/// Identifiers of settings (RFC 9113 §6.5.2).
pub mod setting {
    /// How large a table the peer's encoder may have, in bytes.
    pub const HEADER_TABLE_SIZE: u16 = 1;
    /// Whether pushes are allowed.
    pub const ENABLE_PUSH: u16 = 2;
    /// How many streams the peer may have open.
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    /// The window of each new stream, in bytes.
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    /// The largest payload, in bytes.
    pub const MAX_FRAME_SIZE: u16 = 5;
}

/// Error codes (RFC 9113 §7).
pub mod code {
    /// Nothing is wrong.
    pub const NO_ERROR: u32 = 0;
    /// Nothing was done for the stream.
    pub const REFUSED_STREAM: u32 = 7;
    /// The stream isn't wanted any more.
    pub const CANCEL: u32 = 8;

    /// In the order of their numbers.
    const NAMES: [&str; 14] = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    ];

    /// The name in the RFC; the number where there is none.
    #[must_use]
    pub fn name(code: u32) -> std::borrow::Cow<'static, str> {
        match NAMES.get(code as usize) {
            Some(name) => (*name).into(),
            None => format!("0x{code:x}").into(),
        }
    }
}

/// What stands before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the payload.
    pub length: usize,
    /// Its type, one of [`kind`].
    pub kind: u8,
    /// Its flags, of [`flag`].
    pub flags: u8,
    /// Its stream; 0: the connection.
    pub stream: u32,
}

impl Header {
    /// A header as it was sent.
    #[must_use]
    pub fn read(bytes: &[u8; HEADER]) -> Header {
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = *bytes;
        Header {
            length: u32::from_be_bytes([0, l0, l1, l2]) as usize,
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff,
        }
    }

    /// Whether the flag is set.
    #[must_use]
    pub fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends a frame's header.
pub fn put_header(length: usize, kind: u8, flags: u8, stream: u32, out: &mut Vec<u8>) {
    let [_, l0, l1, l2] = (length as u32).to_be_bytes();
    let [s0, s1, s2, s3] = stream.to_be_bytes();
    out.extend_from_slice(&[l0, l1, l2, kind, flags, s0, s1, s2, s3]);
}

/// Appends a frame whose payload is one number.
pub fn put_number(kind: u8, stream: u32, number: u32, out: &mut Vec<u8>) {
    put_header(4, kind, 0, stream, out);
    out.extend_from_slice(&number.to_be_bytes());
}

/// Takes padding, and the fields of an old priority, off a payload (RFC 9113 §6.1, §6.2); `None` where they are longer than it.
#[must_use]
pub fn without_padding(header: Header, mut payload: &[u8]) -> Option<&[u8]> {
    if header.has(flag::PADDED) {
        let (&padding, rest) = payload.split_first()?;
        payload = rest.get(..rest.len().checked_sub(padding.into())?)?;
    }
    if header.kind == kind::HEADERS && header.has(flag::PRIORITY) {
        payload = payload.get(5..)?;
    }
    Some(payload)
}

/// The number with which a payload begins; `None` where it is shorter.
#[must_use]
pub fn number(payload: &[u8]) -> Option<u32> {
    payload
        .first_chunk()
        .map(|bytes| u32::from_be_bytes(*bytes))
}
