//! The records of one direction (RFC 8446 §5, RFC 5246 §6.2), opened in their order.

use std::ops::Range;

use super::messages::{self, kind};
use crate::reader::Reader;
use crate::suite::{Opener, Suite};

/// Bytes of a record's header.
const HEADER: usize = 5;

mod content {
    pub(super) const CHANGE_CIPHER_SPEC: u8 = 20;
    pub(super) const ALERT: u8 = 21;
    pub(super) const HANDSHAKE: u8 = 22;
    pub(super) const APPLICATION: u8 = 23;
}

/// Bytes of the layer above, and where on the layer below they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// In the layer above.
    pub(crate) above: u64,
    /// On the layer below.
    pub(crate) below: u64,
    pub(crate) length: u64,
}

/// A handshake message, or a change of the cipher, where it lies on the layer below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) name: &'static str,
    pub(crate) below: Range<u64>,
}

/// What a direction holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    /// The application's bytes.
    pub(crate) bytes: Vec<u8>,
    /// Where they lie, in order.
    pub(crate) spans: Vec<Span>,
    pub(crate) messages: Vec<Message>,
    /// Bodies of the handshake's messages by their types.
    pub(crate) handshake: Vec<(u8, Vec<u8>)>,
    /// Records that no secret opened.
    pub(crate) undecrypted: u64,
    /// How many of the application's bytes came as early data.
    pub(crate) early: usize,
}

impl Layer {
    /// Bytes that stand as they are.
    pub(crate) fn clear(bytes: &[u8]) -> Layer {
        let mut layer = Layer::default();
        layer.add(bytes, 0);
        layer
    }

    fn add(&mut self, bytes: &[u8], below: u64) {
        let above = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        self.spans.push(Span {
            above,
            below,
            length: bytes.len() as u64,
        });
    }

    /// Where a byte of the application's lies on the layer below.
    pub(crate) fn below(&self, above: u64) -> Option<u64> {
        let at = self
            .spans
            .partition_point(|span| span.above + span.length <= above);
        let span = self.spans.get(at)?;
        Some(span.below + (above - span.above))
    }

    /// Leaves out what came as early data, which the server didn't take.
    pub(crate) fn forget_early(&mut self) {
        self.bytes.drain(..self.early);
        let early = self.early as u64;
        self.spans.retain_mut(|span| {
            let kept = span.above >= early;
            span.above = span.above.saturating_sub(early);
            kept
        });
    }

    pub(crate) fn message(&self, kind: u8) -> Option<&[u8]> {
        self.handshake
            .iter()
            .find(|(found, _)| *found == kind)
            .map(|(_, body)| body.as_slice())
    }
}

/// What opens the records of one direction, epoch by epoch.
pub(crate) enum Protection {
    /// Nothing is known: handshake messages in the clear are read, all else counts as not opened.
    None,
    /// TLS 1.3: the secrets of its epochs, in order; the first is early data's where `early`.
    Stages {
        suite: Suite,
        secrets: Vec<Vec<u8>>,
        early: bool,
    },
    /// TLS 1.2: the key and what the nonce is made from, which hold after ChangeCipherSpec.
    Key { suite: Suite, opener: Opener },
}

/// Opens all records in the bytes of a direction.
pub(crate) fn open(bytes: &[u8], protection: Protection) -> Layer {
    let mut opening = Opening {
        layer: Layer::default(),
        protection,
        epoch: None,
        number: 0,
        changed: false,
        pending: Vec::new(),
        places: Vec::new(),
    };
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + HEADER) {
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        let Some(body) = bytes.get(at + HEADER..at + HEADER + length) else {
            break;
        };
        opening.record(header, body, (at + HEADER) as u64);
        at += HEADER + length;
    }
    opening.layer
}

/// What the keys of one epoch of TLS 1.3 open: early data, the handshake or what comes after it.
struct Epoch {
    place: usize,
    secret: Vec<u8>,
    opener: Opener,
}

struct Opening {
    layer: Layer,
    protection: Protection,
    epoch: Option<Epoch>,
    /// Of the next record under the key at hand.
    number: u64,
    /// Whether ChangeCipherSpec was seen.
    changed: bool,
    /// Handshake bytes that are no whole message yet, and where they lie.
    pending: Vec<u8>,
    places: Vec<Span>,
}

impl Opening {
    fn record(&mut self, header: &[u8], body: &[u8], below: u64) {
        let outer = header[0];
        if outer == content::CHANGE_CIPHER_SPEC {
            let name = "ChangeCipherSpec";
            self.layer.messages.push(Message {
                name,
                below: below..below + body.len() as u64,
            });
            self.changed = true;
            return;
        }
        let sealed = match self.protection {
            Protection::Key { .. } => self.changed,
            _ => outer == content::APPLICATION,
        };
        if !sealed {
            if outer == content::HANDSHAKE {
                self.handshake(body, below);
            }
            return;
        }
        match self.unseal(header, body) {
            Some((kind, plain, skipped)) => self.take(kind, &plain, below + skipped as u64),
            None => self.layer.undecrypted += 1,
        }
    }

    /// Type and content of a sealed record, and how many bytes stand before these.
    fn unseal(&mut self, header: &[u8], body: &[u8]) -> Option<(u8, Vec<u8>, usize)> {
        match &self.protection {
            Protection::None => None,
            Protection::Key { suite, opener } => {
                let (explicit_len, _) = suite.nonce_1_2();
                let (explicit, sealed) = body.split_at_checked(explicit_len)?;
                let length = sealed.len().checked_sub(crate::suite::TAG)?;
                let number = self.number.to_be_bytes();
                let length = u16::try_from(length).ok()?.to_be_bytes();
                let aad = [&number[..], &header[..3], &length[..]];
                let plain = match explicit.try_into() {
                    Ok(explicit) => opener.open_explicit(explicit, &aad, sealed)?,
                    Err(_) => opener.open(self.number, &aad, sealed)?,
                };
                self.number += 1;
                Some((header[0], plain, explicit_len))
            }
            Protection::Stages { suite, secrets, .. } => {
                let place = self.epoch.as_ref().map_or(0, |epoch| epoch.place);
                if let Some(epoch) = &self.epoch {
                    if let Some(plain) = epoch.opener.open(self.number, &[header], body) {
                        self.number += 1;
                        return inner(plain);
                    }
                }
                let first = self.epoch.as_ref().map_or(0, |_| place + 1);
                for (place, secret) in secrets.iter().enumerate().skip(first) {
                    let opener = suite.opener(secret, "")?;
                    if let Some(plain) = opener.open(0, &[header], body) {
                        self.epoch = Some(Epoch {
                            place,
                            secret: secret.clone(),
                            opener,
                        });
                        self.number = 1;
                        return inner(plain);
                    }
                }
                None
            }
        }
    }

    fn take(&mut self, kind: u8, plain: &[u8], below: u64) {
        match kind {
            content::HANDSHAKE => self.handshake(plain, below),
            content::APPLICATION => {
                self.layer.add(plain, below);
                let early = matches!(&self.protection, Protection::Stages { early: true, .. })
                    && self.epoch.as_ref().is_some_and(|epoch| epoch.place == 0);
                if early {
                    self.layer.early = self.layer.bytes.len();
                }
            }
            content::ALERT => {
                let below = below..below + plain.len() as u64;
                self.layer.messages.push(Message {
                    name: "alert",
                    below,
                });
            }
            _ => {}
        }
    }

    fn handshake(&mut self, bytes: &[u8], below: u64) {
        let length = bytes.len() as u64;
        self.places.push(Span {
            above: self.pending.len() as u64,
            below,
            length,
        });
        self.pending.extend_from_slice(bytes);
        let mut read = 0;
        while let Some((kind, body, length)) = messages::split(&self.pending[read..]) {
            let body = body.to_vec();
            let (first, last) = (self.place(read), self.place(read + length - 1));
            self.layer.messages.push(Message {
                name: messages::name(kind),
                below: first..last + 1,
            });
            read += length;
            if kind == kind::KEY_UPDATE {
                self.update();
            }
            self.layer.handshake.push((kind, body));
        }
        self.pending.drain(..read);
        let read = read as u64;
        self.places.retain_mut(|place| {
            let cut = read.saturating_sub(place.above).min(place.length);
            place.above = (place.above + cut).saturating_sub(read);
            place.below += cut;
            place.length -= cut;
            place.length > 0
        });
    }

    /// Where a byte of the pending ones lies.
    fn place(&self, at: usize) -> u64 {
        let at = at as u64;
        let span = self
            .places
            .iter()
            .find(|span| (span.above..span.above + span.length).contains(&at));
        span.map_or(0, |span| span.below + at - span.above)
    }

    /// The keys change with the next record (RFC 8446 §4.6.3).
    fn update(&mut self) {
        let Protection::Stages { suite, .. } = &self.protection else {
            return;
        };
        if let Some(epoch) = &mut self.epoch {
            let next = suite.next_secret(&epoch.secret, "traffic upd");
            if let Some((secret, opener)) =
                next.and_then(|next| Some((next.clone(), suite.opener(&next, "")?)))
            {
                (epoch.secret, epoch.opener) = (secret, opener);
                self.number = 0;
            }
        }
    }
}

/// TLS 1.3's inner plaintext: content, its type, zeros (RFC 8446 §5.2).
fn inner(mut plain: Vec<u8>) -> Option<(u8, Vec<u8>, usize)> {
    let last = plain.iter().rposition(|byte| *byte != 0)?;
    let kind = plain[last];
    plain.truncate(last);
    Some((kind, plain, 0))
}

/// The first whole message of a direction in the clear.
pub(super) fn first_message(bytes: &[u8], wanted: u8) -> Option<Vec<u8>> {
    let layer = open(bytes, Protection::None);
    layer.message(wanted).map(<[u8]>::to_vec)
}

/// Whether the bytes begin as TLS does: a handshake record of a version that there is.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let mut rest = Reader(bytes);
    rest.u8() == Some(content::HANDSHAKE) && rest.u8() == Some(3)
}
