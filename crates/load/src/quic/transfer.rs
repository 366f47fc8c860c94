//! Datagrams between a connection and its socket.

use std::cell::RefCell;
use std::io;
use std::time::Instant;

use bytes::Bytes;
use pronghorn_http::{QuicNotes, ping_along};
use pronghorn_http3::Code;
use quinn_proto::{DatagramEvent, EcnCodepoint};

use super::connection::{Phase, QuicConnection};
use super::{code, failure};
use crate::connection::{ConnectionFailure, Ending, Event};

/// Datagrams that quinn-proto builds at once, to be handed to segmentation offload.
const DATAGRAMS_AT_ONCE: usize = 32;

/// Errors of the socket that are passed over at once.
const PASSED_OVER: usize = 16;

thread_local! {
    /// Where datagrams are built.
    static OUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Datagrams that the kernel had no room for.
pub(super) struct Blocked {
    contents: Vec<u8>,
    segment: Option<usize>,
    ecn: Option<EcnCodepoint>,
}

impl QuicConnection {
    /// Receives a batch of what has come; whether there may be more.
    pub(super) fn receive(&mut self, now: Instant, events: &mut Vec<Event>) -> bool {
        // Notes that others left.
        let _ = QuicNotes::take();
        let mut passed_over = 0;
        let mut more = false;
        while self.phase != Phase::Over {
            let QuicConnection {
                client,
                socket,
                endpoint,
                quic,
                ..
            } = self;
            let received = socket.receive(|datagram, ecn| {
                // Only stateless resets and the like, for which there is no answer, would be written there.
                let mut answer = Vec::new();
                let event = endpoint.handle(now, client.server, None, ecn, datagram, &mut answer);
                if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
                    quic.handle_event(event);
                }
            });
            if self.phase == Phase::Handshaking {
                let notes = QuicNotes::take();
                self.resumed &= notes.certificates == 0;
                self.cipher = notes.cipher().or(self.cipher.take());
            }
            match received {
                Ok(any) => {
                    more = any;
                    self.is_forgotten &= !any;
                    break;
                }
                Err(error) => {
                    let failure = failure::of_socket(&error, self.phase != Phase::Handshaking);
                    self.fail_by(failure, now, events);
                    passed_over += 1;
                    if passed_over == PASSED_OVER {
                        more = true;
                        break;
                    }
                }
            }
        }
        self.attend(now, events);
        more && self.phase != Phase::Over
    }

    /// Sends all that may go now.
    pub(super) fn transmit(&mut self, now: Instant, events: &mut Vec<Event>) {
        if let Err(error) = self.try_transmit(now) {
            let failure = failure::of_sending(&error, self.phase != Phase::Handshaking);
            self.fail_by(failure, now, events);
        }
    }

    pub(super) fn try_transmit(&mut self, now: Instant) -> io::Result<()> {
        if let Some(blocked) = self.blocked.take() {
            if !self
                .socket
                .send(&blocked.contents, blocked.segment, blocked.ecn)?
            {
                self.blocked = Some(blocked);
                return Ok(());
            }
        }
        let at_once = self.socket.segments().min(DATAGRAMS_AT_ONCE);
        let done = OUT.with_borrow_mut(|out| {
            loop {
                out.clear();
                let Some(transmit) = self.quic.poll_transmit(now, at_once, out) else {
                    return Ok(());
                };
                let contents = &out[..transmit.size];
                let segment = transmit.segment_size;
                ping_along(&mut self.quic, contents);
                if !self.socket.send(contents, segment, transmit.ecn)? {
                    self.blocked = Some(Blocked {
                        contents: contents.to_vec(),
                        segment,
                        ecn: transmit.ecn,
                    });
                    return Ok(());
                }
            }
        });
        self.forward();
        done
    }

    /// What the socket says: the connection's end, or nothing that QUIC wouldn't mend.
    fn fail_by(
        &mut self,
        failure: Option<ConnectionFailure>,
        now: Instant,
        events: &mut Vec<Event>,
    ) {
        if let Some(failure) = failure {
            self.quic
                .close(now, code(Code::NoError), Bytes::from_static(b""));
            self.end(Ending::Failed(failure), events);
        }
    }

    /// Carries what the connection has for its endpoint there, and the answers back.
    pub(super) fn forward(&mut self) {
        while let Some(event) = self.quic.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(self.handle, event) {
                self.quic.handle_event(answer);
            }
        }
    }
}
