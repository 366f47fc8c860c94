//! HTTP/2 connections, by the h2 crate under a scheduler of our own.
//!
//! h2 sends streams in the order in which it was given their data. So this loop gives it a TLS
//! record's worth of frames of the responses that RFC 9218 puts first, and gives more only when the
//! socket took that: what is queued below is the kernel's unsent data, which `TCP_NOTSENT_LOWAT` bounds.
//! The heads of all requests that were there at once go ahead of it, in the same record if they fit.
//! quinn decides likewise when it builds a packet, so neither protocol owes a better order to its
//! plumbing.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream, SendStream};
use http::{Request, Response};
use pronghorn_http::{Protocol, TransportKnobs};
use pronghorn_http_wire::{Priority, Rank};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Sleep;

use crate::answer::Answer;
use crate::boundary::Boundary;
use crate::gather::Gather;
use crate::log::Served;
use crate::records::Records;
use crate::{Answered, Shared};

/// Bytes of a frame's own header (RFC 9113 §4.1).
const FRAME_HEADER: usize = 9;
/// Receive windows where none are asked for, as hyper's server ships them.
const RECEIVE_WINDOW: u32 = 1024 * 1024;

/// Serves a connection to its end. Errors of the peer end the connection and nothing else.
pub(crate) async fn serve<S>(stream: Records<S>, boundary: &Boundary, shared: Rc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let (stream_window, connection_window) = windows(&shared.knobs);
    let gather = Gather::new(stream);
    let handshake = Builder::new()
        .initial_window_size(stream_window)
        .initial_connection_window_size(connection_window)
        .max_concurrent_streams(pronghorn_http::MAX_CONCURRENT_REQUESTS)
        .handshake(gather.clone());
    let Ok(mut connection) = handshake.await else {
        return;
    };
    let ending = shared.ending.clone();
    let mut ending = pin!(ending.begun());
    let mut leaves = false;
    let mut responses = Responses {
        shared,
        held: Vec::new(),
        waiting: Vec::new(),
        accepted: 0,
    };
    gather.hold();
    let mut handed_over = false;
    poll_fn(|cx| {
        if !leaves && ending.as_mut().poll(cx).is_ready() {
            leaves = true;
            connection.graceful_shutdown();
        }
        loop {
            match pin!(connection.accept()).poll(cx) {
                Poll::Ready(Some(Ok((request, respond)))) => {
                    responses.begin(request, respond, boundary.is_ahead());
                    continue;
                }
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
                Poll::Pending => {}
            }
            // The heads of those whose time has come are h2's to send.
            if responses.poll_held(cx) {
                continue;
            }
            if (gather.is_blocked() || handed_over) && ready!(gather.poll_send(cx)).is_err() {
                return Poll::Ready(());
            }
            handed_over = responses.hand_over_a_round(cx, gather.room());
            if !handed_over {
                return match ready!(gather.poll_send(cx)) {
                    Ok(()) => Poll::Pending,
                    Err(_) => Poll::Ready(()),
                };
            }
        }
    })
    .await;
}

/// Bytes that clients may send on a stream, and on a connection, before they are told of more.
pub(crate) fn windows(knobs: &TransportKnobs) -> (u32, u32) {
    let or_shipped = |window: Option<u32>| window.unwrap_or(RECEIVE_WINDOW);
    (
        or_shipped(knobs.stream_window),
        or_shipped(knobs.connection_window),
    )
}

/// A response whose body has not been handed over wholly.
struct Sending {
    rank: Rank,
    stream: SendStream<Bytes>,
    body: Bytes,
    served: Served,
}

/// A response that is held back: until its request's content is read, and then as long as the recorded server took.
struct Held {
    content: Option<RecvStream>,
    think: Duration,
    until: Option<Pin<Box<Sleep>>>,
    response: Due,
}

/// A response that can begin.
struct Due {
    rank: Rank,
    respond: SendResponse<Bytes>,
    answer: Rc<Answer>,
    served: Served,
}

impl Held {
    /// Whether its time has come.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(content) = &mut self.content {
            match ready!(content.poll_data(cx)) {
                Some(Ok(bytes)) => {
                    // It was given that much.
                    let _ = content.flow_control().release_capacity(bytes.len());
                }
                Some(Err(_)) | None => self.content = None,
            }
        }
        let think = self.think;
        let until = self
            .until
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(think)));
        until.as_mut().poll(cx)
    }
}

/// The responses under way on one connection, in the order in which they send.
struct Responses {
    shared: Rc<Shared>,
    held: Vec<Held>,
    waiting: Vec<Sending>,
    accepted: u64,
}

impl Responses {
    fn begin(&mut self, request: Request<RecvStream>, respond: SendResponse<Bytes>, early: bool) {
        let arrived = Instant::now();
        let (request, content) = request.into_parts();
        let Answered {
            answer,
            think,
            served,
        } = self.shared.answer(
            Protocol::H2,
            (&request.method, &request.uri, &request.headers),
            early,
            arrived,
        );
        let rank = Rank::new(Priority::from_headers(&request.headers), self.accepted);
        self.accepted += 1;
        let is_recorded = served.matched.is_some();
        let response = Due {
            rank,
            respond,
            answer,
            served,
        };
        let content = Some(content).filter(|content| is_recorded && !content.is_end_stream());
        if content.is_none() && think.is_zero() {
            return self.respond(response);
        }
        self.held.push(Held {
            content,
            think,
            until: None,
            response,
        });
    }

    /// Begins the responses whose time has come; whether there was any.
    fn poll_held(&mut self, cx: &mut Context<'_>) -> bool {
        let before = self.held.len();
        let mut index = 0;
        while index < self.held.len() {
            if self.held[index].poll(cx).is_ready() {
                let held = self.held.remove(index);
                self.respond(held.response);
            } else {
                index += 1;
            }
        }
        self.held.len() < before
    }

    fn respond(&mut self, response: Due) {
        let Due {
            rank,
            mut respond,
            answer,
            served,
        } = response;
        let body = answer.body.clone();
        let mut head = Response::new(());
        *head.status_mut() = answer.status;
        head.headers_mut().clone_from(&answer.headers);
        let Ok(stream) = respond.send_response(head, body.is_empty()) else {
            return;
        };
        if body.is_empty() {
            self.shared.log.record(served);
        } else {
            self.enqueue(Sending {
                rank,
                stream,
                body,
                served,
            });
        }
    }

    /// Behind all of the same rank, so that equal ones take turns.
    fn enqueue(&mut self, response: Sending) {
        let place = self
            .waiting
            .partition_point(|other| other.rank <= response.rank);
        self.waiting.insert(place, response);
    }

    /// Gives h2 frames in their order until they fill a TLS record, which takes `record` bytes, or nothing more
    /// can be sent now. Returns whether there was any.
    fn hand_over_a_round(&mut self, cx: &mut Context<'_>, record: usize) -> bool {
        let mut room = record;
        while room > FRAME_HEADER {
            match self.hand_over_a_frame(cx, room - FRAME_HEADER) {
                Some(length) => room -= length + FRAME_HEADER,
                None => break,
            }
        }
        room < record
    }

    /// Gives h2 one frame of the first response whose flow-control windows have room, of at most
    /// `most` bytes of data. Returns how many they were; none where there was no such response.
    fn hand_over_a_frame(&mut self, cx: &mut Context<'_>, most: usize) -> Option<usize> {
        let mut index = 0;
        while index < self.waiting.len() {
            let response = &mut self.waiting[index];
            if response.stream.poll_reset(cx).is_ready() {
                self.waiting.remove(index);
                continue;
            }
            let wanted = response.body.len().min(most);
            response.stream.reserve_capacity(wanted);
            let room = response.stream.capacity().min(wanted);
            if room == 0 {
                index += 1;
                continue;
            }
            let mut response = self.waiting.remove(index);
            let frame = response.body.split_to(room);
            let last = response.body.is_empty();
            if response.stream.send_data(frame, last).is_err() {
                response.stream.send_reset(Reason::INTERNAL_ERROR);
            } else if last {
                self.shared.log.record(response.served);
            } else {
                self.enqueue(response);
            }
            return Some(room);
        }
        None
    }
}
