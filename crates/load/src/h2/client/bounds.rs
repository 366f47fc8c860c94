//! The frames by which the server sets the connection's bounds.

use super::{Client, Farewell, LAST_STREAM};
use crate::connection::{Detail, Event};
use pronghorn_http2::frame::{self, Header, MAX_FRAME_SIZE, code, flag, kind, setting};

/// The most characters of a GOAWAY frame's debug data that are told.
const LONGEST_FAREWELL: usize = 200;

/// Unsent bytes beyond which no further acknowledgements are taken on: a peer that reads nothing gets nothing.
const MOST_UNSENT: usize = 16 * 1024 * 1024;

impl Client {
    pub(super) fn settings(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Detail> {
        if header.stream != 0 || header.length % 6 != 0 {
            return Err("a SETTINGS frame that is none".into());
        }
        if header.has(flag::ACK) {
            return Ok(());
        }
        let mut streams = self.peer.streams.unwrap_or(usize::MAX);
        for entry in payload.chunks_exact(6) {
            let name = u16::from_be_bytes([entry[0], entry[1]]);
            let value = u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]);
            match name {
                setting::HEADER_TABLE_SIZE => self.peer.shrunk_table |= value < 4096,
                setting::MAX_CONCURRENT_STREAMS => streams = value as usize,
                setting::INITIAL_WINDOW_SIZE if value > LAST_STREAM => {
                    return Err("a window of 2^31 bytes or more".into());
                }
                setting::INITIAL_WINDOW_SIZE => self.resize(value.into()),
                setting::MAX_FRAME_SIZE if !(MAX_FRAME_SIZE..1 << 24).contains(&value) => {
                    return Err("a frame size out of its bounds".into());
                }
                setting::MAX_FRAME_SIZE => self.peer.frame_size = value as usize,
                _ => {}
            }
        }
        self.peer.streams = Some(streams);
        check_unsent(out)?;
        frame::put_header(0, kind::SETTINGS, flag::ACK, 0, out);
        Ok(())
    }

    /// The server changes the windows of all streams (RFC 9113 §6.9.2).
    fn resize(&mut self, window: i64) {
        let change = window - self.peer.stream_window;
        self.peer.stream_window = window;
        for stream in self.streams.values_mut() {
            stream.send_window += change;
        }
    }

    pub(super) fn go_away(
        &mut self,
        payload: &[u8],
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        let last = frame::number(payload).ok_or("a GOAWAY frame that is none")? & LAST_STREAM;
        if let Some(farewell) = farewell(payload) {
            self.peer.farewell = Some(farewell);
        }
        if !std::mem::replace(&mut self.peer.going_away, true) {
            events.push(Event::GoingAway);
        }
        let mut beyond: Vec<u32> = self.streams.keys().copied().collect();
        beyond.retain(|identifier| *identifier > last);
        beyond.sort_unstable();
        for identifier in beyond {
            if let Some(stream) = self.streams.remove(&identifier) {
                events.push(Event::Refused(stream.ticket));
            }
        }
        Ok(())
    }

    pub(super) fn window_update(
        &mut self,
        header: Header,
        payload: &[u8],
        out: &mut Vec<u8>,
        events: &mut Vec<Event>,
    ) -> Result<(), Detail> {
        const LARGEST: i64 = 0x7fff_ffff;
        let more = frame::number(payload).filter(|_| header.length == 4);
        let more = i64::from(more.ok_or("a WINDOW_UPDATE frame that is none")? & LAST_STREAM);
        if header.stream == 0 {
            self.peer.connection_window += more;
            if more == 0 || self.peer.connection_window > LARGEST {
                return Err("a window that grew by nothing, or too large".into());
            }
        } else if let Some(stream) = self.streams.get_mut(&header.stream) {
            stream.send_window += more;
            if more == 0 || stream.send_window > LARGEST {
                let detail = "a stream's window that grew by nothing, or too large";
                self.spoil(header.stream, detail, out, events);
            }
        } else {
            return self.check_known(header.stream);
        }
        Ok(())
    }
}

/// The code and the debug data of a GOAWAY frame, as far as they are of any interest.
fn farewell(payload: &[u8]) -> Option<Farewell> {
    let code = frame::number(payload.get(4..8)?)?;
    let said = String::from_utf8_lossy(&payload[8..]);
    let is_error = code != code::NO_ERROR;
    if !is_error && said.is_empty() {
        return None;
    }
    let name = code::name(code);
    let words = if said.is_empty() {
        format!("GOAWAY {name}")
    } else {
        let said: String = said.chars().take(LONGEST_FAREWELL).collect();
        format!("GOAWAY {name}: {said}")
    };
    Some(Farewell { is_error, words })
}

pub(super) fn ping(header: Header, payload: &[u8], out: &mut Vec<u8>) -> Result<(), Detail> {
    if header.stream != 0 || header.length != 8 {
        return Err("a PING frame that is none".into());
    }
    if !header.has(flag::ACK) {
        check_unsent(out)?;
        frame::put_header(8, kind::PING, flag::ACK, 0, out);
        out.extend_from_slice(payload);
    }
    Ok(())
}

/// A server that wants ever more acknowledgements and reads none of them isn't followed.
fn check_unsent(out: &[u8]) -> Result<(), Detail> {
    if out.len() > MOST_UNSENT {
        return Err("more acknowledgements asked for than taken".into());
    }
    Ok(())
}
