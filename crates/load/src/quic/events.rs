//! What QUIC tells of a connection, and what follows from it.

use std::time::Instant;

use pronghorn_http::Protocol;
use pronghorn_http3::Error;
use quinn_proto::crypto::rustls::HandshakeData;
use quinn_proto::{ConnectionError, Dir, Side, StreamEvent};

use super::connection::{Early, Phase, QuicConnection};
use super::{code, failure};
use crate::connection::{ConnectionFailure, ConnectionFailureKind, Ending, Event, Handshake};

impl QuicConnection {
    /// Takes in all that has happened.
    pub(super) fn attend(&mut self, now: Instant, events: &mut Vec<Event>) {
        self.turn += 1;
        self.forward();
        while let Some(event) = self.quic.poll() {
            if self.phase == Phase::Over {
                return;
            }
            let outcome = match event {
                quinn_proto::Event::Stream(event) => self.stream_event(event, events),
                quinn_proto::Event::Connected => {
                    self.connected(now, events);
                    Ok(())
                }
                quinn_proto::Event::ConnectionLost { reason } => {
                    self.lost(&reason, events);
                    return;
                }
                quinn_proto::Event::HandshakeDataReady
                | quinn_proto::Event::DatagramReceived
                | quinn_proto::Event::DatagramsUnblocked => Ok(()),
            };
            if let Err(error) = outcome {
                self.refuse(&error, now, events);
            }
        }
    }

    fn stream_event(&mut self, event: StreamEvent, events: &mut Vec<Event>) -> Result<(), Error> {
        let goaway = match event {
            StreamEvent::Readable { id } if id.initiator() == Side::Client => {
                self.read(id, events)?;
                None
            }
            StreamEvent::Readable { id } => self.control.read(&mut self.quic, id)?,
            StreamEvent::Opened { .. } => self.control.accept(&mut self.quic)?,
            StreamEvent::Writable { id } => {
                self.resume(id);
                None
            }
            StreamEvent::Stopped { id, error_code } => {
                self.stopped(id, error_code)?;
                None
            }
            StreamEvent::Available { dir: Dir::Uni } => {
                self.control.open(&mut self.quic);
                None
            }
            // Streams for requests are opened as soon as they can be, whatever made it so.
            StreamEvent::Available { dir: Dir::Bi } | StreamEvent::Finished { .. } => None,
        };
        if let Some(first) = goaway {
            self.goaway(first, events);
        }
        Ok(())
    }

    fn connected(&mut self, now: Instant, events: &mut Vec<Event>) {
        if self.phase != Phase::Handshaking {
            return;
        }
        if !self.agreed_on_h3() {
            let code = code(pronghorn_http3::Code::NoError);
            self.quic.close(now, code, bytes::Bytes::new());
            let failure = ConnectionFailure::new(
                ConnectionFailureKind::Alpn,
                "the server didn't choose `h3` by ALPN",
            );
            self.end(Ending::Failed(failure), events);
            return;
        }
        self.phase = Phase::Connected;
        let offered = self.early != Early::None;
        let early_data_accepted = offered && self.quic.accepted_0rtt();
        events.push(Event::Connected(Handshake {
            resumed: self.resumed,
            early_data_accepted,
        }));
        if offered && !early_data_accepted {
            // The server knows nothing of the streams, ours for control among them.
            self.spare.clear();
            self.control.begin();
            let exchanges = self.exchanges.drain();
            events.extend(exchanges.map(|(_, exchange)| Event::Refused(exchange.ticket)));
        }
        self.control.open(&mut self.quic);
        if self.early != Early::Told {
            events.push(Event::Ready { early: false });
        }
    }

    fn agreed_on_h3(&self) -> bool {
        self.quic
            .crypto_session()
            .handshake_data()
            .and_then(|data| data.downcast::<HandshakeData>().ok())
            .and_then(|data| data.protocol)
            .is_some_and(|alpn| alpn == Protocol::H3.alpn())
    }

    fn lost(&mut self, reason: &ConnectionError, events: &mut Vec<Event>) {
        let connected = self.phase != Phase::Handshaking;
        let in_flight = self.exchanges.len();
        let ending = match failure::of_connection(reason, connected) {
            Some(failure)
                if failure.kind == ConnectionFailureKind::Idle
                    && in_flight == 0
                    && !self.is_forgotten =>
            {
                Ending::Idle
            }
            Some(failure) => Ending::Failed(failure),
            None if in_flight == 0 => Ending::Peer,
            None => Ending::Failed(ConnectionFailure::new(
                ConnectionFailureKind::Reset,
                format!("the server closed the connection with {in_flight} requests in flight"),
            )),
        };
        self.end(ending, events);
    }
}
