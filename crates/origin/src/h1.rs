//! HTTP/1.1 connections, by hyper.

use std::convert::Infallible;
use std::rc::Rc;
use std::time::Instant;

use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use pronghorn_http::Protocol;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Shared;

/// Serves a connection to its end. Errors of the peer end the connection and nothing else.
pub(crate) async fn serve<S>(stream: S, shared: Rc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(|request: http::Request<hyper::body::Incoming>| {
        let shared = shared.clone();
        async move {
            let arrived = Instant::now();
            let path = request.uri().path();
            let response = shared.site.respond(request.method(), path, &shared.headers);
            let (status, bytes) = (response.status(), response.body().len());
            shared
                .log
                .record(path.to_owned(), Protocol::H1, status, bytes, arrived);
            Ok::<_, Infallible>(response.map(Full::new))
        }
    });
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // A client that goes away in mid-response is no fault of the origin's.
    let _ = connection.await;
}
