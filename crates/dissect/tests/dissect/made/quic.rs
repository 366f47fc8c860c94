//! QUIC packets, sealed.

use aws_lc_rs::aead::quic::{AES_128, HeaderProtectionKey};
use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::{hkdf, hmac};
use pronghorn_path::Direction;

use super::{Trace, ip, ports};

/// RFC 9001 §5.2.
const SALT: [u8; 20] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad,
    0xcc, 0xbb, 0x7f, 0x0a,
];

/// The connection IDs of the client's first packet, of the server, and of the client.
pub(crate) const ORIGINAL: [u8; 8] = [7; 8];
const SERVER: [u8; 4] = [5; 4];
const CLIENT: [u8; 3] = [3; 3];

const RANDOM: [u8; 32] = [0xab; 32];

/// Secrets of a connection, all made up.
const HANDSHAKE: [[u8; 32]; 2] = [[1; 32], [2; 32]];
const APPLICATION: [[u8; 32]; 2] = [[3; 32], [4; 32]];
const EARLY: [u8; 32] = [5; 32];

/// The secrets as a log has them.
pub(crate) fn key_log() -> String {
    let hexadecimal = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let line = |label: &str, secret: [u8; 32]| {
        format!(
            "{label} {} {}\n",
            hexadecimal(&RANDOM),
            hexadecimal(&secret)
        )
    };
    [
        line("CLIENT_EARLY_TRAFFIC_SECRET", EARLY),
        line("CLIENT_HANDSHAKE_TRAFFIC_SECRET", HANDSHAKE[0]),
        line("SERVER_HANDSHAKE_TRAFFIC_SECRET", HANDSHAKE[1]),
        line("CLIENT_TRAFFIC_SECRET_0", APPLICATION[0]),
        line("SERVER_TRAFFIC_SECRET_0", APPLICATION[1]),
    ]
    .concat()
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand(secret: &[u8], label: &str, length: u8) -> Vec<u8> {
    let info = [
        &[0, length, 6 + label.len() as u8][..],
        b"tls13 ",
        label.as_bytes(),
        &[0],
    ]
    .concat();
    let mut out = vec![0; length.into()];
    hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, secret)
        .expand(&[&info], Length(length.into()))
        .and_then(|key| key.fill(&mut out))
        .expect("it is short");
    out
}

/// The secret of Initial packets, by the destination of the client's first.
fn initial(of: &[u8], label: &str) -> Vec<u8> {
    let secret = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &SALT), of);
    expand(secret.as_ref(), label, 32)
}

/// The secret of 1-RTT packets after so many key updates.
fn updated(direction: Direction, updates: u32) -> Vec<u8> {
    let first = APPLICATION[place(direction)].to_vec();
    (0..updates).fold(first, |secret, _| expand(&secret, "quic ku", 32))
}

fn place(direction: Direction) -> usize {
    usize::from(direction == Direction::Down)
}

/// Seals a payload behind a header whose last two bytes are the packet's number.
fn seal(
    secret: &[u8],
    protection: &[u8],
    mut header: Vec<u8>,
    number: u16,
    payload: &[u8],
) -> Vec<u8> {
    let mut nonce: [u8; 12] = expand(secret, "quic iv", 12)
        .try_into()
        .expect("it has 12 bytes");
    for (byte, of_number) in nonce[10..].iter_mut().zip(number.to_be_bytes()) {
        *byte ^= of_number;
    }
    let key =
        UnboundKey::new(&AES_128_GCM, &expand(secret, "quic key", 16)).expect("it has 16 bytes");
    let mut sealed = payload.to_vec();
    LessSafeKey::new(key)
        .seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(&header),
            &mut sealed,
        )
        .expect("it can be sealed");
    let key = HeaderProtectionKey::new(&AES_128, &expand(protection, "quic hp", 16))
        .expect("it has 16 bytes");
    let mask = key.new_mask(&sealed[2..18]).expect("it is a sample");
    header[0] ^= mask[0] & if header[0] & 0x80 != 0 { 0x0f } else { 0x1f };
    let at = header.len() - 2;
    header[at] ^= mask[1];
    header[at + 1] ^= mask[2];
    header.extend(sealed);
    header
}

fn datagram(direction: Direction, payload: &[u8]) -> Vec<u8> {
    let mut udp = ports(direction);
    udp.extend(
        u16::try_from(8 + payload.len())
            .expect("it is short")
            .to_be_bytes(),
    );
    udp.extend([0, 0]);
    udp.extend(payload);
    ip(direction, 17, &udp)
}

/// A packet with a long header from one connection ID to another.
fn long(first: u8, ids: [&[u8]; 2], secret: &[u8], number: u16, payload: &[u8]) -> Vec<u8> {
    let [source, destination] = ids;
    let mut header = vec![first, 0, 0, 0, 1, destination.len() as u8];
    header.extend(destination);
    header.push(source.len() as u8);
    header.extend(source);
    if first == INITIAL {
        header.push(0);
    }
    let length = 2 + payload.len() as u16 + 16;
    header.extend((0x4000 | length).to_be_bytes());
    header.extend(number.to_be_bytes());
    seal(secret, secret, header, number, payload)
}

fn crypto(message: &[u8]) -> Vec<u8> {
    let length = 0x4000 | message.len() as u16;
    [&[0x06, 0][..], &length.to_be_bytes(), message].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, _, high, low] = (body.len() as u32).to_be_bytes();
    [&[kind, 0, high, low][..], body].concat()
}

/// A 1-RTT packet that holds frames, after so many key updates.
pub(crate) fn packet(direction: Direction, number: u16, updates: u32, frames: &[u8]) -> Vec<u8> {
    let phase = (updates % 2) as u8;
    let destination = match direction {
        Direction::Up => &SERVER[..],
        Direction::Down => &CLIENT[..],
    };
    let header = [&[0x41 | phase << 2], destination, &number.to_be_bytes()].concat();
    let secret = updated(direction, updates);
    let protection = updated(direction, 0);
    datagram(
        direction,
        &seal(&secret, &protection, header, number, frames),
    )
}

/// A STREAM frame of so many bytes; at offset 0 they begin with the header of a DATA frame.
pub(crate) fn stream(id: u8, offset: u16, bytes: u16) -> Vec<u8> {
    let mut frame = vec![0x0e, id];
    frame.extend((0x4000 | offset).to_be_bytes());
    frame.extend((0x4000 | bytes).to_be_bytes());
    let mut content = vec![b'x'; bytes.into()];
    if offset == 0 {
        content[..3].copy_from_slice(&[0x00, 0x5f, 0xff]);
    }
    frame.extend(content);
    frame
}

/// The first bytes of long headers with packet numbers of two bytes.
const INITIAL: u8 = 0xc1;
const ZERO_RTT: u8 = 0xd1;
const HANDSHAKE_PACKET: u8 = 0xe1;

/// The client's hello in an Initial packet to a connection ID, which its keys come from.
pub(crate) fn client_hello(destination: &[u8], number: u16) -> Vec<u8> {
    client_hello_from(&CLIENT, destination, number)
}

/// The same, of a client with a connection ID of its own.
pub(crate) fn client_hello_from(source: &[u8], destination: &[u8], number: u16) -> Vec<u8> {
    let hello = [&[3, 3][..], &RANDOM, &[0, 0, 2, 0x13, 0x01, 1, 0, 0, 0]].concat();
    let first = long(
        INITIAL,
        [source, destination],
        &initial(destination, "client in"),
        number,
        &crypto(&message(1, &hello)),
    );
    datagram(Direction::Up, &first)
}

/// A Retry by which the server wants to be reached under another connection ID.
pub(crate) fn retry(source: &[u8]) -> Vec<u8> {
    let mut packet = vec![0xf0, 0, 0, 0, 1, CLIENT.len() as u8];
    packet.extend(CLIENT);
    packet.push(source.len() as u8);
    packet.extend(source);
    packet.extend([b't'; 8]);
    packet.extend([0; 16]);
    datagram(Direction::Down, &packet)
}

/// The server's hello and its ALPN, where the client's Initial packets are to a connection ID.
pub(crate) fn server_hello(destination: &[u8]) -> Vec<u8> {
    let hello = [
        &[3, 3][..],
        &[9; 32],
        &[0, 0x13, 0x01, 0, 0, 6, 0, 43, 0, 2, 3, 4],
    ]
    .concat();
    let answer = long(
        INITIAL,
        [&SERVER, &CLIENT],
        &initial(destination, "server in"),
        0,
        &crypto(&message(2, &hello)),
    );
    let extensions = [0, 9, 0, 16, 0, 5, 0, 3, 2, b'h', b'3'];
    let rest = long(
        HANDSHAKE_PACKET,
        [&SERVER, &CLIENT],
        &HANDSHAKE[1],
        0,
        &crypto(&message(8, &extensions)),
    );
    datagram(Direction::Down, &[answer, rest].concat())
}

/// A GET of / on a stream.
pub(crate) fn request(id: u8) -> Vec<u8> {
    vec![0x0a, id, 6, 0x01, 0x04, 0x00, 0x00, 0xd1, 0xc1]
}

/// A 0-RTT packet of the client that holds frames.
pub(crate) fn early(number: u16, frames: &[u8]) -> Vec<u8> {
    let packet = long(ZERO_RTT, [&CLIENT, &ORIGINAL], &EARLY, number, frames);
    datagram(Direction::Up, &packet)
}

/// The hellos, the server's ALPN, then requests on streams 0 and 4 in the client's packet 0.
pub(crate) fn begin(trace: &mut Trace) {
    trace.pass(Direction::Up, 0, client_hello(&ORIGINAL, 0));
    trace.pass(Direction::Down, 10, server_hello(&ORIGINAL));
    let requests = [request(0), request(4)].concat();
    trace.pass(Direction::Up, 20, packet(Direction::Up, 0, 0, &requests));
}
