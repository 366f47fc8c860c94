//! Requests over HTTP/1.1 and HTTP/2, by hyper. HTTP/2's streams share by the h2 crate's own flow control.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use pronghorn_http::Protocol;
use tokio::io::{AsyncRead, AsyncWrite};

use super::Proxy;
use super::content::Asked;
use super::exchange::Came;
use crate::boundary::Boundary;
use crate::ending::Ending;

/// Serves a connection of `peer` to its end, or the origin's. The windows are HTTP/2's, of a stream and of a connection.
/// Errors of the peer end the connection and nothing else.
pub(crate) async fn serve<S>(
    stream: S,
    protocol: Protocol,
    (boundary, peer): (&Boundary, IpAddr),
    (stream_window, connection_window): (u32, u32),
    proxy: Rc<Proxy>,
    ending: &Ending,
) where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let boundary = boundary.clone();
    let service = service_fn(move |request: http::Request<Incoming>| {
        let proxy = proxy.clone();
        let came = Came {
            protocol,
            peer,
            early: boundary.is_ahead(),
            arrived: Instant::now(),
        };
        async move {
            let (request, content) = request.into_parts();
            let content = Asked::Incoming(content);
            Ok::<_, Infallible>(proxy.answer(request, content, came).await)
        }
    });
    let stream = TokioIo::new(stream);
    // One macro for two types: a client that goes away is no fault of ours.
    macro_rules! until_ended {
        ($connection:expr) => {{
            let mut connection = pin!($connection);
            let ended = tokio::select! {
                biased;
                _ = connection.as_mut() => true,
                () = ending.begun() => false,
            };
            if !ended {
                connection.as_mut().graceful_shutdown();
                let _ = connection.as_mut().await;
            }
        }};
    }
    if protocol == Protocol::H2 {
        let mut builder = hyper::server::conn::http2::Builder::new(OnThisThread);
        builder
            .initial_stream_window_size(stream_window)
            .initial_connection_window_size(connection_window)
            .max_concurrent_streams(pronghorn_http::MAX_CONCURRENT_REQUESTS);
        until_ended!(builder.serve_connection(stream, service));
    } else {
        let builder = hyper::server::conn::http1::Builder::new();
        until_ended!(builder.serve_connection(stream, service));
    }
}

/// Runs hyper's tasks where the origin lives.
#[derive(Clone)]
struct OnThisThread;

impl<F> Executor<F> for OnThisThread
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}
