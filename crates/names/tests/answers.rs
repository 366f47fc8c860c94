//! What the server answers, byte by byte where clients depend on it.

use pronghorn_names::{Answer, NameRecords, ServiceRecord, Transport, Zone, ZoneError, answer};

const A: u16 = 1;
const SOA: u16 = 6;
const AAAA: u16 = 28;
const HTTPS: u16 = 65;
const PRIVATE: u16 = 65_400;

const NO_ERROR: u8 = 0;
const FORMAT_ERROR: u8 = 1;
const NO_SUCH_NAME: u8 = 3;
const NOT_IMPLEMENTED: u8 = 4;
const REFUSED: u8 = 5;

/// The identifier of every question here.
const IDENTIFIER: [u8; 2] = [0x12, 0x34];

fn zone() -> Zone {
    let names = [
        NameRecords {
            name: "origin.pronghorn.test".into(),
            a: vec![[198, 18, 0, 2].into()],
            https: vec![ServiceRecord {
                priority: 1,
                target: ".".into(),
                alpn: vec!["h3".into(), "h2".into()],
            }],
            ..NameRecords::default()
        },
        NameRecords {
            name: "six.pronghorn.test".into(),
            aaaa: vec![[0xfd; 16].into()],
            ..NameRecords::default()
        },
        NameRecords {
            name: "many.pronghorn.test.".into(),
            a: (0..100).map(|last| [198, 18, 0, last].into()).collect(),
            ..NameRecords::default()
        },
    ];
    Zone::new(&names).expect("the names are names")
}

/// A question as a client sends it (RFC 1035, section 4): recursion is desired, the class is IN.
fn question(name: &str, kind: u16) -> Vec<u8> {
    let mut bytes = IDENTIFIER.to_vec();
    bytes.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        bytes.push(label.len() as u8);
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes.extend(kind.to_be_bytes());
    bytes.extend([0, 1]);
    bytes
}

/// The same with an OPT record (RFC 6891, section 6.1.2) of a version and a size of messages.
fn extended(name: &str, kind: u16, version: u8, most_bytes: u16) -> Vec<u8> {
    let mut bytes = question(name, kind);
    bytes[11] = 1;
    bytes.extend([0, 0, 41]);
    bytes.extend(most_bytes.to_be_bytes());
    bytes.extend([0, version, 0, 0, 0, 0]);
    bytes
}

fn answered(message: &[u8], transport: Transport) -> Answer {
    answer(&zone(), message, transport).expect("it is a question")
}

/// Of an answer: its code, whether it is cut off, and how many records it has as answers, authorities, additions.
fn outline(bytes: &[u8]) -> (u8, bool, [u16; 3]) {
    assert_eq!(bytes[..2], IDENTIFIER);
    assert!(bytes[2] & 0x80 != 0, "it is an answer");
    let count = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    (bytes[3] & 15, bytes[2] & 2 != 0, [6, 8, 10].map(count))
}

/// The records of an answer without compression beyond their own names: type, TTL and data of each.
fn records(asked: &[u8], bytes: &[u8]) -> Vec<(u16, u32, Vec<u8>)> {
    let mut rest = &bytes[asked.len()..];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let name = match rest[0] {
            0 => 1,
            pointer => {
                assert!(pointer >= 0xc0, "a name is the question's");
                2
            }
        };
        let fixed = &rest[name..];
        let length = usize::from(u16::from_be_bytes([fixed[8], fixed[9]]));
        found.push((
            u16::from_be_bytes([fixed[0], fixed[1]]),
            u32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]),
            fixed[10..10 + length].to_vec(),
        ));
        rest = &fixed[10 + length..];
    }
    found
}

#[test]
fn a_name_has_its_address_in_capitals_or_not() {
    for name in ["origin.pronghorn.test", "ORIGIN.Pronghorn.test"] {
        let asked = question(name, A);
        let told = answered(&asked, Transport::Udp);
        assert_eq!(outline(&told.bytes), (NO_ERROR, false, [1, 0, 0]));
        assert_eq!(
            told.bytes[12..asked.len()],
            asked[12..],
            "the question is said again as it was"
        );
        assert_eq!(
            records(&asked, &told.bytes),
            [(A, 300, vec![198, 18, 0, 2])]
        );
        assert!(told.bytes[2] & 4 != 0, "with authority");
        let logged = told.question.expect("it was a question");
        assert_eq!(
            (logged.name.as_str(), logged.kind.as_str()),
            ("origin.pronghorn.test", "A")
        );
    }
}

#[test]
fn a_name_of_ipv6_has_that_address_and_no_other() {
    let asked = question("six.pronghorn.test", AAAA);
    let told = answered(&asked, Transport::Udp);
    assert_eq!(records(&asked, &told.bytes), [(AAAA, 300, vec![0xfd; 16])]);
    let told = answered(&question("six.pronghorn.test", A), Transport::Udp);
    assert_eq!(outline(&told.bytes).2[0], 0);
}

#[test]
fn an_https_record_has_the_bytes_of_rfc_9460() {
    let asked = question("origin.pronghorn.test", HTTPS);
    let told = answered(&asked, Transport::Udp);
    // SvcPriority 1, TargetName `.`, SvcParamKey 1 (alpn), 6 bytes, each identifier after its length.
    let data = b"\x00\x01\x00\x00\x01\x00\x06\x02h3\x02h2".to_vec();
    assert_eq!(records(&asked, &told.bytes), [(HTTPS, 300, data)]);
    assert_eq!(told.question.expect("it was a question").kind, "HTTPS");
}

#[test]
fn a_known_name_without_such_a_record_is_no_error() {
    for (name, kind) in [
        ("origin.pronghorn.test", AAAA),
        ("origin.pronghorn.test", PRIVATE),
        ("pronghorn.test", A),
    ] {
        let asked = question(name, kind);
        let told = answered(&asked, Transport::Udp);
        assert_eq!(
            outline(&told.bytes),
            (NO_ERROR, false, [0, 1, 0]),
            "{name} {kind}"
        );
        assert_eq!(records(&asked, &told.bytes)[0].0, SOA);
    }
    let private = answered(&question("x.test", PRIVATE), Transport::Udp);
    assert_eq!(
        private.question.expect("it was a question").kind,
        "TYPE65400"
    );
}

#[test]
fn an_unknown_name_does_not_exist() {
    for name in [
        "example.com",
        "other.pronghorn.test",
        "x.origin.pronghorn.test",
    ] {
        let asked = question(name, A);
        let told = answered(&asked, Transport::Udp);
        assert_eq!(
            outline(&told.bytes),
            (NO_SUCH_NAME, false, [0, 1, 0]),
            "{name}"
        );
        assert_eq!(records(&asked, &told.bytes)[0].0, SOA);
    }
}

#[test]
fn an_answer_too_long_for_the_client_is_cut_off_over_udp_alone() {
    let asked = question("many.pronghorn.test", A);
    let over_udp = answered(&asked, Transport::Udp);
    assert_eq!(outline(&over_udp.bytes), (NO_ERROR, true, [0, 0, 0]));
    let over_tcp = answered(&asked, Transport::Tcp);
    assert_eq!(outline(&over_tcp.bytes), (NO_ERROR, false, [100, 0, 0]));
    let large = extended("many.pronghorn.test", A, 0, 65_000);
    let capped = answered(&large, Transport::Udp);
    assert_eq!(outline(&capped.bytes), (NO_ERROR, true, [0, 0, 1]));
}

#[test]
fn an_extended_question_has_an_extended_answer_and_a_later_version_none() {
    let told = answered(
        &extended("origin.pronghorn.test", A, 0, 1232),
        Transport::Udp,
    );
    assert_eq!(outline(&told.bytes), (NO_ERROR, false, [1, 0, 1]));
    let later = answered(
        &extended("origin.pronghorn.test", A, 1, 1232),
        Transport::Udp,
    );
    // BADVERS, 16, has its low bits here and the others in the OPT record (RFC 6891, section 6.1.3).
    assert_eq!(outline(&later.bytes), (0, false, [0, 0, 1]));
    let extension = &later.bytes[question("origin.pronghorn.test", A).len()..];
    assert_eq!(extension[5], 1);
}

#[test]
fn what_is_no_question_is_refused_or_left_unanswered() {
    let told = |message: &[u8]| answer(&zone(), message, Transport::Udp);
    assert!(told(&[]).is_none());
    assert!(told(&IDENTIFIER).is_none());
    let asked = question("origin.pronghorn.test", A);
    let code = |message: &[u8]| outline(&told(message).expect("an answer").bytes).0;
    assert_eq!(code(&asked[..asked.len() - 3]), FORMAT_ERROR);
    let mut changed = asked.clone();
    changed[2] |= 0x80;
    assert!(told(&changed).is_none(), "an answer");
    let mut changed = asked.clone();
    changed[2] |= 4 << 3;
    assert_eq!(code(&changed), NOT_IMPLEMENTED, "a notification");
    let mut changed = asked.clone();
    let class = changed.len() - 1;
    changed[class] = 3;
    assert_eq!(code(&changed), REFUSED, "another class");
    let none = [&IDENTIFIER[..], &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(code(&none), FORMAT_ERROR, "no question at all");
}

#[test]
fn records_that_cannot_be_are_refused_with_the_name() {
    let record = |priority, alpn: &[&str]| NameRecords {
        name: "origin.test".into(),
        https: vec![ServiceRecord {
            priority,
            target: "origin.test".into(),
            alpn: alpn.iter().map(|&identifier| identifier.into()).collect(),
        }],
        ..NameRecords::default()
    };
    let refused = |names: &[NameRecords]| Zone::new(names).expect_err("it can't be");
    assert!(matches!(
        refused(&[record(0, &["h3"])]),
        ZoneError::AliasWithAlpn(name) if name == "origin.test"
    ));
    assert!(matches!(
        refused(&[record(1, &[""])]),
        ZoneError::Alpn { bytes: 0, .. }
    ));
    assert!(matches!(
        refused(&[record(1, &[]), record(1, &[])]),
        ZoneError::Twice(_)
    ));
    for name in ["", "a..b", &"x".repeat(64)] {
        let named = NameRecords {
            name: name.into(),
            ..NameRecords::default()
        };
        assert!(
            matches!(refused(&[named]), ZoneError::Name { .. }),
            "{name}"
        );
    }
    assert!(Zone::new(&[record(0, &[])]).is_ok(), "an alias");
}
