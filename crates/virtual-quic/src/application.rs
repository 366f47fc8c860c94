//! The two programs over the connection: one asks, the other answers with so many bytes.

use std::time::Duration;

use quinn_proto::{
    Connection, ConnectionError, Dir, Event, ReadError, StreamEvent, StreamId, WriteError,
};

use crate::error::TransferError;

/// As long as a request over HTTP/3 may be: one packet holds it.
const REQUEST: [u8; 100] = [0; 100];

/// What the server answers with, over and over.
static CONTENT: [u8; 1 << 16] = [0; 1 << 16];

/// The client's program: it asks as soon as there is a connection, and reads whatever comes at once.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    stream: Option<StreamId>,
    pub(crate) received: u64,
    pub(crate) requested: Option<Duration>,
    pub(crate) first_byte: Option<Duration>,
    pub(crate) last_byte: Option<Duration>,
}

impl Reader {
    /// Does what the connection's events ask for. `now` counts from the start.
    pub(crate) fn attend(
        &mut self,
        connection: &mut Connection,
        now: Duration,
    ) -> Result<(), TransferError> {
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => self.request(connection, now)?,
                Event::Stream(StreamEvent::Readable { .. }) => self.read(connection, now)?,
                Event::ConnectionLost { reason } => return Err(lost(reason, now)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads what has come; nothing once all has, of which several events may tell.
    fn read(&mut self, connection: &mut Connection, now: Duration) -> Result<(), TransferError> {
        let Some(id) = self.stream.filter(|_| self.last_byte.is_none()) else {
            return Ok(());
        };
        let read = read_all(connection, id)?;
        self.received += read.bytes;
        if read.bytes > 0 {
            self.first_byte.get_or_insert(now);
        }
        self.last_byte = read.finished.then_some(now);
        Ok(())
    }

    fn request(&mut self, connection: &mut Connection, now: Duration) -> Result<(), TransferError> {
        let id = connection
            .streams()
            .open(Dir::Bi)
            .ok_or_else(|| TransferError::Stream("the server allows none".to_owned()))?;
        let written = connection.send_stream(id).write(&REQUEST).map_err(failed)?;
        if written < REQUEST.len() {
            return Err(TransferError::Stream(
                "the server's flow control holds the request up".to_owned(),
            ));
        }
        connection.send_stream(id).finish().map_err(failed)?;
        self.stream = Some(id);
        self.requested = Some(now);
        Ok(())
    }
}

/// The server's program: it answers when it has read the request, and writes as much as quinn takes.
#[derive(Debug)]
pub(crate) struct Writer {
    stream: Option<StreamId>,
    left: u64,
    state: Writing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    Listening,
    Able,
    Blocked,
    Finished,
}

impl Writer {
    pub(crate) fn new(bytes: u64) -> Writer {
        Writer {
            stream: None,
            left: bytes,
            state: Writing::Listening,
        }
    }

    /// Does what the connection's events ask for. `now` counts from the start.
    pub(crate) fn attend(
        &mut self,
        connection: &mut Connection,
        now: Duration,
    ) -> Result<(), TransferError> {
        while let Some(event) = connection.poll() {
            match event {
                Event::Stream(StreamEvent::Opened { dir: Dir::Bi }) => {
                    self.stream = connection.streams().accept(Dir::Bi);
                    self.listen(connection)?;
                }
                Event::Stream(StreamEvent::Readable { .. }) => self.listen(connection)?,
                Event::Stream(StreamEvent::Writable { .. }) if self.state == Writing::Blocked => {
                    self.state = Writing::Able;
                }
                Event::ConnectionLost { reason } => return Err(lost(reason, now)),
                _ => {}
            }
        }
        self.answer(connection)
    }

    fn listen(&mut self, connection: &mut Connection) -> Result<(), TransferError> {
        if let Some(id) = self.stream.filter(|_| self.state == Writing::Listening) {
            if read_all(connection, id)?.finished {
                self.state = Writing::Able;
            }
        }
        Ok(())
    }

    fn answer(&mut self, connection: &mut Connection) -> Result<(), TransferError> {
        let Some(id) = self.stream else {
            return Ok(());
        };
        while self.state == Writing::Able {
            let piece = CONTENT
                .len()
                .min(usize::try_from(self.left).unwrap_or(usize::MAX));
            if piece == 0 {
                connection.send_stream(id).finish().map_err(failed)?;
                self.state = Writing::Finished;
                break;
            }
            match connection.send_stream(id).write(&CONTENT[..piece]) {
                Ok(written) => self.left -= written as u64,
                Err(WriteError::Blocked) => self.state = Writing::Blocked,
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }
}

struct Read {
    bytes: u64,
    /// Whether that was all that will ever come.
    finished: bool,
}

/// Reads what has come of a stream, in order.
fn read_all(connection: &mut Connection, id: StreamId) -> Result<Read, TransferError> {
    let mut stream = connection.recv_stream(id);
    let mut chunks = stream.read(true).map_err(failed)?;
    let mut bytes = 0;
    let finished = loop {
        match chunks.next(usize::MAX) {
            Ok(Some(chunk)) => bytes += chunk.bytes.len() as u64,
            Ok(None) => break true,
            Err(ReadError::Blocked) => break false,
            Err(error) => return Err(failed(error)),
        }
    };
    // Whether there is credit to send doesn't matter: all that is to be sent is asked for after every event.
    let _ = chunks.finalize();
    Ok(Read { bytes, finished })
}

fn failed(error: impl std::error::Error) -> TransferError {
    TransferError::Stream(error.to_string())
}

fn lost(reason: ConnectionError, at: Duration) -> TransferError {
    TransferError::Lost { at, reason }
}
