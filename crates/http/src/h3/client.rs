//! The client's end.

use std::rc::Rc;

use bytes::{Bytes, BytesMut};
use http::response;
use pronghorn_http3::frame::put_data_header;
use pronghorn_http3::message::{Event, ResponseReader, put_request};
use pronghorn_http3::{Code, Side};

use super::MAX_FIELD_SECTION_SIZE;
use super::control::Control;
use super::error::{H3Error, close_if_fatal};
use super::transport::{QuicConnection, ReceiveStream, SendStream};

/// A connection that takes requests. Lives on one thread; clones are handles of one connection.
#[derive(Clone)]
pub struct ClientConnection<C> {
    quic: C,
    control: Rc<Control<C>>,
}

impl<C: QuicConnection> ClientConnection<C> {
    /// Takes over a QUIC connection and begins to drive its control streams. Must run inside a
    /// `LocalSet`.
    pub fn start(quic: C) -> ClientConnection<C> {
        let control = Control::start(quic.clone(), Side::Client);
        ClientConnection { quic, control }
    }

    /// Begins our control streams anew after the server rejected the early data in which they were
    /// opened. Must run inside a `LocalSet`.
    pub fn reopen(&self) {
        self.control.reopen();
    }

    /// Opens a stream for a request; waits where the server allows no further one yet.
    pub async fn open(&self) -> Result<RequestStream<C>, H3Error> {
        if self.control.peer_goes_away() {
            return Err(H3Error::GoingAway);
        }
        let (send, receive) = self.quic.open_bi().await?;
        Ok(RequestStream {
            quic: self.quic.clone(),
            send,
            receive,
        })
    }
}

/// A stream on which one request may be made.
pub struct RequestStream<C: QuicConnection> {
    quic: C,
    send: C::Send,
    receive: C::Receive,
}

impl<C: QuicConnection> RequestStream<C> {
    /// Sends a request with its content, which may be empty.
    pub async fn send(
        mut self,
        request: &http::Request<()>,
        content: Bytes,
    ) -> Result<Exchange<C>, H3Error> {
        let mut head = BytesMut::new();
        put_request(
            request.method(),
            request.uri(),
            request.headers(),
            &mut head,
        )?;
        if content.is_empty() {
            self.send.write(&mut [head.freeze()]).await?;
        } else {
            put_data_header(content.len() as u64, &mut head);
            self.send.write(&mut [head.freeze(), content]).await?;
        }
        self.send.finish();
        Ok(Exchange {
            quic: self.quic,
            receive: self.receive,
            reader: ResponseReader::response(request.method(), MAX_FIELD_SECTION_SIZE),
            input: Bytes::new(),
            ended: false,
        })
    }
}

/// A request that was sent, and its response as it comes.
pub struct Exchange<C: QuicConnection> {
    quic: C,
    receive: C::Receive,
    reader: ResponseReader,
    input: Bytes,
    ended: bool,
}

impl<C: QuicConnection> Exchange<C> {
    /// Waits for the response's head; informational ones are passed over.
    pub async fn head(&mut self) -> Result<response::Parts, H3Error> {
        loop {
            match self.next().await? {
                Some(Event::Head(head)) => return Ok(head),
                Some(_) => {}
                // `finish` refuses a response without a head, so this is out of reach.
                None => return Err(H3Error::Reset(Code::MessageError.to_u64())),
            }
        }
    }

    /// Waits for the next piece of the content; none at its end. Trailers are passed over.
    pub async fn data(&mut self) -> Result<Option<Bytes>, H3Error> {
        loop {
            match self.next().await? {
                Some(Event::Data(data)) => return Ok(Some(data)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    async fn next(&mut self) -> Result<Option<Event<response::Parts>>, H3Error> {
        loop {
            if let Some(event) = self
                .reader
                .next(&mut self.input)
                .map_err(|e| self.refuse(e))?
            {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            match self.receive.read().await? {
                Some(bytes) => self.input = bytes,
                None => {
                    self.ended = true;
                    self.reader.finish().map_err(|error| self.refuse(error))?;
                }
            }
        }
    }

    /// Tells the peer what it did wrong.
    fn refuse(&self, error: pronghorn_http3::Error) -> H3Error {
        close_if_fatal(&self.quic, &error);
        error.into()
    }
}

impl<C: QuicConnection> Drop for Exchange<C> {
    /// A response that nobody reads to its end is stopped (RFC 9114 §4.1.1).
    fn drop(&mut self) {
        if !self.ended {
            self.receive.stop(Code::RequestCancelled);
        }
    }
}
