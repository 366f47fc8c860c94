//! The two ends of a connection.

/// Which end of the connection this endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// It sends requests.
    Client,
    /// It answers them.
    Server,
}
