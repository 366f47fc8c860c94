//! What one end of a connection may be asked for beside its congestion control.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Protocol;
use crate::tls::{CipherSuite, KeyExchange, TlsOffer};

/// What to set of one end's transport. Null or absent: as the library or the kernel ships it. What only another transport has
/// is without effect, as are `cipher` and `key_exchange` of an origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportKnobs {
    /// QUIC's initial congestion window in bytes, from two UDP payloads to 2^30. quinn sends while one more full packet stays
    /// below it: 14 480 let nine packets of 1472 go at once. TCP's is set by `tcp` of `open`.
    pub initial_window: Option<u64>,
    /// Whether the kernel paces TCP, whatever its congestion control: by a bound of 34 Gbit/s (`SO_MAX_PACING_RATE`); the
    /// first ten segments go unpaced. False is refused where the stack always paces: a load over h3 (quinn), TCP's `bbr`.
    /// An origin's QUIC is always paced.
    pub pacing: Option<bool>,
    /// Bytes that the peer may send ahead on a stream of HTTP/2 or QUIC, 1024 to 2^30.
    pub stream_window: Option<u32>,
    /// Bytes that the peer may send ahead on a connection of HTTP/2 or QUIC, 65 535 to 2^30. HTTP/2's begins with 65 535
    /// whatever this is. quinn's bound on unacknowledged data (10 MB) is raised to the larger of both windows.
    pub connection_window: Option<u32>,
    /// Bytes of receive buffer of QUIC's socket (`SO_RCVBUF`), 4096 to 2^29, which the kernel doubles. Less than that is a
    /// `host` error. By default 1 MiB.
    pub udp_receive_buffer: Option<u32>,
    /// Bytes of send buffer of QUIC's socket (`SO_SNDBUF`), likewise. By default the kernel's.
    pub udp_send_buffer: Option<u32>,
    /// Whether QUIC hands several datagrams at once to the kernel, quinn up to ten (`UDP_SEGMENT`).
    pub segmentation_offload: Option<bool>,
    /// How many packets that ask for acknowledgement the peer may receive without acknowledging at once (1: every second
    /// one, the default), by quinn's draft-ietf-quic-ack-frequency-04. After 25 ms it acknowledges anyway. A peer without
    /// the extension isn't told. s2n-quic refuses it.
    pub ack_frequency: Option<u32>,
    /// Whether QUIC looks for larger UDP payloads, up to 1452 bytes. False: an origin's stay at `initial_mtu`, even after a
    /// series of losses, and its probes for losses are as long.
    pub mtu_discovery: Option<bool>,
    /// Bytes of QUIC's first UDP payloads, 1200 to 1472.
    pub initial_mtu: Option<u16>,
    /// The only cipher suite that a client offers. TLS 1.2 has none of them. QUIC's Initial packets use AES-128-GCM whatever
    /// is offered (RFC 9001 §5).
    pub cipher: Option<CipherSuite>,
    /// The only group that a client offers for the key exchange. `X25519MLKEM768` needs TLS 1.3.
    pub key_exchange: Option<KeyExchange>,
}

/// Why an end can't be as it is asked to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KnobError {
    /// A number that is no good.
    #[error("{key} = {asked}; allowed is {least} to {most} ({why})")]
    OutOfRange {
        /// The setting's name.
        key: &'static str,
        /// What was asked for.
        asked: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// What the bounds come from.
        why: &'static str,
    },
    /// A pacer that can't be turned off.
    #[error("pacing = false: QUIC always paces; over TCP `cubic` and `reno` go without")]
    QuicPaces,
    /// Likewise.
    #[error("pacing = false: TCP's `bbr` always paces; `cubic` and `reno` go without")]
    BbrPaces,
}

/// The smallest UDP payload that every QUIC path carries (RFC 9000, section 14), quinn's at first.
const SMALLEST_PAYLOAD: u64 = 1200;
/// The largest in an IPv4 packet of 1500 bytes, which quinn's endpoints announce as theirs.
const LARGEST_PAYLOAD: u64 = 1472;
/// The most bytes of a window: half of what HTTP/2's hold. quinn doesn't pace beyond four times as many.
const MOST: u64 = 1 << 30;
/// The least and the most bytes of a buffer, which the kernel's integers hold doubled.
const BUFFER: (u64, u64) = (4096, MOST / 2);

impl TransportKnobs {
    /// Whether a client can load so, over this protocol, where TCP has this congestion control.
    pub fn check_client(&self, protocol: Protocol, tcp: &str) -> Result<(), KnobError> {
        self.check()?;
        match (self.pacing, protocol) {
            (Some(false), Protocol::H3) => Err(KnobError::QuicPaces),
            (Some(false), _) if paces(tcp) => Err(KnobError::BbrPaces),
            _ => Ok(()),
        }
    }

    /// Whether an origin can be so, where TCP has this congestion control. Its QUIC is paced whatever is asked of it.
    pub fn check_server(&self, tcp: &str) -> Result<(), KnobError> {
        self.check()?;
        match self.pacing {
            Some(false) if paces(tcp) => Err(KnobError::BbrPaces),
            _ => Ok(()),
        }
    }

    fn check(&self) -> Result<(), KnobError> {
        let initial_mtu = self.initial_mtu.map(u64::from);
        let bounds = [
            (
                "initial_mtu",
                initial_mtu,
                (SMALLEST_PAYLOAD, LARGEST_PAYLOAD),
                "bytes of UDP payload, which RFC 9000 §14 and packets of 1500 bytes set",
            ),
            (
                "initial_window",
                self.initial_window,
                (2 * initial_mtu.unwrap_or(SMALLEST_PAYLOAD), MOST),
                "bytes; the least are two datagrams, RFC 9002 §7.2",
            ),
            (
                "stream_window",
                self.stream_window.map(u64::from),
                (1024, MOST),
                "bytes",
            ),
            (
                "connection_window",
                self.connection_window.map(u64::from),
                (65_535, MOST),
                "bytes; the least are HTTP/2's first ones, RFC 9113 §6.9.2",
            ),
            (
                "udp_receive_buffer",
                self.udp_receive_buffer.map(u64::from),
                BUFFER,
                "bytes, which the kernel doubles",
            ),
            (
                "udp_send_buffer",
                self.udp_send_buffer.map(u64::from),
                BUFFER,
                "bytes, which the kernel doubles",
            ),
        ];
        for (key, asked, (least, most), why) in bounds {
            match asked {
                Some(asked) if !(least..=most).contains(&asked) => {
                    return Err(KnobError::OutOfRange {
                        key,
                        asked,
                        least,
                        most,
                        why,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a client's TLS offers.
    pub fn offer(&self) -> TlsOffer {
        TlsOffer {
            cipher: self.cipher,
            key_exchange: self.key_exchange,
        }
    }
}

/// Whether TCP's congestion control paces by itself.
pub(crate) fn paces(tcp: &str) -> bool {
    tcp.starts_with("bbr")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(json: &str) -> Result<TransportKnobs, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn names_are_the_protocols_and_unknown_ones_are_refused() {
        let knobs = asked(
            r#"{"initial_window": 14480, "cipher": "TLS13_AES_128_GCM_SHA256", "key_exchange": "SECP256R1",
                "stream_window": null}"#,
        );
        let knobs = knobs.expect("all are known");
        assert_eq!(knobs.initial_window, Some(14_480));
        assert_eq!(knobs.stream_window, None);
        assert_eq!(knobs.offer().key_exchange, Some(KeyExchange::Secp256r1));
        assert!(asked(r#"{"inital_window": 14480}"#).is_err());
        assert!(asked(r#"{"cipher": "TLS_RSA_WITH_RC4_128_MD5"}"#).is_err());
    }

    #[test]
    fn what_can_not_be_is_refused_by_name() {
        for (json, name) in [
            (r#"{"initial_mtu": 1199}"#, "initial_mtu"),
            (r#"{"initial_mtu": 1473}"#, "initial_mtu"),
            (r#"{"initial_window": 2399}"#, "initial_window"),
            (
                r#"{"initial_window": 2900, "initial_mtu": 1472}"#,
                "initial_window",
            ),
            (r#"{"stream_window": 1023}"#, "stream_window"),
            (r#"{"connection_window": 65534}"#, "connection_window"),
            (r#"{"udp_receive_buffer": 4095}"#, "udp_receive_buffer"),
            (r#"{"udp_send_buffer": 1073741824}"#, "udp_send_buffer"),
        ] {
            let refused = asked(json).expect("it is a number").check_server("cubic");
            let refused = refused.expect_err(json).to_string();
            assert!(refused.starts_with(name), "{refused}");
        }
    }

    #[test]
    fn no_pacing_is_refused_where_the_stack_always_paces() {
        let unpaced = asked(r#"{"pacing": false}"#).expect("it is a knob");
        assert_eq!(unpaced.check_client(Protocol::H2, "cubic"), Ok(()));
        assert_eq!(unpaced.check_server("reno"), Ok(()));
        let bbr = Err(KnobError::BbrPaces);
        assert_eq!(unpaced.check_client(Protocol::H1, "bbr"), bbr);
        assert_eq!(unpaced.check_server("bbr"), bbr);
        let quic = Err(KnobError::QuicPaces);
        assert_eq!(unpaced.check_client(Protocol::H3, "cubic"), quic);
    }
}
