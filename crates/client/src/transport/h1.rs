//! HTTP/1.1: up to six connections, each with one request at a time, as browsers have it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use tokio::sync::Notify;

use super::response::receive;
use super::{Answer, Context, Event, Failure, Wanted, secure};

/// Connections to one origin, as every browser limits them.
const CONNECTIONS: usize = 6;

/// The connections and the requests that wait for one.
pub(crate) struct Pool(Rc<Shared>);

struct Shared {
    context: Context,
    tls: Arc<rustls::ClientConfig>,
    /// By urgency, then in order of discovery.
    waiting: RefCell<BTreeMap<(u8, usize), Wanted>>,
    workers: Cell<usize>,
    /// Workers that are connecting or waiting for work.
    available: Cell<usize>,
    work: Notify,
}

impl Pool {
    pub(super) fn new(context: Context, tls: Arc<rustls::ClientConfig>) -> Pool {
        Pool(Rc::new(Shared {
            context,
            tls,
            waiting: RefCell::default(),
            workers: Cell::new(0),
            available: Cell::new(0),
            work: Notify::new(),
        }))
    }

    /// Queues a request, and opens a further connection where none will be free for it.
    pub(super) fn submit(&self, wanted: Wanted) {
        let shared = &self.0;
        let mut waiting = shared.waiting.borrow_mut();
        waiting.insert((wanted.priority.urgency, wanted.resource), wanted);
        shared.work.notify_one();
        if waiting.len() > shared.available.get() && shared.workers.get() < CONNECTIONS {
            shared.workers.set(shared.workers.get() + 1);
            shared.available.set(shared.available.get() + 1);
            tokio::task::spawn_local(work(shared.clone()));
        }
    }
}

impl Shared {
    async fn next(&self) -> Wanted {
        loop {
            let first = self.waiting.borrow_mut().pop_first();
            if let Some((_, wanted)) = first {
                self.available.set(self.available.get() - 1);
                if !self.waiting.borrow().is_empty() {
                    self.work.notify_one();
                }
                return wanted;
            }
            self.work.notified().await;
        }
    }
}

/// One connection's life: it is opened again when the server closes it between two requests.
async fn work(shared: Rc<Shared>) {
    loop {
        let (connection, mut sender) = match open(&shared).await {
            Ok(opened) => opened,
            Err(failure) => {
                let wanted = shared.next().await;
                shared.available.set(shared.available.get() + 1);
                shared
                    .context
                    .report(wanted.resource, Event::Failed(failure));
                continue;
            }
        };
        loop {
            let wanted = shared.next().await;
            let resource = wanted.resource;
            if let Err(failure) = fetch(&shared.context, connection, &mut sender, &wanted).await {
                shared.context.report(resource, Event::Failed(failure));
            }
            let reusable = sender.ready().await.is_ok();
            shared.available.set(shared.available.get() + 1);
            if !reusable {
                break;
            }
        }
        // Nothing to do yet: open again only when there is.
        while shared.waiting.borrow().is_empty() {
            shared.work.notified().await;
        }
    }
}

async fn open(shared: &Shared) -> Result<(usize, SendRequest<Full<Bytes>>), Failure> {
    let (connection, stream) = secure::open(&shared.context, shared.tls.clone()).await?;
    let (sender, driver) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::task::spawn_local(async move {
        // How it ended shows in the requests.
        let _ = driver.await;
    });
    Ok((connection, sender))
}

async fn fetch(
    context: &Context,
    connection: usize,
    sender: &mut SendRequest<Full<Bytes>>,
    wanted: &Wanted,
) -> Result<(), Failure> {
    let resource = wanted.resource;
    let early = !context.secured(connection);
    let request = wanted.request(&context.target, http::Version::HTTP_11)?;
    let content = || Full::new(wanted.content.clone());
    context.report(resource, Event::Sent { connection });
    let response = sender.send_request(request.map(|()| content())).await?;
    if let Answer::TooEarly = receive(context, resource, early, response).await? {
        sender.ready().await?;
        let request = wanted.request(&context.target, http::Version::HTTP_11)?;
        let response = sender.send_request(request.map(|()| content())).await?;
        receive(context, resource, false, response).await?;
    }
    Ok(())
}
