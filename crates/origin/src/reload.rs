//! A reload: connections that are open finish their requests and end, and connections that come later stay.
//!
//! The origin keeps its sockets, so no handshake has to change hands: a connection whose handshake is under way during a
//! reload belongs to the new generation.

use std::time::Duration;

use tokio::sync::watch;

/// How long an idle HTTP/1.1 connection of an old generation waits for one more request, whose response says
/// `Connection: close`. If the server closed it at once, it could lose a request that was already on its way.
pub(crate) const IDLE: Duration = Duration::from_secs(10);

/// Begins new generations of connections.
#[derive(Debug, Clone)]
pub struct Generations(watch::Sender<u64>);

impl Generations {
    pub(crate) fn new() -> Generations {
        Generations(watch::Sender::new(0))
    }

    /// Makes every open connection finish its requests and end. How many there are.
    pub fn retire(&self) -> usize {
        let connections = self.0.receiver_count();
        self.0.send_modify(|generation| *generation += 1);
        connections
    }

    /// The present generation, for a connection that begins.
    pub(crate) fn join(&self) -> Generation {
        Generation(self.0.subscribe())
    }
}

/// The generation of one connection.
pub(crate) struct Generation(watch::Receiver<u64>);

impl Generation {
    /// Waits until a later generation begins.
    pub(crate) async fn retired(mut self) {
        if self.0.changed().await.is_err() {
            // The origin is gone, and with it all connections.
            std::future::pending::<()>().await;
        }
    }
}
