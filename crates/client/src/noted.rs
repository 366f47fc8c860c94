//! A resource's record while its request goes on.

use pronghorn_page::Kind;

use crate::priority::Priority;
use crate::record::ResourceRecord;
use crate::transport::Event;

/// What is known of a request before it is made.
pub(crate) struct About {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) kind: Kind,
    pub(crate) initiator: Option<String>,
    pub(crate) priority: Priority,
}

impl ResourceRecord {
    /// Of a request that was found to be needed at `start_s`.
    pub(crate) fn new(about: About, start_s: f64) -> ResourceRecord {
        ResourceRecord {
            method: about.method,
            path: about.path,
            kind: about.kind,
            initiator: about.initiator,
            priority: about.priority,
            protocol: None,
            status: None,
            bytes: 0,
            content_coding: None,
            connection: None,
            start_s,
            request_s: None,
            too_early_s: None,
            first_byte_s: None,
            last_byte_s: None,
            error: None,
        }
    }

    /// Enters what happened at `at_s`, but for an end, which may turn out to be a failure.
    pub(crate) fn note(&mut self, event: &Event, at_s: f64) {
        match event {
            Event::Sent { connection } => {
                self.connection = Some(*connection);
                if self.too_early_s.is_none() {
                    self.request_s = Some(at_s);
                }
            }
            Event::TooEarly => self.too_early_s = Some(at_s),
            Event::Head(head) => {
                self.protocol = head.protocol;
                self.status = Some(head.status);
                self.first_byte_s = Some(at_s);
            }
            Event::Data(bytes) => self.bytes += bytes.len() as u64,
            Event::End | Event::Failed(_) | Event::Due => {}
        }
    }
}
