//! hyper's executor on one thread.

use std::future::Future;

/// Runs hyper's background tasks beside the caller's, in its `LocalSet`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalExecutor;

impl<F> hyper::rt::Executor<F> for LocalExecutor
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}
