//! The server's end.

use std::cell::Cell;
use std::rc::Rc;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, request};
use pronghorn_http3::frame::put_data_header;
use pronghorn_http3::message::{EncodeError, Event, RequestReader, put_response};
use pronghorn_http3::{Code, Scope, Side};

use super::MAX_FIELD_SECTION_SIZE;
use super::control::Control;
use super::error::{H3Error, close_if_fatal};
use super::transport::{QuicConnection, ReceiveStream, SendStream};

/// A connection that brings requests. Lives on one thread.
pub struct ServerConnection<C> {
    quic: C,
    control: Rc<Control<C>>,
    accepted: Cell<u64>,
}

impl<C: QuicConnection> ServerConnection<C> {
    /// Takes over a QUIC connection and begins to drive its control streams. Must run inside a
    /// `LocalSet`.
    pub fn start(quic: C) -> ServerConnection<C> {
        let control = Control::start(quic.clone(), Side::Server);
        ServerConnection {
            quic,
            control,
            accepted: Cell::new(0),
        }
    }

    /// Waits for the next request stream. An error is the end of the connection.
    pub async fn accept(&self) -> Result<IncomingRequest<C>, H3Error> {
        let (send, receive) = self.quic.accept_bi().await?;
        self.accepted.set(send.index() + 1);
        Ok(IncomingRequest {
            quic: self.quic.clone(),
            send,
            receive,
        })
    }

    /// Tells the peer that no request is accepted after those that were (GOAWAY, RFC 9114 §5.2).
    pub fn go_away(&self) {
        self.control.go_away(self.accepted.get() * STREAM_ID_STEP);
    }

    /// Ends the connection because it is no longer needed.
    pub fn end(&self) {
        self.quic.end();
    }
}

/// From one request stream's ID to the next one's (RFC 9000 §2.1).
const STREAM_ID_STEP: u64 = 4;

/// All that precedes the content of a response on its stream: its HEADERS frame and, where there are `length` bytes of
/// content, the header of its one DATA frame.
pub fn response_head(
    status: StatusCode,
    headers: &HeaderMap,
    length: usize,
) -> Result<Bytes, EncodeError> {
    let mut head = BytesMut::new();
    put_response(status, headers, &mut head)?;
    if length > 0 {
        put_data_header(length as u64, &mut head);
    }
    Ok(head.freeze())
}

/// One request and the way back.
pub struct IncomingRequest<C: QuicConnection> {
    quic: C,
    send: C::Send,
    receive: C::Receive,
}

impl<C: QuicConnection> IncomingRequest<C> {
    /// The request's place among its connection's requests, from 0.
    pub fn index(&self) -> u64 {
        self.send.index()
    }

    /// Whether the stream came to us before the client's handshake was done, so that the request may be
    /// a replay (RFC 8470 §2).
    pub fn is_early(&self) -> bool {
        self.receive.is_early()
    }

    /// Reads the request to its end; its content is passed over.
    pub async fn request(&mut self) -> Result<request::Parts, H3Error> {
        let mut reader = RequestReader::request(MAX_FIELD_SECTION_SIZE);
        let mut head = None;
        while let Some(mut input) = self.receive.read().await? {
            while let Some(event) = reader
                .next(&mut input)
                .map_err(|error| self.refuse(error))?
            {
                if let Event::Head(parts) = event {
                    head = Some(parts);
                }
            }
        }
        reader.finish().map_err(|error| self.refuse(error))?;
        // `finish` refuses a request without a head, so this is out of reach.
        head.ok_or(H3Error::Reset(Code::RequestIncomplete.to_u64()))
    }

    /// Sets which stream is sent from first: the largest number; equal ones share in turn.
    pub fn prioritise(&mut self, priority: i32) {
        self.send.prioritise(priority);
    }

    /// Hands a whole response to the stack, `head` being that of [`response_head`] for this body; waits where it takes
    /// no more.
    pub async fn respond(&mut self, head: Bytes, body: Bytes) -> Result<(), H3Error> {
        if body.is_empty() {
            self.send.write(&mut [head]).await?;
        } else {
            self.send.write(&mut [head, body]).await?;
        }
        self.send.finish();
        Ok(())
    }

    /// Waits until the peer has the whole response, or wants no more of it.
    pub async fn delivered(&mut self) {
        self.send.delivered().await;
    }

    pub(super) fn into_parts(self) -> (C, C::Send, C::Receive) {
        (self.quic, self.send, self.receive)
    }

    /// Tells the peer what it did wrong, on the stream or by the connection's end.
    fn refuse(&mut self, error: pronghorn_http3::Error) -> H3Error {
        close_if_fatal(&self.quic, &error);
        if error.scope == Scope::Stream {
            self.send.reset(error.code);
            self.receive.stop(error.code);
        }
        error.into()
    }
}
