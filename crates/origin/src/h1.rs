//! HTTP/1.1 connections, by hyper.

use std::convert::Infallible;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use pronghorn_http::Protocol;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::boundary::Boundary;
use crate::log::{AccessLog, Served};
use crate::{Answered, Shared};

/// Serves a connection to its end. Errors of the peer end the connection and nothing else.
pub(crate) async fn serve<S>(stream: S, boundary: &Boundary, shared: Rc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let over = Arc::new(AtomicBool::new(false));
    let ending = shared.ending.clone();
    let service = service_fn(|request: http::Request<Incoming>| {
        let shared = shared.clone();
        let over = over.clone();
        let early = boundary.is_ahead();
        async move {
            let arrived = Instant::now();
            let (request, content) = request.into_parts();
            let Answered {
                answer,
                think,
                served,
            } = shared.answer(
                Protocol::H1,
                (&request.method, &request.uri, &request.headers),
                early,
                arrived,
            );
            if served.matched.is_some() {
                take(content).await;
            }
            if !think.is_zero() {
                tokio::time::sleep(think).await;
            }
            let body = logged(answer.body.clone(), served, shared.log.clone(), over);
            let mut response = http::Response::new(Full::new(body));
            *response.status_mut() = answer.status;
            response.headers_mut().clone_from(&answer.headers);
            Ok::<_, Infallible>(response)
        }
    });
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // A client that goes away in mid-response is no fault of the origin's.
    let ended = tokio::select! {
        biased;
        _ = connection.as_mut() => true,
        () = ending.begun() => false,
    };
    if !ended {
        connection.as_mut().graceful_shutdown();
        let _ = connection.as_mut().await;
    }
    over.store(true, Ordering::Relaxed);
}

/// Reads a request's content, which nobody looks at. What breaks it breaks the connection as well.
async fn take(mut content: Incoming) {
    while let Some(Ok(_)) = content.frame().await {}
}

/// A body that puts its request into the log when hyper lets go of it: once the stream below has taken its
/// last byte, or with the connection, which is `over` then.
fn logged(bytes: Bytes, served: Served, log: AccessLog, over: Arc<AtomicBool>) -> Bytes {
    if bytes.is_empty() {
        log.record(served);
        return bytes;
    }
    Bytes::from_owner(Body {
        bytes,
        served: Some(served),
        log,
        over,
    })
}

struct Body {
    bytes: Bytes,
    served: Option<Served>,
    log: AccessLog,
    over: Arc<AtomicBool>,
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Some(served) = self.served.take() {
            if self.over.load(Ordering::Relaxed) {
                self.log.record_cut_off(served);
            } else {
                self.log.record(served);
            }
        }
    }
}
