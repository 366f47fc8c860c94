//! Requests in a pipeline, and the responses that come in their order.

use std::collections::VecDeque;
use std::io;

use bytes::Bytes;
use http::Method;

use super::reader::{Ended, Reader, ResponsePart, Wrong};
use crate::connection::{Detail, Event, FailureKind, Ticket};
use crate::content::{Content, PIECE};
use crate::prepared::Prepared;

/// One connection's requests.
#[derive(Debug, Default)]
pub(crate) struct Client {
    reader: Reader,
    pipeline: VecDeque<Asked>,
    /// How many of them were handed over whole; of the next one nothing, or the beginning.
    sent: usize,
    /// The response that is being read, after its head.
    current: Option<Current>,
    /// The server takes no request after the one that it answers.
    last: bool,
    /// Bytes of content that have come.
    payload: u64,
}

#[derive(Debug)]
struct Asked {
    ticket: Ticket,
    head_only: bool,
    /// What wasn't handed over of it.
    head: Bytes,
    content: Content,
}

#[derive(Debug, Clone, Copy)]
struct Current {
    status: u16,
    header_bytes: u64,
    body_bytes: u64,
}

impl Client {
    /// Further requests that it takes, where so many may be in flight.
    pub(crate) fn room(&self, depth: usize) -> usize {
        if self.last {
            0
        } else {
            depth.saturating_sub(self.pipeline.len())
        }
    }

    /// Bytes of responses' content that have come.
    pub(crate) fn payload(&self) -> u64 {
        self.payload
    }

    /// Appends a request to what is to be sent.
    pub(crate) fn send(&mut self, ticket: Ticket, request: &Prepared, out: &mut Vec<u8>) {
        let follows = self.sent == self.pipeline.len();
        let head = if follows {
            out.extend_from_slice(&request.encoded);
            Bytes::new()
        } else {
            request.encoded.clone()
        };
        let mut content = request.content.clone();
        if follows && !content.is_empty() && out.len() < PIECE {
            // With its head in one packet. What can't be read is told of when it is tried again.
            if let Ok(piece) = content.take(PIECE) {
                out.extend_from_slice(&piece);
            }
        }
        self.sent += usize::from(follows && content.is_empty());
        self.pipeline.push_back(Asked {
            ticket,
            head_only: request.method == Method::HEAD,
            head,
            content,
        });
    }

    /// Appends a piece of what wasn't handed over yet; whether there was any.
    ///
    /// # Errors
    /// Content that can't be read.
    pub(crate) fn put_more(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let before = out.len();
        while let Some(asked) = self.pipeline.get_mut(self.sent) {
            out.extend_from_slice(&std::mem::take(&mut asked.head));
            if !asked.content.is_empty() {
                out.extend_from_slice(&asked.content.take(PIECE)?);
            }
            self.sent += usize::from(asked.content.is_empty());
            if out.len() - before >= PIECE {
                break;
            }
        }
        Ok(out.len() > before)
    }

    /// Takes what has come; whether the connection goes on.
    ///
    /// # Errors
    /// What the server did against the rules; [`Client::fail`] then tells of the requests.
    pub(crate) fn receive(
        &mut self,
        mut bytes: &[u8],
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        loop {
            let Some(Asked {
                ticket, head_only, ..
            }) = self.pipeline.front()
            else {
                if bytes.is_empty() {
                    return Ok(());
                }
                return Err("a response that nobody asked for".into());
            };
            let part = self.reader.next(&mut bytes, *head_only);
            match part.map_err(|wrong: Wrong| Detail::from(wrong.to_string()))? {
                None => return Ok(()),
                Some(ResponsePart::Head {
                    status,
                    header_bytes,
                    last,
                }) => {
                    events.push(Event::FirstByte(*ticket));
                    self.current = Some(Current {
                        status,
                        header_bytes,
                        body_bytes: 0,
                    });
                    if last {
                        self.say_last(events);
                    }
                }
                Some(ResponsePart::Body(length)) => {
                    self.payload += length;
                    if let Some(current) = &mut self.current {
                        current.body_bytes += length;
                    }
                }
                Some(ResponsePart::End) => self.done(events),
            }
        }
    }

    /// The stream has ended; `clean`: in good order, so that its end can be a response's.
    pub(crate) fn end(&mut self, clean: bool, events: &mut Vec<Event>) {
        if self.current.is_none() {
            return;
        }
        match self.reader.end() {
            Ended::Whole if clean => self.done(events),
            Ended::Short if clean => {
                let Some((asked, _)) = self.pop() else {
                    return;
                };
                let came = self.current.take().map_or(0, |current| current.body_bytes);
                events.push(Event::Failed {
                    ticket: asked.ticket,
                    kind: FailureKind::Short,
                    detail: format!("the connection ended after {came} bytes of content").into(),
                });
            }
            _ => {}
        }
    }

    /// Takes all requests out of the pipeline.
    pub(crate) fn abandon(&mut self) -> impl Iterator<Item = Ticket> + '_ {
        self.current = None;
        self.sent = 0;
        self.pipeline.drain(..).map(|asked| asked.ticket)
    }

    /// Takes one request out of the pipeline; whether it was there. The connection has to end.
    pub(crate) fn forget(&mut self, ticket: Ticket) -> bool {
        let at = self
            .pipeline
            .iter()
            .position(|asked| asked.ticket == ticket);
        at.and_then(|at| self.pipeline.remove(at)).is_some()
    }

    /// Takes the request that is answered out of the pipeline; whether some of it wasn't sent.
    fn pop(&mut self) -> Option<(Asked, bool)> {
        let asked = self.pipeline.pop_front()?;
        let early = self.sent == 0;
        self.sent = self.sent.saturating_sub(1);
        Some((asked, early))
    }

    /// The server said that it won't answer what comes after (RFC 9112 §9.6).
    fn say_last(&mut self, events: &mut Vec<Event>) {
        if self.last {
            return;
        }
        self.last = true;
        events.push(Event::GoingAway);
        self.sent = self.sent.min(1);
        let unanswered = self.pipeline.drain(1..);
        events.extend(unanswered.map(|asked| Event::Refused(asked.ticket)));
    }

    fn done(&mut self, events: &mut Vec<Event>) {
        if self.sent == 0 {
            // What comes after the unsent content would be taken for it (RFC 9112 §9.3).
            self.say_last(events);
        }
        let (Some((asked, early)), Some(current)) = (self.pop(), self.current.take()) else {
            return;
        };
        events.push(Event::Done {
            ticket: asked.ticket,
            status: current.status,
            header_bytes: current.header_bytes,
            grpc: self.reader.grpc().of(current.body_bytes),
            early,
        });
    }
}
