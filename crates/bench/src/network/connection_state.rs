//! How far a TCP connection is.

use std::fmt;

/// The states of a connection between its handshake and its end (RFC 9293, section 3.3.2), but for those that have
/// nothing to send any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Both ends may send.
    Established,
    /// This end has closed; its FIN isn't acknowledged yet.
    FinWait1,
    /// This end has closed; the other may send.
    FinWait2,
    /// The other end has closed; this one may send.
    CloseWait,
    /// Both have closed; this end's FIN isn't acknowledged yet.
    LastAck,
    /// Both have closed at the same time.
    Closing,
}

/// Each state with its number in the kernel (`include/net/tcp_states.h`) and its name, as `ss(8)` has it.
const STATES: [(ConnectionState, u8, &str); 6] = [
    (ConnectionState::Established, 1, "established"),
    (ConnectionState::FinWait1, 4, "fin-wait-1"),
    (ConnectionState::FinWait2, 5, "fin-wait-2"),
    (ConnectionState::CloseWait, 8, "close-wait"),
    (ConnectionState::LastAck, 9, "last-ack"),
    (ConnectionState::Closing, 11, "closing"),
];

impl ConnectionState {
    /// All of them, each as the bit of its number.
    pub(crate) fn all() -> u32 {
        STATES.iter().map(|(_, number, _)| 1_u32 << number).sum()
    }

    /// The state with this number.
    pub(crate) fn of_number(number: u8) -> Option<ConnectionState> {
        let found = STATES.iter().find(|(_, known, _)| *known == number);
        found.map(|(state, ..)| *state)
    }
}

impl fmt::Display for ConnectionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = STATES.iter().find(|(state, ..)| state == self);
        f.write_str(name.map_or("", |(_, _, name)| name))
    }
}
