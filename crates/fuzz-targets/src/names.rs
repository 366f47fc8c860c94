use std::sync::LazyLock;

use pronghorn_names::{NameRecords, ServiceRecord, Transport, Zone, answer};

/// Where the flag stands by which a message is an answer, and by which one is cut off.
const FLAGS: usize = 2;
const IS_ANSWER: u8 = 0x80;
const IS_CUT_OFF: u8 = 0x02;

/// Bytes that no answer over UDP exceeds.
const MOST_UDP_BYTES: usize = 1232;

static ZONE: LazyLock<Zone> = LazyLock::new(|| {
    let names = [NameRecords {
        name: "origin.pronghorn.test".into(),
        a: (0..100).map(|last| [198, 18, 0, last].into()).collect(),
        aaaa: vec![[0xfd; 16].into()],
        https: vec![ServiceRecord {
            priority: 1,
            target: ".".into(),
            alpn: vec!["h3".into()],
        }],
    }];
    Zone::new(&names).unwrap_or_default()
});

/// What a client sends to the name server: an answer is one to that message, none is answered again, and over UDP it
/// fits into a packet, as it is over TCP unless it says that it is cut off.
pub fn names(bytes: &[u8]) {
    let over_udp = answer(&ZONE, bytes, Transport::Udp);
    let over_tcp = answer(&ZONE, bytes, Transport::Tcp);
    let (Some(over_udp), Some(over_tcp)) = (&over_udp, &over_tcp) else {
        assert!(
            over_udp.is_none() && over_tcp.is_none(),
            "both or none are answered"
        );
        return;
    };
    assert_eq!(over_udp.question, over_tcp.question);
    for told in [over_udp, over_tcp] {
        assert_eq!(told.bytes[..FLAGS], bytes[..FLAGS], "the identifier");
        assert!(told.bytes[FLAGS] & IS_ANSWER != 0);
        assert!(answer(&ZONE, &told.bytes, Transport::Tcp).is_none());
    }
    let is_cut_off = over_udp.bytes[FLAGS] & IS_CUT_OFF != 0;
    assert!(is_cut_off || over_udp.bytes == over_tcp.bytes);
    assert!(over_udp.bytes.len() <= MOST_UDP_BYTES);
}
