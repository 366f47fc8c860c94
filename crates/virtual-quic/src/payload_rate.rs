//! The most that a link can carry of a stream.

use crate::datagram::HEADERS;

/// Bytes of a full QUIC packet that are not the stream's: a short header with a connection ID of eight bytes and a packet
/// number of two (RFC 9000, section 17.3.1), the AEAD's tag (RFC 9001, section 5.3), and the STREAM frame's type, stream ID
/// and offset, of one, one and four bytes (RFC 9000, section 19.8), without its length.
const NOT_PAYLOAD: u16 = 1 + 8 + 2 + 16 + 1 + 1 + 4;

/// Bits of one stream that a link of `rate_bit_per_s` carries in a second, at most, by UDP payloads of `datagram_bytes` over
/// IPv4, each of them one full packet.
#[must_use]
pub fn payload_rate_bit_per_s(rate_bit_per_s: u64, datagram_bytes: u16) -> f64 {
    let payload = f64::from(datagram_bytes.saturating_sub(NOT_PAYLOAD));
    rate_bit_per_s as f64 * payload / (f64::from(datagram_bytes) + HEADERS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_take_their_share() {
        let rate = payload_rate_bit_per_s(50_000_000, 1452);
        assert_eq!(rate.round(), (50e6 * 1419.0 / 1480.0_f64).round());
        assert_eq!(payload_rate_bit_per_s(50_000_000, 20), 0.0);
    }
}
