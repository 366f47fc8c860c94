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
}

pub(crate) fn numbered(id: u64, len: usize) -> Numbered {
    Numbered {
        id,
        len,
        is_copy: false,
        flipped: None,
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
    let mut link = link(spec, seed);
    let mut departures = Vec::new();
    for (id, (at, len)) in (0..).zip(sendings) {
        departures.append(&mut drain(&mut link, *at));
        link.push(*at, numbered(id, *len));
    }
    departures.append(&mut drain(&mut link, Time::MAX));
    assert_eq!(link.next_due(), None);
    assert_eq!(link.counters().held, 0);
    assert!(link.counters().balance());
    (departures, link.counters().clone())
}
