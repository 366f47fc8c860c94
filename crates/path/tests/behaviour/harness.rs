//! Packets that can be told apart, and ways to send them.

use pronghorn_path::{Counters, Departure, Direction, Link, LinkSpec, Packet, Time};

pub(crate) const MS: u64 = 1_000_000;

/// A packet that remembers what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) id: u64,
    pub(crate) len: usize,
    pub(crate) is_copy: bool,
    pub(crate) flipped: Option<usize>,
    pub(crate) kind: Kind,
}

/// What else a link may ask a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) flow: u64,
    /// Whether it is UDP other than DNS.
    pub(crate) udp: bool,
    pub(crate) ecn: bool,
    /// Whether "congestion experienced" is set.
    pub(crate) marked: bool,
}

impl Packet for Numbered {
    fn len(&self) -> usize {
        self.len
    }

    fn flip_bit(&mut self, bit: usize) {
        assert!(bit < self.len * 8);
        self.flipped = Some(bit);
    }

    fn duplicate(&self) -> Self {
        assert_eq!(
            self.flipped, None,
            "a copy is made before its original is corrupted"
        );
        Numbered {
            is_copy: true,
            ..self.clone()
        }
    }

    fn flow(&self, key: u64) -> u64 {
        // The finaliser of SplitMix64.
        let mut hash = self.kind.flow.wrapping_add(key);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }

    fn is_udp_other_than_dns(&self) -> bool {
        self.kind.udp
    }

    fn mark_congestion(&mut self) -> bool {
        self.kind.marked |= self.kind.ecn;
        self.kind.marked
    }
}

/// A packet without a flow of its own, neither UDP nor to be marked.
pub(crate) fn numbered(id: u64, len: usize) -> Numbered {
    of_kind(id, len, Kind::default())
}

/// A packet that its number puts into one of five flows; every third is UDP, every other may be marked.
pub(crate) fn assorted(id: u64, len: usize) -> Numbered {
    let kind = Kind {
        flow: id % 5,
        udp: id % 3 == 0,
        ecn: id % 2 == 0,
        marked: false,
    };
    of_kind(id, len, kind)
}

pub(crate) fn of_kind(id: u64, len: usize, kind: Kind) -> Numbered {
    Numbered {
        id,
        len,
        is_copy: false,
        flipped: None,
        kind,
    }
}

pub(crate) fn link(spec: &LinkSpec, seed: u64) -> Link<Numbered> {
    Link::new(spec, seed, Direction::Down).expect("a valid specification")
}

/// A packet to send: when, and how long it is.
pub(crate) type Sending = (Time, usize);

/// `count` packets of `len` bytes, `gap_ns` apart, the first at 0.
pub(crate) fn evenly(count: u64, gap_ns: u64, len: usize) -> Vec<Sending> {
    (0..count).map(|i| (Time(i * gap_ns), len)).collect()
}

/// Everything that `now` lets out.
pub(crate) fn drain(link: &mut Link<Numbered>, now: Time) -> Vec<Departure<Numbered>> {
    std::iter::from_fn(|| link.pop(now)).collect()
}

/// What became of packets sent at once and popped punctually, until the link was empty.
pub(crate) fn send(
    spec: &LinkSpec,
    seed: u64,
    sendings: &[Sending],
) -> (Vec<Departure<Numbered>>, Counters) {
    send_each(spec, seed, sendings, numbered)
}

/// As [`send`], each packet made of its number and its length.
pub(crate) fn send_each(
    spec: &LinkSpec,
    seed: u64,
    sendings: &[Sending],
    packet: impl Fn(u64, usize) -> Numbered,
) -> (Vec<Departure<Numbered>>, Counters) {
    let mut link = link(spec, seed);
    let mut departures = Vec::new();
    for (id, (at, len)) in (0..).zip(sendings) {
        departures.append(&mut drain(&mut link, *at));
        link.push(*at, packet(id, *len));
    }
    departures.append(&mut drain(&mut link, Time::MAX));
    assert_eq!(link.next_due(), None);
    assert_eq!(link.counters().held, 0);
    assert!(link.counters().balance());
    (departures, link.counters().clone())
}

/// What is said of a link that can't be.
pub(crate) fn message(spec: &LinkSpec) -> String {
    spec.validate().expect_err("it must be refused").to_string()
}
