//! What one end of a connection may be asked for beside its congestion control.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Protocol;
use crate::tls::{CipherSuite, KeyExchange, TlsOffer};

/// Settings of our own client's or origin's transports. What isn't asked for stays as the library or the kernel ships it;
/// what another transport has is without effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportKnobs {
    /// Bytes that QUIC's congestion control lets be in flight at first. (TCP's is its routes'.)
    pub initial_window: Option<u64>,
    /// Whether sending is spread over the round trip. quinn always does it; TCP where this asks for it, or its BBR does.
    pub pacing: Option<bool>,
    /// Bytes that the peer may send on a stream before it is told of more, in HTTP/2 and QUIC.
    pub stream_window: Option<u32>,
    /// Such bytes of a whole connection.
    pub connection_window: Option<u32>,
    /// Bytes of receive buffer to ask the kernel for, of QUIC's socket; it gives twice as many for its own bookkeeping.
    pub udp_receive_buffer: Option<u32>,
    /// Bytes of send buffer to ask for, likewise.
    pub udp_send_buffer: Option<u32>,
    /// Whether quinn hands several datagrams at once to the kernel (`UDP_SEGMENT`, udp(7)).
    pub segmentation_offload: Option<bool>,
    /// How many packets that want an acknowledgement the peer may receive without sending one at once: asked of it by
    /// quinn's ACK frequency extension.
    pub ack_frequency: Option<u32>,
    /// Whether QUIC looks for larger UDP payloads than the first (RFC 9000, section 14.3). Without, a server's stay as long
    /// as `initial_mtu` says.
    pub mtu_discovery: Option<bool>,
    /// Bytes of QUIC's UDP payloads at first.
    pub initial_mtu: Option<u16>,
    /// The only cipher suite that a client offers.
    pub cipher: Option<CipherSuite>,
    /// The only group that a client offers for the key exchange.
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
    #[error("pacing = false: quinn always paces; over TCP `cubic` and `reno` go without")]
    QuinnPaces,
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
            (Some(false), Protocol::H3) => Err(KnobError::QuinnPaces),
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
        let quinn = Err(KnobError::QuinnPaces);
        assert_eq!(unpaced.check_client(Protocol::H3, "cubic"), quinn);
    }
}
