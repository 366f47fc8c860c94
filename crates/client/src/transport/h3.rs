//! HTTP/3, over quinn (`over_quinn.rs`) or s2n-quic (`over_s2n.rs`).

use std::time::Duration;

use http::StatusCode;
use pronghorn_http::h3::{ClientConnection, H3Error, QuicConnection};
use pronghorn_http::{ClientTls, Protocol, QuicCongestionControl, SessionUse, TlsVersion};
use tokio::sync::watch;

use super::{Answer, Context, Event, Failure, Head, Wanted, over_quinn, over_s2n};
use crate::record::Reason;

/// How long the connections' closing may take to be sent. The runtime ends with the load, and with it whatever waits in it.
pub(super) const FAREWELL: Duration = Duration::from_millis(5);

/// How long it may take to be over, in a load after which another one is measured.
pub(super) const LONG_FAREWELL: Duration = Duration::from_secs(3);

/// What outlives the requests: the socket and what goes over it.
pub(crate) enum Endpoint {
    Quinn(over_quinn::Endpoint),
    S2n(over_s2n::Endpoint),
}

impl Endpoint {
    /// Enters into the record how the connections are set up now.
    pub(super) fn read_settings(&self, context: &Context) {
        match self {
            Endpoint::Quinn(endpoint) => endpoint.read_settings(context),
            Endpoint::S2n(endpoint) => endpoint.read_settings(context),
        }
    }

    /// Tells the server that the connections are no longer needed (RFC 9114 §5.2). A load that gains sessions waits
    /// besides until none of them can be heard of any more (RFC 9000 §10.2).
    pub(super) async fn close(&self, session: SessionUse) {
        match self {
            Endpoint::Quinn(endpoint) => endpoint.close(session).await,
            Endpoint::S2n(endpoint) => endpoint.close().await,
        }
    }
}

/// A connection, and whether its handshake is done, before which requests may go as early data.
#[derive(Clone)]
pub(super) struct Opened<C> {
    pub(super) http: ClientConnection<C>,
    pub(super) settled: watch::Receiver<bool>,
}

impl<C> Opened<C> {
    /// Waits for the handshake's end, or the connection's.
    async fn settle(&self) {
        // The sender goes only once it has said so.
        let _ = self.settled.clone().wait_for(|settled| *settled).await;
    }
}

/// Makes a request, once more where the server didn't take it as early data.
pub(super) async fn fetch<C: QuicConnection>(
    context: &Context,
    index: usize,
    connection: Opened<C>,
    wanted: &Wanted,
) -> Result<(), Failure> {
    let mut outcome = exchange(context, index, &connection, wanted).await;
    if let Err(H3Error::EarlyDataRejected) = outcome {
        connection.settle().await;
        outcome = exchange(context, index, &connection, wanted).await;
    }
    if let Ok(Answer::TooEarly) = outcome {
        // The handshake is done: no answer comes before.
        outcome = exchange(context, index, &connection, wanted).await;
    }
    outcome.map(|_| ()).map_err(|error| {
        let mut failure = Failure::from(error);
        if failure.reason == Reason::Reset && !context.connected(index) {
            failure.reason = Reason::Connect;
        }
        failure
    })
}

/// Enters a finished handshake.
pub(super) fn enter_handshake(
    context: &Context,
    index: usize,
    alpn: Option<String>,
    control: Option<QuicCongestionControl>,
    tls: &ClientTls,
    resumed: bool,
) {
    context.update(index, |record| {
        let now_s = context.now_s();
        record.connected_s = Some(now_s);
        record.secured_s = Some(now_s);
        record.alpn = alpn;
        // QUIC version 1 has no other (RFC 9001 §4.2).
        record.tls_version = Some(TlsVersion::Tls13.to_string());
        record.key_exchange = tls.key_exchange();
        record.congestion_controller = control.map(|control| control.to_string());
        record.resumed = Some(resumed);
    });
}

async fn exchange<C: QuicConnection>(
    context: &Context,
    index: usize,
    connection: &Opened<C>,
    wanted: &Wanted,
) -> Result<Answer, H3Error> {
    let resource = wanted.resource;
    let request = match wanted.request(&context.target, http::Version::HTTP_3) {
        Ok(request) => request,
        Err(failure) => {
            context.report(resource, Event::Failed(failure));
            return Ok(Answer::Response);
        }
    };
    let early = !*connection.settled.borrow();
    let stream = connection.http.open().await?;
    context.report(resource, Event::Sent { connection: index });
    let mut exchange = stream.send(&request, wanted.content.clone()).await?;
    let head = exchange.head().await?;
    let status = head.status;
    // A response comes after the handshake, of which the record is to know first.
    connection.settle().await;
    if early && status == StatusCode::TOO_EARLY {
        context.report(resource, Event::TooEarly);
        while exchange.data().await?.is_some() {}
        return Ok(Answer::TooEarly);
    }
    let head = Head::new(Some(Protocol::H3), status, head.headers);
    context.report(resource, Event::Head(Box::new(head)));
    while let Some(data) = exchange.data().await? {
        context.report(resource, Event::Data(data));
    }
    context.report(resource, Event::End);
    Ok(Answer::Response)
}
