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
use crate::boundary::Boundary;
use crate::log::Served;

/// Serves a connection to its end. Errors of the peer end the connection and nothing else.
pub(crate) async fn serve<S>(stream: S, boundary: &Boundary, shared: Rc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(|request: http::Request<hyper::body::Incoming>| {
        let shared = shared.clone();
        let early = boundary.is_ahead();
        async move {
            let arrived = Instant::now();
            let path = request.uri().path();
            let response = shared.answer(request.method(), path, early);
            shared.log.record(Served {
                method: request.method().clone(),
                path: path.to_owned(),
                protocol: Protocol::H1,
                status: response.status(),
                bytes: response.body().len(),
                early,
                arrived,
            });
            Ok::<_, Infallible>(response.map(Full::new))
        }
    });
    let connection =
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // A client that goes away in mid-response is no fault of the origin's.
    let _ = connection.await;
}
