//! QPACK's static table (RFC 9204 Appendix A), with its lookup by name and value.

/// A name and a value.
pub(super) type Entry = (&'static str, &'static str);

/// What the table knows of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// The entry with this index has the name and the value.
    Field(u8),
    /// The entry with this index has the name alone.
    Name(u8),
    /// No entry has the name.
    Nothing,
}

/// The table; an entry's place is its index on the wire.
pub(super) static ENTRIES: [Entry; 99] = TABLE;

const TABLE: [Entry; 99] = [
    (":authority", ""),
    (":path", "/"),
    ("age", "0"),
    ("content-disposition", ""),
    ("content-length", "0"),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("referer", ""),
    ("set-cookie", ""),
    (":method", "CONNECT"),
    (":method", "DELETE"),
    (":method", "GET"),
    (":method", "HEAD"),
    (":method", "OPTIONS"),
    (":method", "POST"),
    (":method", "PUT"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "103"),
    (":status", "200"),
    (":status", "304"),
    (":status", "404"),
    (":status", "503"),
    ("accept", "*/*"),
    ("accept", "application/dns-message"),
    ("accept-encoding", "gzip, deflate, br"),
    ("accept-ranges", "bytes"),
    ("access-control-allow-headers", "cache-control"),
    ("access-control-allow-headers", "content-type"),
    ("access-control-allow-origin", "*"),
    ("cache-control", "max-age=0"),
    ("cache-control", "max-age=2592000"),
    ("cache-control", "max-age=604800"),
    ("cache-control", "no-cache"),
    ("cache-control", "no-store"),
    ("cache-control", "public, max-age=31536000"),
    ("content-encoding", "br"),
    ("content-encoding", "gzip"),
    ("content-type", "application/dns-message"),
    ("content-type", "application/javascript"),
    ("content-type", "application/json"),
    ("content-type", "application/x-www-form-urlencoded"),
    ("content-type", "image/gif"),
    ("content-type", "image/jpeg"),
    ("content-type", "image/png"),
    ("content-type", "text/css"),
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/plain"),
    ("content-type", "text/plain;charset=utf-8"),
    ("range", "bytes=0-"),
    ("strict-transport-security", "max-age=31536000"),
    (
        "strict-transport-security",
        "max-age=31536000; includesubdomains",
    ),
    (
        "strict-transport-security",
        "max-age=31536000; includesubdomains; preload",
    ),
    ("vary", "accept-encoding"),
    ("vary", "origin"),
    ("x-content-type-options", "nosniff"),
    ("x-xss-protection", "1; mode=block"),
    (":status", "100"),
    (":status", "204"),
    (":status", "206"),
    (":status", "302"),
    (":status", "400"),
    (":status", "403"),
    (":status", "421"),
    (":status", "425"),
    (":status", "500"),
    ("accept-language", ""),
    ("access-control-allow-credentials", "FALSE"),
    ("access-control-allow-credentials", "TRUE"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-methods", "get"),
    ("access-control-allow-methods", "get, post, options"),
    ("access-control-allow-methods", "options"),
    ("access-control-expose-headers", "content-length"),
    ("access-control-request-headers", "content-type"),
    ("access-control-request-method", "get"),
    ("access-control-request-method", "post"),
    ("alt-svc", "clear"),
    ("authorization", ""),
    (
        "content-security-policy",
        "script-src 'none'; object-src 'none'; base-uri 'none'",
    ),
    ("early-data", "1"),
    ("expect-ct", ""),
    ("forwarded", ""),
    ("if-range", ""),
    ("origin", ""),
    ("purpose", "prefetch"),
    ("server", ""),
    ("timing-allow-origin", "*"),
    ("upgrade-insecure-requests", "1"),
    ("user-agent", ""),
    ("x-forwarded-for", ""),
    ("x-frame-options", "deny"),
    ("x-frame-options", "sameorigin"),
];

/// The entry with an index on the wire; `None` beyond the table.
#[must_use]
pub fn static_entry(index: u64) -> Option<(&'static str, &'static str)> {
    usize::try_from(index)
        .ok()
        .and_then(|index| ENTRIES.get(index))
        .copied()
}

/// What the table knows of a field with `name` and `value`.
#[must_use]
pub(super) fn find(name: &[u8], value: &[u8]) -> Match {
    if name.is_empty() {
        return Match::Nothing;
    }
    let named = FIRST_BY_HASH[hash(name)];
    if named == NONE || ENTRIES[usize::from(named)].0.as_bytes() != name {
        return Match::Nothing;
    }
    let mut index = named;
    while index != NONE {
        if ENTRIES[usize::from(index)].1.as_bytes() == value {
            return Match::Field(index);
        }
        index = NEXT_OF_NAME[usize::from(index)];
    }
    Match::Name(named)
}

const NONE: u8 = u8::MAX;
const HASH_BITS: u32 = 7;
/// Found by trial so that no two of the table's names share a hash; the build fails if they do.
const MULTIPLIER: u32 = 0xf550_bb43;

/// The first entry of the name with each hash.
static FIRST_BY_HASH: [u8; 1 << HASH_BITS] = first_by_hash();
/// The next entry of the same name.
static NEXT_OF_NAME: [u8; 99] = next_of_name();

/// A hash that is perfect over the table's names. `name` must not be empty.
const fn hash(name: &[u8]) -> usize {
    let size = name.len();
    let key = u32::from_be_bytes([size as u8, name[0], name[size * 3 / 4], name[size - 1]]);
    (key.wrapping_mul(MULTIPLIER) >> (u32::BITS - HASH_BITS)) as usize
}

const fn first_by_hash() -> [u8; 1 << HASH_BITS] {
    let mut first = [NONE; 1 << HASH_BITS];
    let mut index = 0;
    while index < TABLE.len() {
        let name = TABLE[index].0.as_bytes();
        let slot = &mut first[hash(name)];
        if *slot == NONE {
            *slot = index as u8;
        } else {
            assert!(same(TABLE[*slot as usize].0.as_bytes(), name));
        }
        index += 1;
    }
    first
}

const fn next_of_name() -> [u8; 99] {
    let mut next = [NONE; 99];
    let mut index = 0;
    while index < TABLE.len() {
        let mut later = index + 1;
        while later < TABLE.len() {
            if same(TABLE[index].0.as_bytes(), TABLE[later].0.as_bytes()) {
                next[index] = later as u8;
                break;
            }
            later += 1;
        }
        index += 1;
    }
    next
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_finds_itself() {
        for (index, (name, value)) in ENTRIES.iter().enumerate() {
            let found = find(name.as_bytes(), value.as_bytes());
            assert_eq!(found, Match::Field(index as u8));
        }
    }

    #[test]
    fn a_name_with_another_value_finds_its_first_entry() {
        for (name, _) in ENTRIES {
            let first = ENTRIES.iter().position(|entry| entry.0 == name).unwrap();
            assert_eq!(find(name.as_bytes(), b"\x01"), Match::Name(first as u8));
        }
    }

    #[test]
    fn unknown_names_find_nothing() {
        for name in ["", "a", "priority", ":protocol", "content-lengti"] {
            assert_eq!(find(name.as_bytes(), b""), Match::Nothing);
        }
    }
}
