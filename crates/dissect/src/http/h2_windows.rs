//! HTTP/2's flow control towards the client (RFC 9113 §5.2, §6.9), in the unit of pieces.
//!
//! Windows count DATA's payload, pieces all bytes of a stream's frames. A limit of so many bytes of content is told
//! as the place in the stream at which that content ends, or would.

use std::collections::BTreeMap;

use super::LimitAt;
use crate::arrivals::Scope;

/// The windows before either end says otherwise (RFC 9113 §6.9.2).
const FIRST: u32 = 65_535;

/// How content lies among the bytes of frames.
#[derive(Debug, Default)]
pub(super) struct Sent {
    streams: BTreeMap<u32, Laid>,
    /// All streams' together, in the order of sending.
    connection: Laid,
}

#[derive(Debug, Default)]
struct Laid {
    /// Runs of content: how much there was before, and where the run begins.
    runs: Vec<(u64, u64)>,
    content: u64,
    bytes: u64,
}

impl Laid {
    fn add(&mut self, at: u64, length: u64) {
        self.runs.push((self.content, at));
        self.content += length;
    }

    /// Where so much content ends.
    fn place(&self, content: u64) -> u64 {
        if content > self.content {
            return self.bytes + (content - self.content);
        }
        let after = self.runs.partition_point(|(before, _)| *before < content);
        match after.checked_sub(1).and_then(|at| self.runs.get(at)) {
            Some((before, at)) => at + (content - before),
            None => 0,
        }
    }
}

impl Sent {
    /// Content of a stream, from the place `at` in it on. Before the frame's bytes are added.
    pub(super) fn add(&mut self, stream: u32, at: u64, length: u64) {
        let before = self.streams.get(&stream).map_or(0, |laid| laid.bytes);
        self.connection
            .add(self.connection.bytes + at.saturating_sub(before), length);
        self.streams.entry(stream).or_default().add(at, length);
    }

    /// A frame of a stream has so many bytes.
    pub(super) fn add_bytes(&mut self, stream: u32, length: u64) {
        self.connection.bytes += length;
        self.streams.entry(stream).or_default().bytes += length;
    }

    fn place(&self, stream: u32, content: u64) -> u64 {
        self.streams
            .get(&stream)
            .map_or(content, |laid| laid.place(content))
    }
}

/// What the client allows so far.
pub(super) struct Windows<'a> {
    sent: &'a Sent,
    initial: u32,
    connection: u64,
    /// What each stream was given beyond the initial window.
    more: BTreeMap<u32, u64>,
    pub(super) limits: Vec<LimitAt>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(sent: &'a Sent) -> Windows<'a> {
        Windows {
            sent,
            initial: FIRST,
            connection: FIRST.into(),
            more: BTreeMap::new(),
            limits: vec![LimitAt {
                at: 0,
                scope: Scope::Connection,
                offset: sent.connection.place(FIRST.into()),
            }],
        }
    }

    /// A request opens a stream.
    pub(super) fn open(&mut self, stream: u32, at: u64) {
        self.more.entry(stream).or_default();
        self.tell(stream, at);
    }

    /// SETTINGS_INITIAL_WINDOW_SIZE, which holds for open streams as well.
    pub(super) fn initial(&mut self, window: u32, at: u64) {
        self.initial = window;
        let open: Vec<u32> = self.more.keys().copied().collect();
        for stream in open {
            self.tell(stream, at);
        }
    }

    /// WINDOW_UPDATE.
    pub(super) fn more(&mut self, stream: u32, bytes: u32, at: u64) {
        if stream == 0 {
            self.connection += u64::from(bytes);
            let offset = self.sent.connection.place(self.connection);
            self.limits.push(LimitAt {
                at,
                scope: Scope::Connection,
                offset,
            });
        } else {
            *self.more.entry(stream).or_default() += u64::from(bytes);
            self.tell(stream, at);
        }
    }

    fn tell(&mut self, stream: u32, at: u64) {
        let content = u64::from(self.initial) + self.more.get(&stream).copied().unwrap_or(0);
        let offset = self.sent.place(stream, content);
        self.limits.push(LimitAt {
            at,
            scope: Scope::Stream(stream.into()),
            offset,
        });
    }
}
