//! Content on its way: of requests to the application, and of its answers.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::log::{AccessLog, Served};

/// What broke content off.
pub(crate) type Broken = Box<dyn std::error::Error + Send + Sync>;

/// The content of a request.
pub(crate) enum Asked {
    /// As hyper reads it.
    Incoming(Incoming),
    /// In pieces that another task reads.
    Pieces(mpsc::Receiver<Result<Bytes, Broken>>),
    /// None.
    Nothing(Empty<Bytes>),
}

/// The content of a request, without trailers, that notes when it last moved.
pub(crate) struct Upload {
    content: Asked,
    moved: Rc<Cell<Instant>>,
}

impl Upload {
    /// This content; `moved` is kept up to date.
    pub(crate) fn new(content: Asked, moved: Rc<Cell<Instant>>) -> Upload {
        Upload { content, moved }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let next = match &mut self.content {
            Asked::Incoming(content) => ready!(poll_data(Pin::new(content), cx)),
            Asked::Pieces(pieces) => ready!(pieces.poll_recv(cx)),
            Asked::Nothing(_) => None,
        };
        self.moved.set(Instant::now());
        Poll::Ready(next.map(|data| data.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Asked::Incoming(content) => content.is_end_stream(),
            Asked::Pieces(_) => false,
            Asked::Nothing(_) => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Asked::Incoming(content) => content.size_hint(),
            Asked::Pieces(_) => SizeHint::default(),
            Asked::Nothing(_) => SizeHint::with_exact(0),
        }
    }
}

/// The next bytes of a message; its trailers are passed over.
fn poll_data(
    mut content: Pin<&mut Incoming>,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Bytes, Broken>>> {
    loop {
        match ready!(content.as_mut().poll_frame(cx)) {
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Poll::Ready(Some(Ok(data)));
                }
            }
            Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
            None => return Poll::Ready(None),
        }
    }
}

/// The content of an answer, without trailers. The log has its request once it has passed, or been broken off.
pub(crate) struct Download {
    content: Option<Incoming>,
    served: Option<Served>,
    log: AccessLog,
}

impl Download {
    /// The application's content, or none.
    pub(crate) fn new(content: Option<Incoming>, served: Served, log: AccessLog) -> Download {
        let content = content.filter(|content| !content.is_end_stream());
        let mut download = Download {
            content,
            served: Some(served),
            log,
        };
        if download.content.is_none() {
            download.record();
        }
        download
    }

    /// Waits for the next bytes; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, Broken>> {
        poll_fn(|cx| self.poll_data(cx)).await
    }

    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
        let Some(content) = &mut self.content else {
            return Poll::Ready(None);
        };
        let next = ready!(poll_data(Pin::new(content), cx));
        match &next {
            Some(Ok(data)) => {
                if let Some(served) = &mut self.served {
                    served.bytes += data.len();
                }
                if self.is_end_stream() {
                    self.record();
                }
            }
            Some(Err(_)) => {}
            None => self.record(),
        }
        Poll::Ready(next)
    }

    fn record(&mut self) {
        if let Some(served) = self.served.take() {
            self.log.record(served);
        }
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.poll_data(cx)
            .map(|next| next.map(|data| data.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.content.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let content = self.content.as_ref();
        // Without content the fields alone say how long it would be.
        content.map_or_else(SizeHint::default, Body::size_hint)
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        if let Some(served) = self.served.take() {
            self.log.record_cut_off(served);
        }
    }
}
