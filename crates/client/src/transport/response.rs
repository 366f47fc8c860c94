//! A response of hyper's, reported piece by piece.

use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use pronghorn_http::Protocol;

use super::{Answer, Context, Event, Failure, Head};

/// Reports a response from its head to its end; `early`: its request went as early data. A 425 to that is
/// read to its end, too, so that the connection can go on.
pub(super) async fn receive(
    context: &Context,
    resource: usize,
    early: bool,
    response: http::Response<Incoming>,
) -> Result<Answer, Failure> {
    let protocol = Protocol::from_version(response.version());
    let status = response.status();
    let (parts, mut body) = response.into_parts();
    if early && status == StatusCode::TOO_EARLY {
        context.report(resource, Event::TooEarly);
        while let Some(frame) = body.frame().await {
            frame?;
        }
        return Ok(Answer::TooEarly);
    }
    let head = Head::new(protocol, status, parts.headers);
    context.report(resource, Event::Head(Box::new(head)));
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            context.report(resource, Event::Data(data));
        }
    }
    context.report(resource, Event::End);
    Ok(Answer::Response)
}
