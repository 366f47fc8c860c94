//! Requests on their streams, and what the server says to them.

use pronghorn_http3::{Code, Error, Scope};
use quinn_proto::{Dir, ReadError, StreamId, VarInt};

use super::code;
use super::connection::{Phase, QuicConnection};
use super::exchanges::{Exchange, Unsent, Upload};
use crate::connection::{Event, FailureKind, Ticket};
use crate::content::PIECE;
use crate::prepared::Prepared;

/// The status by which a server asks for a request once more, after the handshake (RFC 8470 §5.2).
const TOO_EARLY: u16 = 425;

/// Where a response is after a look at its stream.
enum Progress {
    Waiting,
    Ended,
    Reset(VarInt),
}

impl QuicConnection {
    /// Opens streams for as many requests as may follow.
    pub(super) fn open_spare(&mut self) {
        if self.going_away || self.phase == Phase::Over {
            return;
        }
        while self.exchanges.len() + self.spare.len() < self.client.streams {
            let Some(id) = self.quic.streams().open(Dir::Bi) else {
                return;
            };
            self.spare.push_back(id);
            self.allowed = self.allowed.max(self.exchanges.len() + self.spare.len());
        }
    }

    /// Puts a request on the next stream; none where there is no room.
    pub(super) fn begin(&mut self, ticket: Ticket, request: &Prepared) -> Option<StreamId> {
        let Some(id) = self.spare.pop_front() else {
            self.turned_away.push(ticket);
            return None;
        };
        let early = self.phase == Phase::Handshaking;
        let mut exchange = Exchange::new(ticket, request, early, self.known.clone());
        exchange.upload = self.write(
            id,
            Unsent {
                piece: request.encoded.clone(),
                content: request.content.clone(),
            },
        );
        self.exchanges.insert(id, exchange);
        Some(id)
    }

    /// Writes as much as the server has a window for.
    fn write(&mut self, id: StreamId, mut unsent: Unsent) -> Upload {
        let mut stream = self.quic.send_stream(id);
        loop {
            while !unsent.piece.is_empty() {
                match stream.write_chunks(std::slice::from_mut(&mut unsent.piece)) {
                    Ok(_) => {}
                    Err(quinn_proto::WriteError::Blocked) => {
                        return Upload::Waiting(Box::new(unsent));
                    }
                    // The server doesn't want the rest, but may well answer.
                    Err(_) => return Upload::Unwanted,
                }
            }
            if unsent.content.is_empty() {
                break;
            }
            match unsent.content.take(PIECE) {
                Ok(piece) => unsent.piece = piece,
                Err(error) => {
                    self.unreadable = Some(error);
                    return Upload::Waiting(Box::new(unsent));
                }
            }
        }
        // Only a stream that was stopped can refuse.
        let _ = stream.finish();
        Upload::Whole
    }

    /// Goes on with a request whose stream has a window again.
    pub(super) fn resume(&mut self, id: StreamId) {
        let Some(exchange) = self.exchanges.get_mut(&id) else {
            return;
        };
        match std::mem::replace(&mut exchange.upload, Upload::Whole) {
            Upload::Waiting(unsent) => {
                let upload = self.write(id, *unsent);
                if let Some(exchange) = self.exchanges.get_mut(&id) {
                    exchange.upload = upload;
                }
            }
            upload => exchange.upload = upload,
        }
    }

    /// The server doesn't want the rest of a request.
    ///
    /// # Errors
    /// It doesn't want one of the streams that the connection needs (RFC 9114 §6.2.1, RFC 9204 §4.2).
    pub(super) fn stopped(&mut self, id: StreamId, reason: VarInt) -> Result<(), Error> {
        if id.dir() == Dir::Uni {
            return Err(Error {
                code: Code::ClosedCriticalStream,
                reason: "a control or QPACK stream was stopped",
                scope: Scope::Connection,
            });
        }
        if let Some(exchange) = self.exchanges.get_mut(&id) {
            exchange.stop();
        }
        // A stream that is through already refuses.
        let _ = self.quic.send_stream(id).reset(reason);
        Ok(())
    }

    /// Reads what has come of a response.
    ///
    /// # Errors
    /// What costs the connection.
    pub(super) fn read(&mut self, id: StreamId, events: &mut Vec<Event>) -> Result<(), Error> {
        let Some(exchange) = self.exchanges.get_mut(&id) else {
            return Ok(());
        };
        // Whatever came by now was read with the first word of it.
        if std::mem::replace(&mut exchange.turn, self.turn) == self.turn {
            return Ok(());
        }
        let before = exchange.body_bytes;
        let mut stream = self.quic.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else {
            return Ok(());
        };
        let mut ended = false;
        let progress = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    if let Err(error) = exchange.take(chunk.bytes) {
                        break Err(error);
                    }
                }
                Ok(None) => {
                    ended = true;
                    break exchange.finish().map(|()| Progress::Ended);
                }
                Err(ReadError::Blocked) => break Ok(Progress::Waiting),
                Err(ReadError::Reset(reason)) => break Ok(Progress::Reset(reason)),
            }
        };
        // What there is to send goes with the next flush.
        let _ = chunks.finalize();
        self.payload += exchange.body_bytes - before;
        match progress {
            Ok(Progress::Waiting) => {
                if exchange.status != 0 && !exchange.begun {
                    exchange.begun = true;
                    events.push(Event::FirstByte(exchange.ticket));
                }
            }
            Ok(Progress::Ended) => self.done(id, events),
            Ok(Progress::Reset(reason)) => self.reset(id, reason, events),
            Err(error) => self.broken(id, &error, ended, events)?,
        }
        Ok(())
    }

    fn done(&mut self, id: StreamId, events: &mut Vec<Event>) {
        let Some(mut exchange) = self.exchanges.remove(&id) else {
            return;
        };
        let mut stream = self.quic.send_stream(id);
        if let Ok(Some(_)) = stream.stopped() {
            // That came together with the response's end, and is yet to be told.
            exchange.stop();
        }
        if let Upload::Waiting(_) = exchange.upload {
            // The response is whole without the rest of the request (RFC 9114 §4.1).
            let _ = stream.reset(code(Code::RequestCancelled));
        }
        let ticket = exchange.ticket;
        events.push(match exchange.status {
            TOO_EARLY if exchange.early => Event::Refused(ticket),
            status => Event::Done {
                ticket,
                status,
                header_bytes: exchange.header_bytes,
                grpc: exchange.grpc.of(exchange.body_bytes),
                early: !matches!(exchange.upload, Upload::Whole),
            },
        });
    }

    fn reset(&mut self, id: StreamId, reason: VarInt, events: &mut Vec<Event>) {
        let Some(exchange) = self.exchanges.remove(&id) else {
            return;
        };
        let _ = self
            .quic
            .send_stream(id)
            .reset(code(Code::RequestCancelled));
        let ticket = exchange.ticket;
        events.push(match Code::from_u64(reason.into_inner()) {
            Code::RequestRejected => Event::Refused(ticket),
            reason => Event::Failed {
                ticket,
                kind: FailureKind::Reset,
                detail: format!("the server reset the stream with {reason}").into(),
            },
        });
    }

    /// A response is against the rules; `ended`: in that its stream ended where it did.
    fn broken(
        &mut self,
        id: StreamId,
        error: &Error,
        ended: bool,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        let Some(exchange) = self.exchanges.remove(&id) else {
            return Ok(());
        };
        let kind = if ended && exchange.is_short() {
            FailureKind::Short
        } else {
            FailureKind::Protocol
        };
        events.push(Event::Failed {
            ticket: exchange.ticket,
            kind,
            detail: error.to_string().into(),
        });
        match error.scope {
            Scope::Connection => Err(error.clone()),
            Scope::Stream => {
                self.abandon(id, error.code);
                Ok(())
            }
        }
    }

    /// Forgets a request and tells the server that its response isn't wanted.
    pub(super) fn forget(&mut self, id: StreamId) {
        if self.exchanges.remove(&id).is_some() {
            self.is_forgotten = true;
            self.abandon(id, Code::RequestCancelled);
        }
    }

    /// The server takes no requests from the stream `first` on.
    pub(super) fn goaway(&mut self, first: u64, events: &mut Vec<Event>) {
        if !std::mem::replace(&mut self.going_away, true) {
            events.push(Event::GoingAway);
        }
        self.spare.clear();
        let unprocessed: Vec<StreamId> = self
            .exchanges
            .keys()
            .copied()
            .filter(|&id| u64::from(id) >= first)
            .collect();
        for id in unprocessed {
            if let Some(exchange) = self.exchanges.remove(&id) {
                self.abandon(id, Code::RequestCancelled);
                events.push(Event::Refused(exchange.ticket));
            }
        }
    }

    fn abandon(&mut self, id: StreamId, reason: Code) {
        // Either may be over already.
        let _ = self.quic.recv_stream(id).stop(code(reason));
        let _ = self.quic.send_stream(id).reset(code(reason));
    }
}
