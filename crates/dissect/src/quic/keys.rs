//! Keys of QUIC's packets (RFC 9001 §5, §6).

use aws_lc_rs::aead::quic::HeaderProtectionKey;

use super::header;
use crate::suite::{Opener, Suite};

/// RFC 9001 §5.2.
const INITIAL_SALT: [u8; 20] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad,
    0xcc, 0xbb, 0x7f, 0x0a,
];

/// Bytes of a header protection's sample, which begins so many bytes behind the packet number's start (RFC 9001 §5.4.2).
const SAMPLE: usize = 16;
const SAMPLE_BEHIND: usize = 4;

/// What opens the packets that one end sends in one number space.
pub(super) struct Keys {
    suite: Suite,
    secret: Vec<u8>,
    opener: Opener,
    protection: HeaderProtectionKey,
    /// The key phase of `opener`, of packets with short headers.
    phase: bool,
}

/// An opened packet.
pub(super) struct Opened {
    pub(super) number: u64,
    pub(super) plain: Vec<u8>,
}

impl Keys {
    pub(super) fn new(suite: Suite, secret: &[u8]) -> Option<Keys> {
        Some(Keys {
            suite,
            secret: secret.to_vec(),
            opener: suite.opener(secret, "quic ")?,
            protection: suite.header_protection(secret)?,
            phase: false,
        })
    }

    /// Those of Initial packets: the client's and the server's, by the destination of the client's first.
    pub(super) fn initial(destination: &[u8]) -> Option<[Keys; 2]> {
        let of = |label| {
            let secret = Suite::INITIAL.extract_and_expand(&INITIAL_SALT, destination, label)?;
            Keys::new(Suite::INITIAL, &secret)
        };
        Some([of("client in")?, of("server in")?])
    }

    /// Opens the packet that fills `packet`, whose number begins at `number_at`.
    pub(super) fn open(
        &mut self,
        packet: &[u8],
        number_at: usize,
        largest: Option<u64>,
    ) -> Option<Opened> {
        const LONG: u8 = 0x80;
        const KEY_PHASE: u8 = 0x04;
        let sample = packet.get(number_at + SAMPLE_BEHIND..)?.get(..SAMPLE)?;
        let mask = self.protection.new_mask(sample).ok()?;
        let is_long = packet[0] & LONG != 0;
        let first = packet[0] ^ mask[0] & if is_long { 0x0f } else { 0x1f };
        let number_len = usize::from(first & 3) + 1;
        let payload_at = number_at + number_len;
        let mut header = packet.get(..payload_at)?.to_vec();
        header[0] = first;
        let mut truncated = 0;
        for (byte, mask) in header[number_at..].iter_mut().zip(&mask[1..]) {
            *byte ^= mask;
            truncated = truncated << 8 | u64::from(*byte);
        }
        let number = header::number(truncated, 8 * number_len as u32, largest);
        let sealed = &packet[payload_at..];
        let phase = !is_long && first & KEY_PHASE != 0;
        let plain = if phase == self.phase || is_long {
            self.opener.open(number, &[&header], sealed)?
        } else {
            self.open_updated(number, &header, sealed, phase)?
        };
        Some(Opened { number, plain })
    }

    /// With the keys after these, which hold from then on where they open it (RFC 9001 §6.2).
    fn open_updated(
        &mut self,
        number: u64,
        header: &[u8],
        sealed: &[u8],
        phase: bool,
    ) -> Option<Vec<u8>> {
        let secret = self.suite.next_secret(&self.secret, "quic ku")?;
        let opener = self.suite.opener(&secret, "quic ")?;
        let plain = opener.open(number, &[header], sealed)?;
        (self.secret, self.opener, self.phase) = (secret, opener, phase);
        Some(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9001, appendix A.3: the server's first Initial packet.
    #[test]
    fn the_servers_initial_of_rfc_9001_a3_opens() {
        let packet = "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc42158407dd074ee";
        let packet: Vec<u8> = (0..packet.len() / 2)
            .map(|at| {
                u8::from_str_radix(&packet[2 * at..2 * at + 2], 16).expect("it is hexadecimal")
            })
            .collect();
        let destination = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08];
        let Some(header::Header::Long(long)) = header::read(&packet) else {
            panic!("it is a long header");
        };
        assert_eq!(
            (long.kind, long.length),
            (header::LongKind::Initial, packet.len())
        );
        let [_, mut server] = Keys::initial(&destination).expect("these are keys");
        let opened = server
            .open(&packet, long.number_at, None)
            .expect("it opens");
        assert_eq!(
            (opened.number, opened.plain[0], opened.plain[5]),
            (1, 0x02, 0x06)
        );
        assert!(
            server
                .open(&packet[..packet.len() - 1], long.number_at, None)
                .is_none()
        );
    }
}
