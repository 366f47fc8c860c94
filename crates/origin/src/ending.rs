//! The end of an origin, as its connections learn of it.

use tokio::sync::watch;

/// Says when connections are to take no more requests. While one of its clones stands, something is still under way.
#[derive(Clone)]
pub(crate) struct Ending(watch::Receiver<bool>);

impl Ending {
    /// One that has not begun, and what begins it by `true`.
    pub(crate) fn new() -> (watch::Sender<bool>, Ending) {
        let (end, begun) = watch::channel(false);
        (end, Ending(begun))
    }

    /// Waits until it begins; for ever if the origin is dropped instead.
    pub(crate) async fn begun(&self) {
        let mut begun = self.0.clone();
        if begun.wait_for(|begun| *begun).await.is_err() {
            std::future::pending().await
        }
    }
}
