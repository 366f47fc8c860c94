//! Destinations that lie farther away than others.

use std::net::{IpAddr, Ipv4Addr};

use pronghorn_path::{Direction, Far, Jitter, Link, LinkSpec, Order, Packet, Time};

const NEAR: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2));
const FAR: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 16));
const MS: u64 = 1_000_000;

/// A numbered packet to an address.
#[derive(Clone, Debug, PartialEq)]
struct To(IpAddr, u32);

impl Packet for To {
    fn len(&self) -> usize {
        100
    }

    fn flip_bit(&mut self, _: usize) {}

    fn duplicate(&self) -> To {
        self.clone()
    }

    fn destination(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

/// What leaves a link, with the times at which it is due, if packets to both places enter in turn, one a millisecond.
fn departures(spec: &LinkSpec) -> Vec<(u64, To)> {
    let mut link = Link::new(spec, 1, Direction::Up).expect("a valid link");
    for number in 0..20 {
        let to = if number % 2 == 0 { FAR } else { NEAR };
        link.push(Time(u64::from(number) * MS), To(to, number));
    }
    let mut left = Vec::new();
    while let Some(departure) = link.pop(Time(10_000 * MS)) {
        left.push((departure.due.0, departure.packet));
    }
    left
}

fn spec() -> LinkSpec {
    LinkSpec {
        delay_ns: 10 * MS,
        far: vec![Far {
            address: FAR,
            delay_ns: 5 * MS,
        }],
        ..LinkSpec::default()
    }
}

#[test]
fn what_goes_to_a_far_address_is_delayed_for_longer_and_keeps_nobody_else() {
    let left = departures(&spec());
    assert_eq!(left.len(), 20);
    for (due, To(to, number)) in left {
        let extra = if to == FAR { 15 } else { 10 };
        assert_eq!(due, (u64::from(number) + extra) * MS, "{number}");
    }
}

#[test]
fn order_is_kept_among_the_packets_to_one_place() {
    let jittery = |order| LinkSpec {
        jitter: Some(Jitter {
            spread_ns: 8 * MS,
            order,
            ..Jitter::default()
        }),
        ..spec()
    };
    let in_order = |order| {
        let left = departures(&jittery(order));
        [NEAR, FAR].map(|place| {
            let numbers = left.iter().filter(|(_, to)| to.0 == place);
            numbers.map(|(_, to)| to.1).is_sorted()
        })
    };
    assert_eq!(in_order(Order::Keep), [true, true]);
    assert_ne!(in_order(Order::Break), [true, true]);
}

#[test]
fn without_far_addresses_a_link_decides_as_ever() {
    let same = LinkSpec {
        far: vec![Far {
            address: FAR,
            delay_ns: 0,
        }],
        ..spec()
    };
    let none = LinkSpec {
        far: Vec::new(),
        ..spec()
    };
    assert_eq!(departures(&same), departures(&none));
}
