//! The blocks of a pcapng file (draft-ietf-opsawg-pcapng), in little-endian byte order. Each function appends one block.

use pronghorn_path::Family;

/// `LINKTYPE_IPV4` and `LINKTYPE_IPV6`: each packet is one of that version of IP from its first byte.
const LINK_TYPE_IPV4: u16 = 228;
const LINK_TYPE_IPV6: u16 = 229;

/// `if_tsresol`: timestamps count nanoseconds, 10^-9 s.
const NANOSECONDS: u8 = 9;

/// `TLSK`: secrets in the format of `SSLKEYLOGFILE` (draft-ietf-tls-keylogfile).
const TLS_KEY_LOG: u32 = 0x544c_534b;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;
const DECRYPTION_SECRETS: u32 = 10;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
const UNKNOWN_LENGTH: u64 = u64::MAX;

// Options: opt_*, shb_*, if_*, epb_*, isb_*.
const COMMENT: u16 = 1;
const SHB_APPLICATION: u16 = 4;
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_TIMESTAMP_RESOLUTION: u16 = 9;
const EPB_FLAGS: u16 = 2;
const EPB_PACKET_ID: u16 = 5;
const ISB_START: u16 = 2;
const ISB_END: u16 = 3;
const ISB_RECEIVED: u16 = 4;
const ISB_DROPPED: u16 = 5;

/// Which way a packet goes, seen from its interface: `epb_flags`, bits 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Received by the host.
    Inbound = 1,
    /// Sent by it.
    Outbound = 2,
}

/// A packet as it was seen at one interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenPacket<'a> {
    /// The number of the interface's description in the file.
    pub(super) interface: u32,
    /// Nanoseconds since 1970, UTC.
    pub(super) at_ns: u64,
    /// One number for one packet wherever it is seen.
    pub(super) id: u64,
    pub(super) way: Way,
    pub(super) bytes: &'a [u8],
    /// Empty: none.
    pub(super) comment: &'a str,
}

/// What is known of an interface when the capture ends; times are in nanoseconds since 1970, UTC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statistics {
    pub(super) interface: u32,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    /// Packets that were there to be recorded.
    pub(super) received: u64,
    /// Of these, how many the capture lost.
    pub(super) dropped: u64,
}

/// The file's beginning. A comment longer than an option can hold is cut.
pub(super) fn section_header(out: &mut Vec<u8>, application: &str, comment: &str) {
    block(out, SECTION_HEADER, |body| {
        body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
        body.extend(1u16.to_le_bytes());
        body.extend(0u16.to_le_bytes());
        body.extend(UNKNOWN_LENGTH.to_le_bytes());
        text(body, COMMENT, comment);
        text(body, SHB_APPLICATION, application);
        end_of_options(body);
    });
}

/// An interface; the first one in a file has number 0.
pub(super) fn interface(out: &mut Vec<u8>, family: Family, name: &str, description: &str) {
    let link_type = match family {
        Family::Four => LINK_TYPE_IPV4,
        Family::Six => LINK_TYPE_IPV6,
    };
    block(out, INTERFACE_DESCRIPTION, |body| {
        body.extend(link_type.to_le_bytes());
        body.extend([0; 2]);
        // No limit to a packet's length.
        body.extend([0; 4]);
        text(body, IF_NAME, name);
        text(body, IF_DESCRIPTION, description);
        option(body, IF_TIMESTAMP_RESOLUTION, &[NANOSECONDS]);
        end_of_options(body);
    });
}

/// TLS secrets, for the packets that come after this block.
pub(super) fn secrets(out: &mut Vec<u8>, key_log: &str) {
    block(out, DECRYPTION_SECRETS, |body| {
        body.extend(TLS_KEY_LOG.to_le_bytes());
        body.extend(length(key_log.len()).to_le_bytes());
        body.extend(key_log.as_bytes());
        pad(body);
    });
}

/// A packet.
pub(super) fn packet(out: &mut Vec<u8>, seen: &SeenPacket<'_>) {
    block(out, ENHANCED_PACKET, |body| {
        body.extend(seen.interface.to_le_bytes());
        timestamp(body, seen.at_ns);
        let bytes = length(seen.bytes.len()).to_le_bytes();
        body.extend([bytes, bytes].concat());
        body.extend(seen.bytes);
        pad(body);
        if !seen.comment.is_empty() {
            text(body, COMMENT, seen.comment);
        }
        option(body, EPB_FLAGS, &(seen.way as u32).to_le_bytes());
        option(body, EPB_PACKET_ID, &seen.id.to_le_bytes());
        end_of_options(body);
    });
}

/// What an interface has seen, at the file's end.
pub(super) fn statistics(out: &mut Vec<u8>, of: &Statistics) {
    block(out, INTERFACE_STATISTICS, |body| {
        body.extend(of.interface.to_le_bytes());
        timestamp(body, of.end_ns);
        for (code, at_ns) in [(ISB_START, of.start_ns), (ISB_END, of.end_ns)] {
            let mut halves = Vec::new();
            timestamp(&mut halves, at_ns);
            option(body, code, &halves);
        }
        option(body, ISB_RECEIVED, &of.received.to_le_bytes());
        option(body, ISB_DROPPED, &of.dropped.to_le_bytes());
        end_of_options(body);
    });
}

fn block(out: &mut Vec<u8>, kind: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend(kind.to_le_bytes());
    out.extend([0; 4]);
    fill(out);
    let total = length(out.len() - start + 4).to_le_bytes();
    out.extend(total);
    out[start + 4..start + 8].copy_from_slice(&total);
}

/// The high half first, in either byte order.
fn timestamp(out: &mut Vec<u8>, at_ns: u64) {
    out.extend(((at_ns >> 32) as u32).to_le_bytes());
    out.extend((at_ns as u32).to_le_bytes());
}

fn text(out: &mut Vec<u8>, code: u16, value: &str) {
    let mut end = value.len().min(usize::from(u16::MAX));
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    option(out, code, &value.as_bytes()[..end]);
}

/// `value` is shorter than 64 KiB.
fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    out.extend(code.to_le_bytes());
    out.extend((value.len() as u16).to_le_bytes());
    out.extend(value);
    pad(out);
}

fn end_of_options(out: &mut Vec<u8>) {
    out.extend([0; 4]);
}

/// Blocks start at multiples of four bytes, so what is in them can be padded by the whole length.
fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

/// Packets and key logs are far shorter than 4 GiB.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block's type and body, after its two lengths are found equal and true.
    fn only_block(bytes: &[u8]) -> (u32, &[u8]) {
        let word =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        assert_eq!(bytes.len() % 4, 0);
        assert_eq!(word(4) as usize, bytes.len());
        assert_eq!(word(bytes.len() - 4) as usize, bytes.len());
        (word(0), &bytes[8..bytes.len() - 4])
    }

    /// Options until their end, which must be the body's.
    fn options(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut found = Vec::new();
        loop {
            let code = u16::from_le_bytes([bytes[0], bytes[1]]);
            let len = usize::from(u16::from_le_bytes([bytes[2], bytes[3]]));
            if code == 0 {
                assert_eq!(bytes, [0; 4]);
                return found;
            }
            found.push((code, bytes[4..4 + len].to_vec()));
            bytes = &bytes[4 + len.next_multiple_of(4)..];
        }
    }

    #[test]
    fn a_section_header_is_version_1_0_of_unknown_length() {
        let mut out = Vec::new();
        section_header(&mut out, "app", "remark");
        let (kind, body) = only_block(&out);
        assert_eq!(kind, 0x0a0d_0d0a);
        assert_eq!(body[..8], [0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0]);
        assert_eq!(body[8..16], [0xff; 8]);
        assert_eq!(
            options(&body[16..]),
            [(1, b"remark".into()), (4, b"app".into())]
        );
    }

    #[test]
    fn an_interface_carries_one_version_of_ip_and_counts_nanoseconds() {
        for (family, link_type) in [(Family::Four, 228), (Family::Six, 229)] {
            let mut out = Vec::new();
            interface(&mut out, family, "client", "an end");
            let (kind, body) = only_block(&out);
            assert_eq!(kind, 1);
            assert_eq!(body[..8], [link_type, 0, 0, 0, 0, 0, 0, 0]);
            let expected = [(2, b"client".to_vec()), (3, b"an end".into()), (9, vec![9])];
            assert_eq!(options(&body[8..]), expected);
        }
    }

    #[test]
    fn secrets_are_a_tls_key_log() {
        let mut out = Vec::new();
        secrets(&mut out, "A B C\n");
        let (kind, body) = only_block(&out);
        assert_eq!(kind, 10);
        assert_eq!(body, b"KSLT\x06\0\0\0A B C\n\0\0");
    }

    #[test]
    fn a_packet_has_its_time_bytes_way_number_and_comment() {
        let mut out = Vec::new();
        let seen = SeenPacket {
            interface: 1,
            at_ns: 0x0123_4567_89ab_cdef,
            id: 7,
            way: Way::Outbound,
            bytes: &[0x45, 1, 2, 3, 4],
            comment: "dropped: loss",
        };
        packet(&mut out, &seen);
        let (kind, body) = only_block(&out);
        assert_eq!(kind, 6);
        assert_eq!(body[..4], [1, 0, 0, 0]);
        assert_eq!(
            body[4..12],
            [0x67, 0x45, 0x23, 0x01, 0xef, 0xcd, 0xab, 0x89]
        );
        assert_eq!(body[12..20], [5, 0, 0, 0, 5, 0, 0, 0]);
        assert_eq!(body[20..28], [0x45, 1, 2, 3, 4, 0, 0, 0]);
        let expected = [
            (1, b"dropped: loss".to_vec()),
            (2, vec![2, 0, 0, 0]),
            (5, vec![7, 0, 0, 0, 0, 0, 0, 0]),
        ];
        assert_eq!(options(&body[28..]), expected);
    }

    #[test]
    fn a_packet_without_comment_has_no_such_option() {
        let mut out = Vec::new();
        let seen = SeenPacket {
            interface: 0,
            at_ns: 0,
            id: 0,
            way: Way::Inbound,
            bytes: &[],
            comment: "",
        };
        packet(&mut out, &seen);
        let codes: Vec<u16> = options(&only_block(&out).1[20..])
            .into_iter()
            .map(|(code, _)| code)
            .collect();
        assert_eq!(codes, [2, 5]);
    }

    #[test]
    fn statistics_count_what_was_there_and_what_was_lost() {
        let mut out = Vec::new();
        let of = Statistics {
            interface: 1,
            start_ns: 1 << 32,
            end_ns: 2 << 32,
            received: 3,
            dropped: 4,
        };
        statistics(&mut out, &of);
        let (kind, body) = only_block(&out);
        assert_eq!(kind, 5);
        assert_eq!(body[..12], [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        let expected = [
            (2, vec![1, 0, 0, 0, 0, 0, 0, 0]),
            (3, vec![2, 0, 0, 0, 0, 0, 0, 0]),
            (4, vec![3, 0, 0, 0, 0, 0, 0, 0]),
            (5, vec![4, 0, 0, 0, 0, 0, 0, 0]),
        ];
        assert_eq!(options(&body[12..]), expected);
    }

    #[test]
    fn a_long_comment_is_cut_between_two_characters() {
        let mut out = Vec::new();
        section_header(&mut out, "", &"é".repeat(40_000));
        let found = options(&only_block(&out).1[16..]);
        assert_eq!(found[0].1, "é".repeat(32_767).into_bytes());
    }
}
