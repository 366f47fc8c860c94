//! What stands behind encryption is foreign as well, and a fuzzer of packets never gets there: readers of decrypted bytes take
//! any bytes.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::http::{self, h3, qpack};
use crate::tls::messages::{self, ClientHello, EncryptedExtensions, ServerHello};
use crate::{quic, tls};

/// Bytes of which many are small, as lengths and types are.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => 0_u8..32, 1 => any::<u8>()];
    vec(byte, 0..400)
}

/// HTTP/2 behind its preface: frames of any type and flags.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let frame = (0_u8..10, any::<u8>(), 0_u8..6, vec(any::<u8>(), 0..40));
    vec(frame, 0..20).prop_map(|frames| {
        let frame = |(kind, flags, stream, payload): (u8, u8, u8, Vec<u8>)| {
            let header = [0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream];
            [&header[..], &payload].concat()
        };
        frames.into_iter().flat_map(frame).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn of_tls(up in bytes(), down in bytes()) {
        let _ = ClientHello::read(&up);
        let _ = ServerHello::read(&up);
        let _ = EncryptedExtensions::read(&up);
        let _ = messages::transport_parameter(&up, 4);
        let record = |kind: u8, bytes: &[u8]| [&[kind, 3, 3, 0, 20][..], bytes].concat();
        let log = crate::key_log::KeyLog::read("");
        let _ = tls::session::open(&record(22, &up), &record(22, &down), &log);
    }

    #[test]
    fn of_http_1_and_2(up in frames(), down in frames(), other in bytes()) {
        let up = [http::PREFACE, &up].concat();
        for down in [&down, &other] {
            let (_, told) = http::read(None, &up, down);
            prop_assert!(told.owned.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
        let _ = http::read(None, &[b"GET / HTTP/1.1\r\n", &other[..]].concat(), &other);
        let _ = http::read(Some(b"http/1.1"), b"GET / HTTP/1.1\r\n\r\n", &[b"HTTP/1.1 200 OK\r\n\r\n", &other[..]].concat());
    }

    #[test]
    fn of_http_3(stream in bytes(), instructions in bytes(), capacity in 0_u64..5000, sent: u64) {
        let table = qpack::Table::read(&instructions, capacity);
        let _ = table.section(&stream, sent);
        let _ = h3::asked(&stream, &table, |_| sent);
        let _ = h3::first_content(&stream);
        let _ = h3::table_capacity(&stream);
        let _ = h3::encoder(&stream);
    }

    #[test]
    fn of_quic(payload in bytes()) {
        quic::read_anything(&payload);
    }
}
