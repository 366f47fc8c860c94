//! The streams that live as long as the connection: our own three, and the server's.

use pronghorn_http3::connection::{Config, Connection, Event, UniStream};
use pronghorn_http3::{Code, Error, Side};
use quinn_proto::{Dir, ReadError, StreamId};

use super::code;
use super::exchanges::MAX_FIELD_SECTION_SIZE;

/// HTTP/3's state of a connection.
pub(super) struct Control {
    state: Connection,
    /// First bytes of streams of ours that aren't open yet, the last first.
    unopened: Vec<bytes::Bytes>,
    peers: Vec<(StreamId, UniStream)>,
}

impl Control {
    pub(super) fn new() -> Control {
        let config = Config {
            max_field_section_size: Some(MAX_FIELD_SECTION_SIZE),
            ..Config::default()
        };
        let mut control = Control {
            state: Connection::new(Side::Client, config),
            unopened: Vec::new(),
            peers: Vec::new(),
        };
        control.begin();
        control
    }

    /// Has our streams opened from the beginning, the early data in which they were opened being rejected.
    pub(super) fn begin(&mut self) {
        let opening = self.state.opening();
        self.unopened = vec![
            opening.qpack_decoder,
            opening.qpack_encoder,
            opening.control,
        ];
    }

    /// Opens our streams as far as the server allows. They stay open: their closing would be an error (RFC 9114 §6.2.1).
    pub(super) fn open(&mut self, quic: &mut quinn_proto::Connection) {
        while !self.unopened.is_empty() {
            let Some(id) = quic.streams().open(Dir::Uni) else {
                return;
            };
            let Some(first) = self.unopened.pop() else {
                return;
            };
            let mut stream = quic.send_stream(id);
            // Neither fails on a stream just opened; some bytes always fit.
            let _ = stream.set_priority(i32::MAX);
            let _ = stream.write_chunks(&mut [first]);
        }
    }

    /// Takes in the streams that the server has opened.
    ///
    /// # Errors
    /// A bidirectional one, and what reading them finds; all cost the connection.
    pub(super) fn accept(
        &mut self,
        quic: &mut quinn_proto::Connection,
    ) -> Result<Option<u64>, Error> {
        if quic.streams().accept(Dir::Bi).is_some() {
            self.state.accept_bidi()?;
        }
        let mut goaway = None;
        while let Some(id) = quic.streams().accept(Dir::Uni) {
            self.peers.push((id, UniStream::new()));
            goaway = self.read(quic, id)?.or(goaway);
        }
        Ok(goaway)
    }

    /// Reads what has come on a stream of the server's; gives the ID of a GOAWAY.
    ///
    /// # Errors
    /// What [`Connection::read_uni`] and [`Connection::finish_uni`] find; all cost the connection.
    pub(super) fn read(
        &mut self,
        quic: &mut quinn_proto::Connection,
        id: StreamId,
    ) -> Result<Option<u64>, Error> {
        let mut goaway = None;
        let Some(index) = self.peers.iter().position(|(peer, _)| *peer == id) else {
            return Ok(None);
        };
        let (state, uni) = (&mut self.state, &mut self.peers[index].1);
        let mut receive = quic.recv_stream(id);
        let Ok(mut chunks) = receive.read(true) else {
            return Ok(None);
        };
        let mut unknown = false;
        let ended = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    let mut input = chunk.bytes;
                    while let Some(event) = state.read_uni(uni, &mut input)? {
                        match event {
                            Event::Goaway(id) => goaway = Some(id),
                            Event::UnknownStream => unknown = true,
                            Event::Settings(_) | Event::PriorityUpdate { .. } => {}
                        }
                    }
                }
                Err(ReadError::Blocked) => break false,
                // A reset closes a critical stream as much as its end does.
                Ok(None) | Err(ReadError::Reset(_)) => break true,
            }
        };
        let _ = chunks.finalize();
        if ended {
            state.finish_uni(uni)?;
        }
        if ended || unknown {
            self.peers.swap_remove(index);
        }
        if unknown && !ended {
            let _ = quic.recv_stream(id).stop(code(Code::StreamCreationError));
        }
        Ok(goaway)
    }
}
