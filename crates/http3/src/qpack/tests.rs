//! Tests of encoder and decoder together.

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

use super::*;
use crate::error::{Code, Scope};

const NO_LIMIT: u64 = u64::MAX;

fn encoded(fields: &[Field]) -> Bytes {
    let mut out = BytesMut::new();
    encode(fields, &mut out);
    out.freeze()
}

fn refused(section: &'static [u8]) -> &'static str {
    let error = decode(&Bytes::from_static(section), NO_LIMIT).unwrap_err();
    assert_eq!(error.code, Code::QpackDecompressionFailed);
    assert_eq!(error.scope, Scope::Connection);
    error.reason
}

#[test]
fn the_example_of_rfc_9204_b1_decodes() {
    let section = Bytes::from_static(b"\x00\x00\x51\x0b/index.html");
    let fields = decode(&section, NO_LIMIT).unwrap();
    assert_eq!(fields, [Field::new(":path", "/index.html")]);
}

#[test]
fn the_field_section_of_rfc_9204_b2_needs_a_dynamic_table() {
    // Required Insert Count 2, post-base references.
    assert_eq!(
        refused(b"\x03\x81\x10\x11"),
        "a reference to the dynamic table"
    );
}

#[test]
fn a_field_of_the_table_is_one_byte_or_two() {
    let fields = [Field::new(":method", "GET"), Field::new("vary", "origin")];
    assert_eq!(encoded(&fields), &b"\x00\x00\xd1\xfc"[..]);
    let last = [Field::new("x-frame-options", "sameorigin")];
    assert_eq!(encoded(&last), &b"\x00\x00\xff\x23"[..]);
}

#[test]
fn strings_are_huffman_coded_only_where_shorter() {
    let fields = [Field::new("x", "%%"), Field::new(":path", "/index.html")];
    let section = encoded(&fields);
    // ‘%%’ takes two bytes either way and stays literal; the path is coded in eight.
    assert_eq!(&section[2..6], b"\x21x\x02%");
    assert_eq!(section[7..9], [0x51, 0x88]);
    assert_eq!(decode(&section, NO_LIMIT).unwrap(), fields);
}

#[test]
fn a_secret_is_never_indexed() {
    let field = Field {
        never_indexed: true,
        ..Field::new("cookie", "")
    };
    let section = encoded(std::slice::from_ref(&field));
    assert_eq!(section, &b"\x00\x00\x75\x00"[..]);
    assert_eq!(decode(&section, NO_LIMIT).unwrap(), [field]);
}

#[test]
fn references_to_the_dynamic_table_are_refused() {
    for section in [
        &b"\x01\x00"[..],
        b"\x00\x00\x80",
        b"\x00\x00\x40\x00",
        b"\x00\x00\x10",
        b"\x00\x00\x00\x00",
    ] {
        assert_eq!(refused(section), "a reference to the dynamic table");
    }
}

#[test]
fn broken_sections_are_refused() {
    assert_eq!(refused(b"\x00\x80"), "a negative base");
    assert_eq!(refused(b""), "a truncated field section");
    assert_eq!(refused(b"\x00"), "a truncated field section");
    assert_eq!(
        refused(b"\x00\x00\xff\x24"),
        "an index beyond the static table"
    );
    assert_eq!(refused(b"\x00\x00\x51"), "a truncated field section");
    assert_eq!(
        refused(b"\x00\x00\x51\x02a"),
        "a string longer than its field section"
    );
    assert_eq!(
        refused(b"\x00\x00\x51\x81\x00"),
        "wrong padding of a Huffman-coded string"
    );
    assert_eq!(
        refused(b"\x00\x00\x51\x84\xff\xff\xff\xff"),
        "the EOS symbol in a Huffman-coded string"
    );
}

#[test]
fn a_section_above_the_limit_costs_the_stream_alone() {
    let section = encoded(&[Field::new("a", "b")]);
    assert!(decode(&section, 34).is_ok());
    let error = decode(&section, 33).unwrap_err();
    assert_eq!(
        (error.code, error.scope),
        (Code::ExcessiveLoad, Scope::Stream)
    );
}

#[test]
fn plain_values_are_slices_of_the_section() {
    let section = Bytes::from_static(b"\x00\x00\x51\x01/");
    let fields = decode(&section, NO_LIMIT).unwrap();
    assert_eq!(fields[0].value.as_ptr(), section[4..].as_ptr());
}

fn any_field() -> impl Strategy<Value = Field> {
    let table = (0..static_table::ENTRIES.len()).prop_map(|index| {
        let (name, value) = static_table::ENTRIES[index];
        (name.as_bytes().to_vec(), value.as_bytes().to_vec())
    });
    let named = (0..static_table::ENTRIES.len(), any::<Vec<u8>>())
        .prop_map(|(index, value)| (static_table::ENTRIES[index].0.as_bytes().to_vec(), value));
    let text = ("[a-z-]{1,20}", "[ -~]{0,60}").prop_map(|(n, v)| (n.into_bytes(), v.into_bytes()));
    let free = any::<(Vec<u8>, Vec<u8>)>();
    (prop_oneof![table, named, text, free], any::<bool>()).prop_map(|((name, value), secret)| {
        Field {
            never_indexed: secret,
            ..Field::new(name, value)
        }
    })
}

proptest! {
    #[test]
    fn what_is_encoded_decodes(fields in prop::collection::vec(any_field(), 0..20)) {
        prop_assert_eq!(decode(&encoded(&fields), NO_LIMIT).unwrap(), fields);
    }

    #[test]
    fn any_bytes_are_safe(bytes: Vec<u8>) {
        let _ = decode(&bytes.into(), 1000);
    }

    #[test]
    fn any_bytes_after_a_good_prefix_are_safe(bytes: Vec<u8>) {
        let _ = decode(&[&[0, 0][..], &bytes].concat().into(), 1000);
    }
}
