//! Which addresses the hosts of a bench have.

use std::net::{IpAddr, Ipv6Addr};

use pronghorn_path::Family;

use crate::network::level::{Level, MOST_FURTHER};
use crate::side::Side;

/// The network of IPv6's benches, a unique local one (RFC 4193): no route of the Internet leads to it. Its global identifier
/// spells "prong", so that an address in a capture is known; it is no random one, for it is joined to no other network.
const NETWORK: Network = (IpAddr::V6(address(0)), 48);

/// To where Chromium asks for a route before it looks up IPv6 addresses (`kIPv6ProbeDest`,
/// net/dns/host_resolver_manager.cc);
/// it sends nothing there.
const PROBED: Network = (
    IpAddr::V6(Ipv6Addr::new(0x2001, 0x4860, 0x4860, 0, 0, 0, 0, 0x8888)),
    128,
);

/// The first of the further addresses of the server over IPv6.
const FIRST_FURTHER: u32 = 0x1_0000;

/// An IP network: an address of it, and how many bits are its.
pub(crate) type Network = (IpAddr, u8);

/// The addresses of a bench's hosts, by version of IP. Those of IPv4 are a level's ([`Level`]). Those of IPv6 are
/// fd70:726f:6e67:: and the same last numbers; such a bench lies in no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressing {
    Four(Level),
    Six,
}

impl Addressing {
    /// Those of a bench over whose path `family` is spoken; `level` matters to IPv4 alone.
    pub(crate) fn of(family: Family, level: Level) -> Addressing {
        match family {
            Family::Four => Addressing::Four(level),
            Family::Six => Addressing::Six,
        }
    }

    pub(crate) fn family(self) -> Family {
        match self {
            Addressing::Four(_) => Family::Four,
            Addressing::Six => Family::Six,
        }
    }

    /// The address of one of the two hosts.
    pub(crate) fn address(self, side: Side) -> IpAddr {
        match (self, side) {
            (Addressing::Four(level), side) => level.address(side).into(),
            (Addressing::Six, Side::Client) => address(1).into(),
            (Addressing::Six, Side::Server) => address(2).into(),
        }
    }

    /// One of the hosts as an end of the cross traffic.
    pub(crate) fn address_of_cross(self, side: Side) -> IpAddr {
        match self.address(side) {
            IpAddr::V4(own) => IpAddr::V4((own.to_bits() + 2).into()),
            IpAddr::V6(own) => IpAddr::V6((own.to_bits() + 2).into()),
        }
    }

    /// The client's address after a handover.
    pub(crate) fn address_after_handover(self) -> IpAddr {
        match self {
            Addressing::Four(level) => level.address_after_handover().into(),
            Addressing::Six => address(9).into(),
        }
    }

    /// The first of the further addresses of the server; fewer than `number` where there aren't as many.
    pub(crate) fn further(self, number: usize) -> Vec<IpAddr> {
        match self {
            Addressing::Four(level) => level.further().take(number).map(IpAddr::V4).collect(),
            Addressing::Six => (FIRST_FURTHER..)
                .take(number.min(MOST_FURTHER))
                .map(|last| address(last).into())
                .collect(),
        }
    }

    /// What a host reaches over the path.
    pub(crate) fn over_the_path(self, side: Side) -> Vec<Network> {
        match self {
            Addressing::Four(level) => level
                .over_the_path(side)
                .into_iter()
                .map(|(network, prefix)| (network.into(), prefix))
                .collect(),
            Addressing::Six => match side {
                Side::Client => vec![NETWORK, PROBED],
                Side::Server => vec![NETWORK],
            },
        }
    }
}

/// The address with these last 32 bits.
const fn address(last: u32) -> Ipv6Addr {
    Ipv6Addr::from_bits(0xfd70_726f_6e67 << 80 | last as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_ipv6_have_the_last_numbers_of_those_of_ipv4() {
        let told = |side| {
            let six = Addressing::Six;
            [six.address(side), six.address_of_cross(side)].map(|address| address.to_string())
        };
        assert_eq!(
            told(Side::Client),
            ["fd70:726f:6e67::1", "fd70:726f:6e67::3"]
        );
        assert_eq!(
            told(Side::Server),
            ["fd70:726f:6e67::2", "fd70:726f:6e67::4"]
        );
        let four = Addressing::of(Family::Four, Level::default());
        assert_eq!(
            four.address_of_cross(Side::Server),
            IpAddr::from([198, 18, 0, 4])
        );
        assert_eq!(Addressing::Six.family(), Family::Six);
    }

    #[test]
    fn further_addresses_are_different_and_at_most_two_thousand() {
        for (addressing, first) in [
            (Addressing::Six, "fd70:726f:6e67::1:0"),
            (Addressing::Four(Level::default()), "198.18.0.16"),
        ] {
            let mut further = addressing.further(5000);
            assert_eq!(further[0].to_string(), first);
            further.dedup();
            assert_eq!(further.len(), MOST_FURTHER);
            assert_eq!(addressing.further(3).len(), 3);
        }
    }
}
