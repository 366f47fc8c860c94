//! Bodies in each content coding, whole and in pieces.

use std::io::Write;

use pronghorn_page::{DecodeError, Decoder};

const AMPLE: usize = 4 << 20;
const CODINGS: [&str; 5] = ["gzip", "deflate", "raw deflate", "br", "zstd"];

fn text() -> Vec<u8> {
    (0..30_000)
        .flat_map(|line| format!("<img src=/{line}.png>\n").into_bytes())
        .collect()
}

fn encode(coding: &str, content: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::default();
    match coding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(content).expect("written");
            encoder.finish().expect("finished")
        }
        "deflate" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(content).expect("written");
            encoder.finish().expect("finished")
        }
        "raw deflate" => {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(content).expect("written");
            encoder.finish().expect("finished")
        }
        "br" => {
            let mut encoded = Vec::new();
            let mut encoder = brotli::CompressorWriter::new(&mut encoded, 4096, 5, 20);
            encoder.write_all(content).expect("written");
            drop(encoder);
            encoded
        }
        _ => zstd::encode_all(content, 3).expect("encoded"),
    }
}

fn name(coding: &str) -> &str {
    coding.trim_start_matches("raw ")
}

fn decode(
    codings: &str,
    encoded: &[u8],
    piece: usize,
    most: usize,
) -> Result<Vec<u8>, DecodeError> {
    let mut decoder = Decoder::new(codings, most)?;
    let mut content = Vec::new();
    for piece in encoded.chunks(piece) {
        content.extend(decoder.push(piece)?);
    }
    content.extend(decoder.end()?);
    Ok(content)
}

#[test]
fn every_coding_gives_its_content_whatever_the_pieces() {
    for coding in CODINGS {
        let encoded = encode(coding, &text());
        for piece in [7, 1460, usize::MAX] {
            let content = decode(name(coding), &encoded, piece, AMPLE).expect(coding);
            assert!(content == text(), "{coding} in pieces of {piece}");
        }
    }
    assert_eq!(decode("", b"plain", 2, AMPLE).expect("none"), b"plain");
}

#[test]
fn content_comes_before_the_body_is_whole() {
    for coding in CODINGS {
        let encoded = encode(coding, &text());
        let mut decoder = Decoder::new(name(coding), AMPLE).expect("known");
        let content = decoder
            .push(&encoded[..encoded.len() * 3 / 4])
            .expect(coding);
        assert!(
            content.len() > text().len() / 4,
            "{coding}: {}",
            content.len()
        );
    }
}

#[test]
fn codings_on_top_of_each_other_are_undone_last_first() {
    let encoded = encode("br", &encode("gzip", &text()));
    assert!(decode("gzip, br", &encoded, 100, AMPLE).expect("both") == text());
}

#[test]
fn a_body_that_is_cut_or_broken_is_told() {
    for coding in CODINGS {
        let encoded = encode(coding, &text());
        let cut = decode(name(coding), &encoded[..encoded.len() - 5], 100, AMPLE);
        assert!(
            matches!(cut, Err(DecodeError::Broken { .. })),
            "{coding}: {cut:?}"
        );
        let broken = decode(name(coding), &[0xfe; 64], 100, AMPLE);
        assert!(
            matches!(broken, Err(DecodeError::Broken { .. })),
            "{coding}: {broken:?}"
        );
        assert_eq!(decode(name(coding), b"", 1, AMPLE).expect("empty"), b"");
    }
    assert!(matches!(
        decode("snappy", b"", 1, AMPLE),
        Err(DecodeError::Unknown(_))
    ));
    assert!(matches!(
        decode("br,br,br,br", b"", 1, AMPLE),
        Err(DecodeError::Unknown(_))
    ));
}

#[test]
fn a_bomb_ends_at_the_bound() {
    let zeros = vec![0; 8 << 20];
    for coding in CODINGS {
        let bomb = encode(coding, &zeros);
        let bounded = decode(name(coding), &bomb, 1460, AMPLE);
        assert!(
            matches!(bounded, Err(DecodeError::TooLarge(AMPLE))),
            "{coding}"
        );
    }
}

#[test]
fn what_follows_the_end_is_passed_over() {
    for coding in CODINGS {
        let encoded = encode(coding, &text());
        let others = [
            &b"\0"[..],
            b"\r\n",
            b"xyz",
            &[0; 5000],
            &[0x28, 0xb5, 0x2f],
            b"(\xb5/\xfc",
        ];
        for follows in others {
            let body = [&encoded[..], follows].concat();
            // Pieces that end with the coding, right behind it, and elsewhere.
            for piece in [7, encoded.len(), encoded.len() + 1, usize::MAX] {
                let content = decode(name(coding), &body, piece, AMPLE);
                let content = content.unwrap_or_else(|error| panic!("{coding}: {error}"));
                assert!(
                    content == text(),
                    "{coding} with {follows:x?} in pieces of {piece}"
                );
            }
        }
    }
}

/// As Chromium does: it reads all frames of zstd, and one member of gzip.
#[test]
fn a_second_stream_is_read_of_zstd_only() {
    for coding in CODINGS {
        let skippable = match coding {
            "zstd" => &b"\x5f\x2a\x4d\x18\x03\0\0\0abc"[..],
            _ => b"",
        };
        let parts = [&encode(coding, b"one"), skippable, &encode(coding, b" two")];
        let expected: &[u8] = if coding == "zstd" { b"one two" } else { b"one" };
        for piece in [1, 7, usize::MAX] {
            let content = decode(name(coding), &parts.concat(), piece, AMPLE).expect(coding);
            assert_eq!(content, expected, "{coding} in pieces of {piece}");
        }
    }
}
