//! Frame types (RFC 9114 §7.2, RFC 9218 §7.2).

/// Content of a message.
pub const DATA: u64 = 0x00;
/// A field section of a message.
pub const HEADERS: u64 = 0x01;
/// Takes a server push back.
pub const CANCEL_PUSH: u64 = 0x03;
/// The sender's configuration; the first frame of its control stream.
pub const SETTINGS: u64 = 0x04;
/// Announces a server push.
pub const PUSH_PROMISE: u64 = 0x05;
/// Begins the end of the connection.
pub const GOAWAY: u64 = 0x07;
/// The number of pushes that the client permits.
pub const MAX_PUSH_ID: u64 = 0x0d;
/// Changes the priority of a request.
pub const PRIORITY_UPDATE_REQUEST: u64 = 0x0f_0700;
/// Changes the priority of a push.
pub const PRIORITY_UPDATE_PUSH: u64 = 0x0f_0701;
