//! What HTTP/2 and HTTP/3 share: one connection, every request on it at once, and a second connection
//! for requests that the first one's server refused unread.

use std::rc::Rc;

use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};

use super::{Context, Event, Failure, Wanted};

/// How one protocol opens connections and makes requests.
pub(super) trait Connector: 'static {
    /// A handle to a connection.
    type Connection: Clone + 'static;

    /// Opens a connection; its index in the record comes with it.
    async fn open(&self, context: &Context) -> Result<(usize, Self::Connection), Failure>;

    /// Makes one request and reports what comes of it to its end.
    async fn fetch(
        &self,
        context: &Context,
        index: usize,
        connection: Self::Connection,
        wanted: &Wanted,
    ) -> Result<(), Failure>;
}

/// Begins to connect; requests wait until that is done.
pub(super) fn start(context: Context, connector: impl Connector) -> UnboundedSender<Wanted> {
    let (requests, wanted) = unbounded_channel();
    let again = requests.downgrade();
    tokio::task::spawn_local(run(context, Rc::new(connector), wanted, again));
    requests
}

async fn run<C: Connector>(
    context: Context,
    connector: Rc<C>,
    mut wanted: UnboundedReceiver<Wanted>,
    again: WeakUnboundedSender<Wanted>,
) {
    let mut opened = connector.open(&context).await;
    while let Some(wanted) = wanted.recv().await {
        let current = opened.as_ref().ok().map(|(index, _)| *index);
        if wanted.refused_by.is_some() && wanted.refused_by == current {
            opened = connector.open(&context).await;
        }
        match &opened {
            Ok((index, connection)) => {
                let connection = connection.clone();
                let exchange = fetch(
                    context.clone(),
                    connector.clone(),
                    *index,
                    connection,
                    wanted,
                    again.clone(),
                );
                tokio::task::spawn_local(exchange);
            }
            Err(failure) => context.report(wanted.resource, Event::Failed(failure.clone())),
        }
    }
}

async fn fetch<C: Connector>(
    context: Context,
    connector: Rc<C>,
    index: usize,
    connection: C::Connection,
    mut wanted: Wanted,
    again: WeakUnboundedSender<Wanted>,
) {
    let Err(failure) = connector.fetch(&context, index, connection, &wanted).await else {
        return;
    };
    match again.upgrade() {
        Some(requests) if failure.repeatable && wanted.refused_by.is_none() => {
            wanted.refused_by = Some(index);
            // The receiving task lives as long as a sender.
            let _ = requests.send(wanted);
        }
        _ => context.report(wanted.resource, Event::Failed(failure)),
    }
}
