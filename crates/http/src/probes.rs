//! Probes of a client's handshake that take 1-RTT packets along.
//!
//! A client whose second flight is lost has Handshake and 1-RTT packets in flight. RFC 9002, section 6.2.1, forbids a probe
//! timeout for the latter until the handshake is confirmed. quinn-proto 0.11 arms it, and each timeout doubles the period of
//! the other one too: probes of the Finished go after 150, 600, 2400 ms instead of 150, 300, 600. Nothing but them can get the
//! connection on.
//!
//! RFC 9002, section 6.2.4, has a sender send "ack-eliciting packets from other packet number spaces with in-flight data"
//! with a probe. quinn-proto doesn't. Whoever sends a PING then does what the RFC asks for, and also puts off quinn-proto's
//! timeout of 1-RTT packets beyond that of Handshake packets, time after time: it counts from the last packet.

use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller, VarInt};
use tokio::sync::watch;

/// Has a client's connection send a PING with the datagrams that it has just built, where that is lacking.
pub fn ping_along(connection: &mut quinn_proto::Connection, datagrams: &[u8]) {
    // Before there are keys for 1-RTT packets the PING would be a Handshake packet.
    let has_keys = !connection.is_handshaking() && connection.side().is_client();
    if has_keys && lacks_ping(datagrams) {
        connection.ping();
    }
}

/// A socket of a client's endpoint that tells when a PING is lacking.
#[derive(Debug)]
pub(crate) struct Probing {
    socket: Arc<dyn AsyncUdpSocket>,
    seen: watch::Sender<u64>,
}

impl Probing {
    pub(crate) fn over(socket: Arc<dyn AsyncUdpSocket>) -> (Arc<Probing>, HandshakeProbes) {
        let (seen, probes) = watch::channel(0);
        let probing = Arc::new(Probing { socket, seen });
        (probing, HandshakeProbes(probes))
    }
}

impl AsyncUdpSocket for Probing {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        self.socket.clone().create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        self.socket.try_send(transmit)?;
        if lacks_ping(transmit.contents) {
            self.seen.send_modify(|seen| *seen += 1);
        }
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        self.socket.poll_recv(cx, bufs, meta)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.socket.max_transmit_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.socket.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.socket.may_fragment()
    }
}

/// Unidirectional streams that a server may open by quinn's default.
const UNI_STREAMS: u32 = 100;

/// What an endpoint's socket tells of probes of Handshake packets.
#[derive(Debug, Clone)]
pub struct HandshakeProbes(watch::Receiver<u64>);

impl HandshakeProbes {
    /// Sends a 1-RTT packet with every probe until the connection's handshake is confirmed. quinn has no PING for that, so it
    /// is a MAX_STREAMS frame, which allows the server more unidirectional streams than it did before.
    pub async fn accompany(mut self, connection: quinn::Connection) {
        let mut streams = UNI_STREAMS;
        loop {
            tokio::select! {
                changed = self.0.changed() => if changed.is_err() {
                    return;
                },
                _ = connection.closed() => return,
            }
            if connection.stats().frame_rx.handshake_done > 0 {
                return;
            }
            // quinn tells of no less than an eighth more.
            streams += streams / 7 + 1;
            connection.set_max_concurrent_uni_streams(VarInt::from_u32(streams));
        }
    }
}

/// Whether a PING should go with the datagrams that a client's connection has just sent: they hold Handshake packets and
/// nothing else. (The first flight of Handshake packets begins with an Initial packet, or has 1-RTT packets with it; once
/// the handshake is confirmed, there are none.)
#[must_use]
fn lacks_ping(datagrams: &[u8]) -> bool {
    let mut rest = datagrams;
    while !rest.is_empty() {
        match handshake_packet(rest) {
            Some(length) => rest = &rest[length..],
            None => return false,
        }
    }
    !datagrams.is_empty()
}

/// The length of the Handshake packet of QUIC version 1 that begins here (RFC 9000, section 17.2.4), if it is one.
fn handshake_packet(bytes: &[u8]) -> Option<usize> {
    if bytes.first()? & 0xb0 != 0xa0 || bytes.get(1..5)? != [0, 0, 0, 1] {
        return None;
    }
    let mut at = 5;
    for _ in 0..2 {
        at += 1 + usize::from(*bytes.get(at)?);
    }
    let field = 1 << (bytes.get(at)? >> 6);
    let length = bytes.get(at..at + field)?;
    let length = length
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte));
    let length = length & ((1 << (8 * field - 2)) - 1);
    let end = at + field + usize::try_from(length).ok()?;
    (end <= bytes.len()).then_some(end)
}

#[cfg(test)]
#[path = "probes_tests.rs"]
mod over_quinn;

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet with a long header of a type, a connection ID of four bytes, and 63 or 64 bytes behind its length.
    fn long(kind: u8, rest: u8) -> Vec<u8> {
        let mut packet = vec![0xc0 | kind << 4, 0, 0, 0, 1, 4, 1, 2, 3, 4, 0];
        if kind == 0 {
            packet.push(0);
        }
        match rest {
            ..64 => packet.push(rest),
            _ => packet.extend([0x40, rest]),
        }
        packet.resize(packet.len() + usize::from(rest), 9);
        packet
    }

    #[test]
    fn handshake_packets_alone_lack_a_ping() {
        assert!(lacks_ping(&long(2, 63)));
        assert!(lacks_ping(&[long(2, 64), long(2, 20)].concat()));
    }

    #[test]
    fn what_else_there_is_needs_none() {
        let short = vec![0x41; 40];
        assert!(!lacks_ping(&[]));
        assert!(!lacks_ping(&short));
        assert!(!lacks_ping(&long(0, 63)));
        assert!(!lacks_ping(&[long(0, 63), long(2, 63)].concat()));
        assert!(!lacks_ping(&[long(2, 63), short].concat()));
    }

    #[test]
    fn what_is_cut_off_needs_none() {
        let packet = long(2, 64);
        for length in 0..packet.len() {
            assert!(!lacks_ping(&packet[..length]), "{length}");
        }
    }
}
