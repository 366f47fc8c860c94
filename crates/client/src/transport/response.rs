//! A response of hyper's, reported piece by piece.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use pronghorn_http::Protocol;

use super::{Context, Event, Failure};

/// Reports a response from its head to its end.
pub(super) async fn receive(
    context: &Context,
    resource: usize,
    response: http::Response<Incoming>,
) -> Result<(), Failure> {
    let protocol = Protocol::from_version(response.version());
    let status = response.status().as_u16();
    context.report(resource, Event::Head { protocol, status });
    let mut body = response.into_body();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            context.report(resource, Event::Data(data));
        }
    }
    context.report(resource, Event::End);
    Ok(())
}
