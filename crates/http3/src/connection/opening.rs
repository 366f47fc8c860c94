//! How an endpoint begins: the first bytes of its unidirectional streams (RFC 9114 §6.2.1,
//! RFC 9204 §4.2).

use bytes::{Bytes, BytesMut};
use pronghorn_http_wire::varint;

use super::settings::Settings;
use super::uni;
use crate::frame::reserved;

/// What an endpoint may set for its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The largest field section to accept, in bytes as RFC 9114 §4.2.2 counts them; sent as
    /// `SETTINGS_MAX_FIELD_SECTION_SIZE`. Give the same to the readers of messages.
    pub max_field_section_size: Option<u64>,
    /// Sends a setting of a reserved type that the peer has to pass over (RFC 9114 §7.2.4.1);
    /// the number picks it.
    pub grease: Option<u64>,
}

/// The first bytes of the three unidirectional streams that each endpoint opens, one stream each,
/// and keeps open as long as the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The control stream's type, and SETTINGS.
    pub control: Bytes,
    /// The type of the QPACK encoder's stream, on which nothing follows.
    pub qpack_encoder: Bytes,
    /// The type of the QPACK decoder's stream, on which nothing follows.
    pub qpack_decoder: Bytes,
}

impl Opening {
    pub(super) fn new(config: &Config) -> Self {
        let settings = Settings {
            max_field_section_size: config.max_field_section_size,
            others: config
                .grease
                .map(|seed| (reserved(seed), seed % 100))
                .into_iter()
                .collect(),
            ..Settings::default()
        };
        let mut control = stream_of(uni::CONTROL);
        settings.put(&mut control);
        Opening {
            control: control.freeze(),
            qpack_encoder: stream_of(uni::QPACK_ENCODER).freeze(),
            qpack_decoder: stream_of(uni::QPACK_DECODER).freeze(),
        }
    }
}

fn stream_of(kind: u64) -> BytesMut {
    let mut out = BytesMut::with_capacity(32);
    varint::encode(kind, &mut out);
    out
}
