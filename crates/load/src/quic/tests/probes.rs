//! What a client sends while its second flight is lost.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use super::client::{Driven, client, tls};
use super::server::{Certificate, Kind, Server};

/// Probes that are looked at. The PTO of 1-RTT packets, which includes 25 ms, isn't due before.
const PROBES: usize = 3;

/// A path to a server that loses all that the client sends once that is more than Initial packets. What it loses can be
/// received.
fn losing(server: SocketAddr) -> (SocketAddr, Receiver<Vec<u8>>) {
    let socket = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let (front, back) = (Arc::new(socket()), Arc::new(socket()));
    back.connect(server).expect("a server");
    let address = front.local_addr().expect("an address");
    let (lost, losses) = channel();
    thread::spawn(move || {
        let mut bytes = [0; 2048];
        let (mut answers, mut loses) = (None, false);
        while let Ok((length, client)) = front.recv_from(&mut bytes) {
            let datagram = &bytes[..length];
            loses |= !Long::Initial.is_all_of(datagram);
            if loses && lost.send(datagram.to_vec()).is_err() {
                return;
            }
            if !loses {
                back.send(datagram).expect("a server");
            }
            answers.get_or_insert_with(|| {
                let (front, back) = (front.clone(), back.clone());
                thread::spawn(move || {
                    let mut bytes = [0; 2048];
                    while let Ok(length) = back.recv(&mut bytes) {
                        let _ = front.send_to(&bytes[..length], client);
                    }
                })
            });
        }
    });
    (address, losses)
}

/// Kinds of packets with long headers, as bits of the first byte (RFC 9000, section 17.2).
#[derive(Clone, Copy, PartialEq)]
enum Long {
    Initial = 0x80,
    Handshake = 0xa0,
}

impl Long {
    fn begins(self, datagram: &[u8]) -> bool {
        datagram[0] & 0xb0 == self as u8
    }

    /// Whether a datagram is one packet of this kind.
    fn is_all_of(self, datagram: &[u8]) -> bool {
        self.begins(datagram) && self.first_packet(datagram) == datagram.len()
    }

    /// The bytes of the packet of this kind that a datagram begins with. quinn's length field has two bytes.
    fn first_packet(self, datagram: &[u8]) -> usize {
        let mut at = 5;
        for _ in 0..2 {
            at += 1 + usize::from(datagram[at]);
        }
        if self == Long::Initial {
            assert_eq!(datagram[at], 0, "no token");
            at += 1;
        }
        let length = u16::from_be_bytes([datagram[at], datagram[at + 1]]) & 0x3fff;
        at + 2 + usize::from(length)
    }
}

/// RFC 9002, section 6.2.4: a probe takes packets of other spaces along. quinn's doesn't by itself.
#[test]
fn probes_of_the_handshake_take_a_1_rtt_packet_along() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        connection.closed().await;
    });
    let (address, losses) = losing(server.address);
    let mut driven = Driven::open(&client(tls(&certificate), address, 1));
    let (mut probes, mut accompanied) = (0, 0);
    driven.until(|_| {
        while let Ok(datagram) = losses.try_recv() {
            // Two datagrams are one probe.
            probes += usize::from(Long::Handshake.begins(&datagram));
            // The second flight itself begins with an Initial packet.
            let one_rtt = !Long::Initial.begins(&datagram) && !Long::Handshake.is_all_of(&datagram);
            accompanied += usize::from(probes > 0 && one_rtt);
        }
        probes >= 2 * PROBES
    });
    assert!(
        accompanied >= PROBES - 1,
        "{accompanied} of {probes} datagrams"
    );
}
