//! Heads of responses of which only what counts is kept, and which are read once.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::StatusCode;

use super::response;
use crate::error::Error;
use crate::qpack;

/// What a client that counts keeps of a response's head, which was validated as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefHead {
    /// The status code.
    pub status: StatusCode,
    /// The length that the content is stated to have, in bytes.
    pub content_length: Option<u64>,
    /// The value of `grpc-status`.
    pub grpc_status: Option<Bytes>,
    /// Bytes of all names and values, decoded; `:status` among them.
    pub bytes: u64,
}

/// Field sections kept at a time, the oldest making room.
const KEPT: usize = 16;
/// Sections above so many bytes are read each time.
const LARGEST: usize = 4096;

/// Field sections of responses that were read before, by their bytes. What a section says depends on nothing else
/// (there is no dynamic table), and a server that answers the same request many times sends the same section, but for
/// `date` once a second. All that read by one of these must have the same limit of a section's size.
///
/// Holds at most 16 sections of at most 4096 bytes, copied.
#[derive(Debug, Default)]
pub struct KnownHeads(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    sections: Vec<(Vec<u8>, BriefHead)>,
    /// Where the next one goes.
    next: usize,
    /// Where the last one was found.
    last: usize,
}

impl KnownHeads {
    /// The head that `section` is; [`qpack::decode`] has the meaning of `limit` and the errors.
    pub(super) fn read(&self, section: &Bytes, limit: u64) -> Result<BriefHead, Error> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = known.find(section) {
            return Ok(head);
        }
        let (head, content_length) = response::raw(qpack::decode(section, limit)?)?;
        let size = |field: &qpack::Field| (field.name.len() + field.value.len()) as u64;
        let grpc_status = head.fields.iter().find(|field| field.name == "grpc-status");
        let head = BriefHead {
            status: head.status,
            content_length,
            grpc_status: grpc_status.map(|field| Bytes::copy_from_slice(&field.value)),
            bytes: head.fields.iter().map(size).sum(),
        };
        if section.len() <= LARGEST {
            known.keep(section, head.clone());
        }
        Ok(head)
    }
}

impl Known {
    fn find(&mut self, section: &[u8]) -> Option<BriefHead> {
        let same = |(known, _): &(Vec<u8>, BriefHead)| known == section;
        if !self.sections.get(self.last).is_some_and(same) {
            self.last = self.sections.iter().position(same)?;
        }
        self.sections.get(self.last).map(|(_, head)| head.clone())
    }

    fn keep(&mut self, section: &[u8], head: BriefHead) {
        let entry = (section.to_vec(), head);
        match self.sections.get_mut(self.next) {
            Some(place) => *place = entry,
            None => self.sections.push(entry),
        }
        self.last = self.next;
        self.next = (self.next + 1) % KEPT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qpack::Field;
    use bytes::BytesMut;

    fn section(fields: &[(&'static str, &str)]) -> Bytes {
        let fields: Vec<Field> = fields
            .iter()
            .map(|&(name, value)| Field::new(name, value.to_owned()))
            .collect();
        let mut out = BytesMut::new();
        qpack::encode(&fields, &mut out);
        out.freeze()
    }

    #[test]
    fn a_head_is_the_same_however_often_it_is_read() {
        let known = KnownHeads::default();
        let ok = section(&[(":status", "200"), ("content-length", "612")]);
        for _ in 0..3 {
            let head = known.read(&ok, 1000).expect("it is well-formed");
            assert_eq!(
                (head.status.as_u16(), head.content_length),
                (200, Some(612))
            );
            assert_eq!(head.bytes, 7 + 3 + 14 + 3);
        }
        assert_eq!(known.0.lock().expect("nobody panicked").sections.len(), 1);
    }

    #[test]
    fn other_sections_are_read_anew_and_few_are_kept() {
        let known = KnownHeads::default();
        for round in 0..2 {
            for length in 0..3 * KEPT as u64 {
                let value = length.to_string();
                let one = section(&[(":status", "404"), ("content-length", &value)]);
                let head = known.read(&one, 1000).expect("it is well-formed");
                assert_eq!(head.content_length, Some(length), "round {round}");
            }
        }
        assert_eq!(
            known.0.lock().expect("nobody panicked").sections.len(),
            KEPT
        );
    }

    #[test]
    fn what_is_malformed_is_refused_each_time() {
        let known = KnownHeads::default();
        let bad = section(&[(":status", "200"), ("Vary", "x")]);
        for _ in 0..2 {
            let error = known.read(&bad, 1000).expect_err("an upper-case name");
            assert_eq!(error.reason, "a field name that is no lower-case token");
        }
        let broken = Bytes::from_static(b"\x00\x00\x51");
        assert!(known.read(&broken, 1000).is_err());
        assert!(known.0.lock().expect("nobody panicked").sections.is_empty());
    }

    #[test]
    fn large_sections_are_read_but_not_kept() {
        let known = KnownHeads::default();
        let large = "~".repeat(LARGEST);
        let one = section(&[(":status", "200"), ("x", &large)]);
        assert!(known.read(&one, 1 << 20).is_ok());
        assert!(known.0.lock().expect("nobody panicked").sections.is_empty());
    }
}
