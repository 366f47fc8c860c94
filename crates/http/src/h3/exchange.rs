//! A request whose content and whose response pass in pieces, as a proxy needs it.

use std::mem;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, request};
use pronghorn_http3::frame::put_data_header;
use pronghorn_http3::message::{Event, RequestReader, put_response};
use pronghorn_http3::{Code, Scope};

use super::MAX_FIELD_SECTION_SIZE;
use super::error::{H3Error, close_if_fatal};
use super::server::IncomingRequest;
use super::transport::{QuicConnection, ReceiveStream, SendStream};

/// The content of a request. It is read off the stream only as it is asked for, so that the peer sends no more than QUIC's
/// flow control lets it.
pub struct RequestContent<C: QuicConnection> {
    quic: C,
    receive: C::Receive,
    reader: RequestReader,
    input: Bytes,
    ended: bool,
}

/// The way back.
pub struct ResponseStream<C: QuicConnection> {
    send: C::Send,
}

impl<C: QuicConnection> IncomingRequest<C> {
    /// Reads the request's head; its content and the response follow in pieces.
    pub async fn begin(
        self,
    ) -> Result<(request::Parts, RequestContent<C>, ResponseStream<C>), H3Error> {
        let (quic, mut send, receive) = self.into_parts();
        let mut content = RequestContent {
            quic,
            receive,
            reader: RequestReader::request(MAX_FIELD_SECTION_SIZE),
            input: Bytes::new(),
            ended: false,
        };
        loop {
            match content.event().await {
                Ok(Some(Event::Head(parts))) => {
                    return Ok((parts, content, ResponseStream { send }));
                }
                Ok(Some(_)) => {}
                // `finish` refuses a request without a head, so this is out of reach.
                Ok(None) => return Err(H3Error::Reset(Code::RequestIncomplete.to_u64())),
                Err(error) => {
                    if let H3Error::Protocol(error) = &error {
                        send.reset(error.code);
                    }
                    return Err(error);
                }
            }
        }
    }
}

impl<C: QuicConnection> RequestContent<C> {
    /// Waits for the next bytes; none at the end. Trailers are passed over.
    pub async fn next(&mut self) -> Result<Option<Bytes>, H3Error> {
        loop {
            match self.event().await? {
                Some(Event::Data(bytes)) => return Ok(Some(bytes)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    /// Tells the peer that the rest is not needed (RFC 9114 §4.1); without effect at the end.
    pub fn stop(mut self) {
        if !self.ended {
            self.receive.stop(Code::NoError);
        }
    }

    async fn event(&mut self) -> Result<Option<Event<request::Parts>>, H3Error> {
        while !self.ended {
            let mut input = mem::take(&mut self.input);
            let event = self.reader.next(&mut input);
            self.input = input;
            if let Some(event) = event.map_err(|error| self.refuse(error))? {
                return Ok(Some(event));
            }
            match self.receive.read().await? {
                Some(bytes) => self.input = bytes,
                None => {
                    self.ended = true;
                    let whole = self.reader.finish();
                    whole.map_err(|error| self.refuse(error))?;
                }
            }
        }
        Ok(None)
    }

    fn refuse(&mut self, error: pronghorn_http3::Error) -> H3Error {
        close_if_fatal(&self.quic, &error);
        if error.scope == Scope::Stream {
            self.receive.stop(error.code);
        }
        error.into()
    }
}

impl<C: QuicConnection> ResponseStream<C> {
    /// Sets which stream is sent from first: the largest number; equal ones share in turn.
    pub fn prioritise(&mut self, priority: i32) {
        self.send.prioritise(priority);
    }

    /// Waits until the peer wants no more of it, or the connection has ended.
    pub async fn unwanted(&mut self) {
        self.send.unwanted().await;
    }

    /// Sends the head.
    pub async fn head(&mut self, status: StatusCode, headers: &HeaderMap) -> Result<(), H3Error> {
        let mut head = BytesMut::new();
        put_response(status, headers, &mut head)?;
        self.send.write(&mut [head.freeze()]).await
    }

    /// Sends a piece of the content; waits where the stack takes no more.
    pub async fn data(&mut self, bytes: Bytes) -> Result<(), H3Error> {
        let mut header = BytesMut::new();
        put_data_header(bytes.len() as u64, &mut header);
        self.send.write(&mut [header.freeze(), bytes]).await
    }

    /// Ends the response and waits until the peer has it.
    pub async fn finish(mut self) {
        self.send.finish();
        self.send.delivered().await;
    }

    /// Breaks it off.
    pub fn reset(mut self, code: Code) {
        self.send.reset(code);
    }
}
