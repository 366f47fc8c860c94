//! What is spoken over a TCP connection.

use std::io;

use pronghorn_http::Protocol;

use crate::connection::{Detail, Event, Stream, Ticket};
use crate::endpoint::Endpoint;
use crate::prepared::Prepared;
use crate::{h1, h2};

/// HTTP/1.1 or HTTP/2.
pub(super) enum Spoken {
    H1(h1::Client),
    H2(Box<h2::Client>),
}

impl Spoken {
    /// A new conversation; what it begins with is appended to `out`.
    pub(super) fn begin(endpoint: &Endpoint, out: &mut Vec<u8>) -> Spoken {
        match endpoint.protocol {
            Protocol::H1 => Spoken::H1(h1::Client::default()),
            _ => Spoken::H2(Box::new(h2::Client::new(endpoint.knobs, out))),
        }
    }

    /// Further requests that the peer allows now, where so many are asked for at a time.
    pub(super) fn room(&self, streams: usize) -> usize {
        match self {
            Spoken::H1(client) => client.room(streams),
            Spoken::H2(client) => client.room(streams),
        }
    }

    /// Appends a request to what is to be sent; gives its stream, of which HTTP/1.1 has none.
    pub(super) fn send(&mut self, ticket: Ticket, request: &Prepared, out: &mut Vec<u8>) -> Stream {
        match self {
            Spoken::H1(client) => {
                client.send(ticket, request, out);
                0
            }
            Spoken::H2(client) => client.send(ticket, request, out).into(),
        }
    }

    /// Appends a piece of the requests' content that wasn't handed over yet; whether there was any that may go.
    ///
    /// # Errors
    /// Content that can't be read.
    pub(super) fn put_more(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        match self {
            Spoken::H1(client) => client.put_more(out),
            Spoken::H2(client) => client.put_more(out),
        }
    }

    /// How many requests the peer allows at a time, if it has said so.
    pub(super) fn allowed(&self) -> Option<u64> {
        match self {
            Spoken::H1(_) => None,
            Spoken::H2(client) => client.allowed(),
        }
    }

    /// Bytes of responses' content that have come.
    pub(super) fn payload(&self) -> u64 {
        match self {
            Spoken::H1(client) => client.payload(),
            Spoken::H2(client) => client.payload(),
        }
    }

    /// Takes what has come.
    ///
    /// # Errors
    /// What the server did against the rules.
    pub(super) fn receive(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        match self {
            Spoken::H1(client) => client.receive(bytes, events),
            Spoken::H2(client) => client.receive(bytes, out, events),
        }
    }

    /// The stream has ended; `clean`: in good order.
    pub(super) fn end(&mut self, clean: bool, events: &mut Vec<Event>) {
        if let Spoken::H1(client) = self {
            client.end(clean, events);
        }
    }

    /// What the peer said as it went away; HTTP/1.1 says nothing.
    pub(super) fn farewell(&self) -> Option<&h2::Farewell> {
        match self {
            Spoken::H1(_) => None,
            Spoken::H2(client) => client.farewell(),
        }
    }

    /// Takes out all requests in flight.
    pub(super) fn abandon(&mut self) -> Vec<Ticket> {
        match self {
            Spoken::H1(client) => client.abandon().collect(),
            Spoken::H2(client) => client.abandon(),
        }
    }

    /// Takes out one request and tells the peer, where the protocol can; whether the connection goes on.
    pub(super) fn cancel(&mut self, ticket: Ticket, stream: Stream, out: &mut Vec<u8>) -> bool {
        match self {
            Spoken::H1(client) => !client.forget(ticket),
            Spoken::H2(client) => {
                if let Ok(identifier) = u32::try_from(stream) {
                    client.cancel(identifier, out);
                }
                true
            }
        }
    }
}
