//! SETTINGS (RFC 9114 §7.2.4, RFC 9204 §5).

use bytes::BytesMut;
use pronghorn_http_wire::varint;

use crate::error::{Code, Error};
use crate::frame::{kind, put_frame};

const QPACK_MAX_TABLE_CAPACITY: u64 = 0x01;
const MAX_FIELD_SECTION_SIZE: u64 = 0x06;
const QPACK_BLOCKED_STREAMS: u64 = 0x07;
/// Extended CONNECT (RFC 9220 §3).
const ENABLE_CONNECT_PROTOCOL: u64 = 0x08;
/// HTTP datagrams (RFC 9297 §2.1.1).
const H3_DATAGRAM: u64 = 0x33;

/// An endpoint's settings; the default is what holds until they arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The most bytes that the sender's QPACK decoder spends on a dynamic table.
    pub qpack_max_table_capacity: u64,
    /// The most streams that may wait for the dynamic table at the sender.
    pub qpack_blocked_streams: u64,
    /// The largest field section that the sender accepts, in bytes as RFC 9114 §4.2.2 counts them;
    /// `None`: no limit.
    pub max_field_section_size: Option<u64>,
    /// The settings with other identifiers, as pairs of identifier and value.
    pub others: Vec<(u64, u64)>,
}

impl Settings {
    /// Appends the SETTINGS frame.
    pub(crate) fn put(&self, out: &mut BytesMut) {
        let known = [
            (
                QPACK_MAX_TABLE_CAPACITY,
                Some(self.qpack_max_table_capacity),
            ),
            (QPACK_BLOCKED_STREAMS, Some(self.qpack_blocked_streams)),
            (MAX_FIELD_SECTION_SIZE, self.max_field_section_size),
        ];
        let known = known
            .into_iter()
            .filter_map(|(id, value)| value.map(|value| (id, value)));
        let mut payload = BytesMut::new();
        for (id, value) in known.chain(self.others.iter().copied()) {
            varint::encode(id, &mut payload);
            varint::encode(value, &mut payload);
        }
        put_frame(kind::SETTINGS, &payload, out);
    }

    /// The settings in the payload of a SETTINGS frame.
    pub(crate) fn parse(mut payload: &[u8]) -> Result<Self, Error> {
        let mut settings = Settings::default();
        let mut seen = Vec::new();
        while !payload.is_empty() {
            let (id, value) = take_pair(&mut payload).ok_or(Error::connection(
                Code::FrameError,
                "a truncated SETTINGS frame",
            ))?;
            seen.push(id);
            match id {
                0x00 | 0x02..=0x05 => return Err(wrong("a setting of HTTP/2")),
                QPACK_MAX_TABLE_CAPACITY => settings.qpack_max_table_capacity = value,
                QPACK_BLOCKED_STREAMS => settings.qpack_blocked_streams = value,
                MAX_FIELD_SECTION_SIZE => settings.max_field_section_size = Some(value),
                ENABLE_CONNECT_PROTOCOL | H3_DATAGRAM if value > 1 => {
                    return Err(wrong("a switch that is neither 0 nor 1"));
                }
                _ => settings.others.push((id, value)),
            }
        }
        seen.sort_unstable();
        if seen.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong("a setting twice"));
        }
        Ok(settings)
    }
}

fn take_pair(payload: &mut &[u8]) -> Option<(u64, u64)> {
    let (id, id_size) = varint::decode(payload)?;
    let (value, value_size) = varint::decode(&payload[id_size..])?;
    *payload = &payload[id_size + value_size..];
    Some((id, value))
}

const fn wrong(reason: &'static str) -> Error {
    Error::connection(Code::SettingsError, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_parses() {
        let settings = Settings {
            qpack_max_table_capacity: 4096,
            qpack_blocked_streams: 100,
            max_field_section_size: Some(1 << 20),
            others: vec![(H3_DATAGRAM, 1), (0x21, varint::MAX)],
        };
        let mut out = BytesMut::new();
        settings.put(&mut out);
        assert_eq!(out[0], 4);
        assert_eq!(usize::from(out[1]), out.len() - 2);
        assert_eq!(Settings::parse(&out[2..]), Ok(settings));
        assert_eq!(Settings::parse(&[]), Ok(Settings::default()));
    }

    #[test]
    fn settings_of_http_2_are_errors() {
        for id in [0x00, 0x02, 0x03, 0x04, 0x05] {
            let error = Settings::parse(&[id, 0]).unwrap_err();
            assert_eq!(error.code, Code::SettingsError);
        }
    }

    #[test]
    fn a_setting_twice_is_an_error() {
        for payload in [&[0x01, 0, 0x01, 0][..], &[0x21, 1, 0x06, 9, 0x40, 0x21, 2]] {
            let error = Settings::parse(payload).unwrap_err();
            assert_eq!(
                (error.code, error.reason),
                (Code::SettingsError, "a setting twice")
            );
        }
    }

    #[test]
    fn switches_are_0_or_1() {
        for id in [ENABLE_CONNECT_PROTOCOL, H3_DATAGRAM] {
            assert!(Settings::parse(&[id as u8, 1]).is_ok());
            let error = Settings::parse(&[id as u8, 2]).unwrap_err();
            assert_eq!(error.code, Code::SettingsError);
        }
    }

    #[test]
    fn a_truncated_frame_is_a_frame_error() {
        for payload in [&[0x01][..], &[0x01, 0x40], &[0x40]] {
            let error = Settings::parse(payload).unwrap_err();
            assert_eq!(error.code, Code::FrameError);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_safe(payload: Vec<u8>) {
            let _ = Settings::parse(&payload);
        }
    }
}
