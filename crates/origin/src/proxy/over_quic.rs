//! Requests over HTTP/3. The order of answers follows RFC 9218, as it does for files.

use std::net::IpAddr;
use std::time::Instant;

use bytes::Bytes;
use http::Method;
use http_body_util::Empty;
use hyper::body::Body;
use pronghorn_http::Protocol;
use pronghorn_http::h3::{
    Code, H3Error, IncomingRequest, QuicConnection, RequestContent, ResponseStream,
};
use pronghorn_http_wire::{Priority, Rank};
use tokio::sync::mpsc;

use super::Proxy;
use super::content::{Asked, Broken, Download};
use super::exchange::Came;

/// Answers one request of `peer`. Errors of the peer end the stream, or what it asks of the connection.
pub(crate) async fn answer<C: QuicConnection>(
    stream: IncomingRequest<C>,
    peer: IpAddr,
    proxy: &Proxy,
) {
    let came = Came {
        protocol: Protocol::H3,
        peer,
        early: stream.is_early(),
        arrived: Instant::now(),
    };
    let index = stream.index();
    let Ok((request, mut content, mut response)) = stream.begin().await else {
        return;
    };
    let rank = Rank::new(Priority::from_headers(&request.headers), index);
    response.prioritise(rank.falling());
    // Whether there is any decides how the application is asked.
    let first = match request.method {
        // Its client sends nothing before it is answered.
        Method::CONNECT => None,
        _ => match content.next().await {
            Ok(first) => first,
            Err(error) => return refuse(response, &error),
        },
    };
    match first {
        None => {
            let nothing = Asked::Nothing(Empty::new());
            let answer = tokio::select! {
                answer = proxy.answer(request, nothing, came) => answer,
                () = response.unwanted() => return,
            };
            respond(answer, response).await;
        }
        Some(first) => {
            let (pieces, taken) = mpsc::channel(1);
            let answered = async {
                let asked = Asked::Pieces(taken);
                let answer = tokio::select! {
                    answer = proxy.answer(request, asked, came) => answer,
                    () = response.unwanted() => return,
                };
                respond(answer, response).await;
            };
            // Until it is answered, for then nobody wants the rest.
            tokio::select! {
                biased;
                () = answered => {}
                () = pump(first, &mut content, pieces) => {}
            }
            content.stop();
        }
    }
}

/// Reads content as fast as it is taken, then waits for ever.
async fn pump<C: QuicConnection>(
    first: Bytes,
    content: &mut RequestContent<C>,
    pieces: mpsc::Sender<Result<Bytes, Broken>>,
) {
    let mut next = Ok(Some(first));
    loop {
        let piece = match next {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => break,
            Err(error) => Err(Broken::from(error)),
        };
        let broken = piece.is_err();
        if pieces.send(piece).await.is_err() || broken {
            break;
        }
        next = content.next().await;
    }
    drop(pieces);
    std::future::pending().await
}

/// Sends an answer as it comes; a client that wants no more of it ends the application's as well.
async fn respond<C: QuicConnection>(
    answer: http::Response<Download>,
    mut response: ResponseStream<C>,
) {
    let (head, mut content) = answer.into_parts();
    if response.head(head.status, &head.headers).await.is_err() {
        return response.reset(Code::InternalError);
    }
    while !content.is_end_stream() {
        let next = tokio::select! {
            next = content.next() => next,
            () = response.unwanted() => return,
        };
        match next {
            Some(Ok(bytes)) if bytes.is_empty() => {}
            Some(Ok(bytes)) => {
                if response.data(bytes).await.is_err() {
                    return;
                }
            }
            Some(Err(_)) => return response.reset(Code::InternalError),
            None => break,
        }
    }
    response.finish().await;
}

fn refuse<C: QuicConnection>(response: ResponseStream<C>, error: &H3Error) {
    response.reset(match error {
        H3Error::Protocol(error) => error.code,
        _ => Code::RequestCancelled,
    });
}
