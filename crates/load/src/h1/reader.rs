//! Responses read from a stream of bytes that may be cut anywhere.

use httparse::{EMPTY_HEADER, Header, ParserConfig, Response, Status};

use crate::decimal::decimal;
use crate::grpc::{self, GrpcStatus};

/// The most fields of a head.
const MOST_FIELDS: usize = 128;
/// The longest head, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;
/// The longest line of a chunk's size, in bytes.
const LONGEST_CHUNK_LINE: usize = 4096;

/// What a piece of the stream held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponsePart {
    /// A response's head; interim ones (1xx) are passed over.
    Head {
        /// Its status.
        status: u16,
        /// Its bytes, from the status line to the empty line.
        header_bytes: u64,
        /// Whether the server takes no request after the one that this answers.
        last: bool,
    },
    /// So many bytes of content; framing isn't counted.
    Body(u64),
    /// The response's end.
    End,
}

/// A response against the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Wrong {
    /// No head.
    #[error("no response of HTTP/1.1: {0}")]
    Head(httparse::Error),
    /// A number that is no status.
    #[error("the status {0:03}, where 100 to 599 are allowed")]
    Status(u16),
    /// A head beyond all measure.
    #[error("a head of more than {LONGEST_HEAD} bytes")]
    Long,
    /// Lengths that are none or that contradict each other.
    #[error("a content-length that is none, or two that differ")]
    Length,
    /// A coding that ends nowhere.
    #[error("a transfer coding other than chunked")]
    Coding,
    /// Chunks that are none.
    #[error("broken chunks")]
    Chunk,
    /// A switch that nobody asked for.
    #[error("an unasked switch of protocols (101)")]
    Switch,
}

/// How the stream's end met the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was the response's end as well.
    Whole,
    /// Less than the stated content had come.
    Short,
    /// No head, or not all of one, had come.
    BeforeHead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    Length(u64),
    UntilClose,
    ChunkLine,
    Chunk(u64),
    /// The line's end after a chunk: so many bytes of it have come.
    ChunkEnd(u8),
    /// Trailers.
    Trailer,
    End,
}

/// Reads one response after the other.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
    /// The beginning of a head or of a chunk's line whose rest is to come.
    pending: Vec<u8>,
    /// Bytes of trailers so far.
    trailers: usize,
    grpc: GrpcStatus,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            state: State::Head,
            pending: Vec::new(),
            trailers: 0,
            grpc: GrpcStatus::default(),
        }
    }
}

impl Reader {
    /// The next part in `bytes`, which are taken off the front; none where they hold none, and all of them were taken.
    /// `head_only`: whether the response that is read answers a HEAD request.
    ///
    /// # Errors
    /// [`Wrong`]; afterwards nothing can be read.
    pub(super) fn next(
        &mut self,
        bytes: &mut &[u8],
        head_only: bool,
    ) -> Result<Option<ResponsePart>, Wrong> {
        loop {
            match self.state {
                State::End => {
                    self.state = State::Head;
                    return Ok(Some(ResponsePart::End));
                }
                _ if bytes.is_empty() => return Ok(None),
                State::Head => match self.head(bytes, head_only)? {
                    Some(head) => return Ok(Some(head)),
                    None => continue,
                },
                State::Length(left) => {
                    let taken = take(bytes, left);
                    self.state = match left - taken {
                        0 => State::End,
                        left => State::Length(left),
                    };
                    return Ok(Some(ResponsePart::Body(taken)));
                }
                State::UntilClose => {
                    return Ok(Some(ResponsePart::Body(take(bytes, u64::MAX))));
                }
                State::ChunkLine => {
                    if let Some(size) = self.chunk_line(bytes)? {
                        self.state = match size {
                            0 => State::Trailer,
                            size => State::Chunk(size),
                        };
                    }
                }
                State::Chunk(left) => {
                    let taken = take(bytes, left);
                    self.state = match left - taken {
                        0 => State::ChunkEnd(0),
                        left => State::Chunk(left),
                    };
                    return Ok(Some(ResponsePart::Body(taken)));
                }
                State::ChunkEnd(came) => {
                    let byte = first(bytes);
                    self.state = match (came, byte) {
                        (0, Some(b'\r')) => State::ChunkEnd(1),
                        (1, Some(b'\n')) => State::ChunkLine,
                        _ => return Err(Wrong::Chunk),
                    };
                }
                State::Trailer => self.trailer(bytes)?,
            }
        }
    }

    /// What the stream's end means for the response that was being read.
    #[must_use]
    pub(super) fn end(&self) -> Ended {
        match self.state {
            State::Head | State::End => Ended::BeforeHead,
            State::UntilClose => Ended::Whole,
            _ => Ended::Short,
        }
    }

    /// What gRPC says of the response that was read last.
    pub(super) fn grpc(&self) -> GrpcStatus {
        self.grpc
    }

    /// Reads a head; none where its rest is to come, or where it is an interim one.
    fn head(&mut self, bytes: &mut &[u8], head_only: bool) -> Result<Option<ResponsePart>, Wrong> {
        let before = self.pending.len();
        if before > 0 {
            self.pending.extend_from_slice(bytes);
        }
        let whole = if before > 0 {
            &self.pending[..]
        } else {
            *bytes
        };
        let mut fields = [EMPTY_HEADER; MOST_FIELDS];
        let mut response = Response::new(&mut fields);
        // A line that goes on in the next one counts as one with spaces (RFC 9112 §5.2).
        let mut parser = ParserConfig::default();
        parser.allow_obsolete_multiline_headers_in_responses(true);
        let parsed = parser.parse_response(&mut response, whole);
        let length = match parsed.map_err(Wrong::Head)? {
            Status::Complete(length) if length > LONGEST_HEAD => return Err(Wrong::Long),
            Status::Complete(length) => length,
            Status::Partial if whole.len() > LONGEST_HEAD => return Err(Wrong::Long),
            Status::Partial => {
                if before == 0 {
                    self.pending.extend_from_slice(bytes);
                }
                *bytes = &[];
                return Ok(None);
            }
        };
        let status = response.code.unwrap_or_default();
        let framing = Framing::of(response.headers, response.version == Some(0))?;
        // What was pending is older than all of `bytes`, and wasn't the whole head.
        *bytes = bytes.get(length - before..).unwrap_or_default();
        self.grpc = framing.grpc;
        self.pending.clear();
        self.state = match status {
            101 => return Err(Wrong::Switch),
            100..=199 => return Ok(None),
            // RFC 9110 §15; two or four digits httparse refuses.
            ..100 | 600.. => return Err(Wrong::Status(status)),
            204 | 304 => State::End,
            _ if head_only => State::End,
            _ => framing.body()?,
        };
        Ok(Some(ResponsePart::Head {
            status,
            header_bytes: length as u64,
            last: framing.last || self.state == State::UntilClose,
        }))
    }

    /// Reads the line before a chunk; none where its rest is to come.
    fn chunk_line(&mut self, bytes: &mut &[u8]) -> Result<Option<u64>, Wrong> {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let (line, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        *bytes = rest;
        if self.pending.len() + line.len() > LONGEST_CHUNK_LINE {
            return Err(Wrong::Chunk);
        }
        self.pending.extend_from_slice(line);
        if end.is_none() {
            return Ok(None);
        }
        let read = httparse::parse_chunk_size(&self.pending);
        let Ok(Status::Complete((_, size))) = read else {
            return Err(Wrong::Chunk);
        };
        self.pending.clear();
        Ok(Some(size))
    }

    /// Takes a trailer that has come whole.
    fn trailer_line(&mut self) {
        let mut parts = self.pending.splitn(2, |&byte| byte == b':');
        if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            if name.eq_ignore_ascii_case(grpc::FIELD.as_bytes()) {
                self.grpc.in_trailers(value.trim_ascii());
            }
        }
        self.pending.clear();
    }

    /// Reads trailers, to the empty line after them.
    fn trailer(&mut self, bytes: &mut &[u8]) -> Result<(), Wrong> {
        while let Some(byte) = first(bytes) {
            self.trailers += 1;
            if self.trailers > LONGEST_HEAD {
                return Err(Wrong::Long);
            }
            match byte {
                b'\n' if self.pending.is_empty() => {
                    self.trailers = 0;
                    self.state = State::End;
                    return Ok(());
                }
                b'\n' => self.trailer_line(),
                b'\r' => {}
                _ => self.pending.push(byte),
            }
        }
        Ok(())
    }
}

/// How long a response's content is, as its head says (RFC 9112 §6.3).
#[derive(Debug, Default)]
struct Framing {
    length: Option<u64>,
    coded: bool,
    chunked: bool,
    last: bool,
    grpc: GrpcStatus,
}

impl Framing {
    fn of(fields: &[Header<'_>], version_1_0: bool) -> Result<Framing, Wrong> {
        let mut framing = Framing {
            last: version_1_0,
            ..Framing::default()
        };
        for field in fields {
            // The names that matter differ in length.
            match field.name.len() {
                10 if field.name.eq_ignore_ascii_case("connection") => {
                    if has_token(field.value, "close") {
                        framing.last = true;
                    } else if version_1_0 && has_token(field.value, "keep-alive") {
                        framing.last = false;
                    }
                }
                11 if field.name.eq_ignore_ascii_case(grpc::FIELD) => {
                    framing.grpc.in_head(field.value.trim_ascii());
                }
                14 if field.name.eq_ignore_ascii_case("content-length") => {
                    let length = decimal(field.value.trim_ascii()).ok_or(Wrong::Length)?;
                    if framing.length.is_some_and(|other| other != length) {
                        return Err(Wrong::Length);
                    }
                    framing.length = Some(length);
                }
                17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                    framing.coded = true;
                    let coding = field.value.trim_ascii();
                    framing.chunked = coding.eq_ignore_ascii_case(b"chunked");
                }
                _ => {}
            }
        }
        Ok(framing)
    }

    fn body(&self) -> Result<State, Wrong> {
        match (self.coded, self.length) {
            (true, _) if self.chunked => Ok(State::ChunkLine),
            (true, _) => Err(Wrong::Coding),
            (false, Some(0)) => Ok(State::End),
            (false, Some(length)) => Ok(State::Length(length)),
            (false, None) => Ok(State::UntilClose),
        }
    }
}

fn has_token(value: &[u8], token: &str) -> bool {
    value
        .split(|&byte| byte == b',')
        .any(|part| part.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

/// Takes at most so many bytes off the front; how many there were.
fn take(bytes: &mut &[u8], most: u64) -> u64 {
    let taken = usize::try_from(most).map_or(bytes.len(), |most| most.min(bytes.len()));
    *bytes = &bytes[taken..];
    taken as u64
}

fn first(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}
