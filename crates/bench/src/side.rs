//! Which of a bench's two hosts.

/// Which of a bench's two hosts. The path's `down` carries packets from the server to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The host that loads.
    Client,
    /// The host of the origin.
    Server,
}

impl Side {
    /// `client` or `server`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Side::Client => "client",
            Side::Server => "server",
        }
    }
}
