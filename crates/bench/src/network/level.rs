//! The addresses of a bench by its level: how many paths lie between its client and the machine.

use std::net::Ipv4Addr;

use crate::side::Side;

/// Further addresses that a server can have.
pub(crate) const MOST_FURTHER: usize = 2000;

/// The last bytes of further addresses, the first and the last of them.
const FURTHER: (u8, u8) = (16, 239);

/// Which addresses a bench's hosts have, all from the range for benchmarks, 198.18.0.0/15 (RFC 2544,
/// appendix C), which no route of the Internet leads to. Level n has 198.18.n.0/28:
///
/// | address | whose |
/// |---|---|
/// | 198.18.n.1, .2 | the client, the server |
/// | 198.18.n.3, .4 | client and server as ends of the cross traffic |
/// | 198.18.n.5, .6 | the uplink: its end in the namespace around, and at the server |
/// | 198.18.n.9 | the client after a handover |
/// | 198.18.n.16 and up, beyond .239 those of n + 1, n + 2, … | further addresses of the server |
///
/// Level 0 is an experiment's, whose hosts see nothing but each other. A bench made within another
/// one's client has a higher level than that, so that no address means two hosts on one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

impl Level {
    /// The first level, not below `least`, that is free in this thread's network namespace: above every
    /// path that it lies behind, and without addresses here. `None` where there is none.
    #[must_use]
    pub fn free(least: u8) -> Option<Level> {
        let here = addresses();
        let behind = here
            .iter()
            .filter(|(device, _)| device == crate::network::device::DEVICE)
            .filter_map(|(_, address)| Level::of(*address))
            .max();
        let first = behind.map_or(Some(1), |Level(level)| level.checked_add(1))?;
        (first.max(least)..=u8::MAX).map(Level).find(|level| {
            here.iter()
                .all(|(_, address)| Level::of(*address) != Some(*level))
        })
    }

    /// The number.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// The address of one of the two hosts.
    #[must_use]
    pub fn address(self, side: Side) -> Ipv4Addr {
        match side {
            Side::Client => self.host(1),
            Side::Server => self.host(2),
        }
    }

    /// The client's address after a handover.
    #[must_use]
    pub fn address_after_handover(self) -> Ipv4Addr {
        self.host(9)
    }

    /// The further addresses of the server, at most [`MOST_FURTHER`]; near the last level fewer.
    pub(crate) fn further(self) -> impl Iterator<Item = Ipv4Addr> {
        let (first, last) = FURTHER;
        let (least, most) = (u32::from(first), u32::from(last));
        let thirds = u32::from(self.0)..=255;
        thirds
            .flat_map(move |third| (least..=most).map(move |fourth| (third << 8) | fourth))
            .map(|number| Ipv4Addr::from_bits(0xC612_0000 | number))
            .take(MOST_FURTHER)
    }

    /// The uplink's end in the namespace around.
    #[must_use]
    pub fn uplink(self) -> Ipv4Addr {
        self.host(5)
    }

    /// The uplink's end at the server.
    pub(crate) fn uplink_here(self) -> Ipv4Addr {
        self.host(6)
    }

    /// What a host reaches over the path, as networks.
    pub(crate) fn over_the_path(self, side: Side) -> Vec<(Ipv4Addr, u8)> {
        match (self, side) {
            (Level(0), _) => vec![(Ipv4Addr::new(198, 18, 0, 0), 15)],
            (_, Side::Client) => vec![(Ipv4Addr::UNSPECIFIED, 0)],
            (Level(level), Side::Server) => {
                // The client, whose addresses a NAT may change to 198.19, and every level behind it.
                let mut networks = vec![
                    (Ipv4Addr::new(198, 18, level, 0), 30),
                    (Ipv4Addr::new(198, 18, level, 8), 29),
                    (Ipv4Addr::new(198, 19, 0, 0), 16),
                ];
                let mut third = u32::from(level) + 1;
                while third < 256 {
                    let bits = third.trailing_zeros() as u8;
                    networks.push((Ipv4Addr::new(198, 18, third as u8, 0), 24 - bits));
                    third += 1 << bits;
                }
                networks
            }
        }
    }

    fn host(self, number: u8) -> Ipv4Addr {
        Ipv4Addr::new(198, 18, self.0, number)
    }

    fn of(address: Ipv4Addr) -> Option<Level> {
        match address.octets() {
            [198, 18, level, _] => Some(Level(level)),
            _ => None,
        }
    }
}

/// The devices of this thread's network namespace with their IPv4 addresses.
fn addresses() -> Vec<(String, Ipv4Addr)> {
    let found = nix::ifaddrs::getifaddrs();
    found
        .into_iter()
        .flatten()
        .filter_map(|entry| Some((entry.interface_name, entry.address?.as_sockaddr_in()?.ip())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_addresses_are_nobody_elses_and_reached_over_the_path() {
        let further: Vec<_> = Level::default().further().collect();
        assert_eq!(further.len(), MOST_FURTHER);
        assert_eq!(further[0], Ipv4Addr::new(198, 18, 0, 16));
        assert_eq!(further[224], Ipv4Addr::new(198, 18, 1, 16));
        for address in further {
            let [first, second, _, fourth] = address.octets();
            assert_eq!([first, second], [198, 18]);
            assert!(fourth >= 16, "{address}");
        }
    }

    #[test]
    fn a_server_reaches_over_the_path_its_client_and_all_levels_behind_it_and_no_other() {
        for level in [1, 2, 7, 100, 254, 255] {
            let networks = Level(level).over_the_path(Side::Server);
            for third in 0..=255 {
                let covered = |address: Ipv4Addr| {
                    networks.iter().any(|(network, prefix)| {
                        (address.to_bits() ^ network.to_bits()) >> (32 - prefix) == 0
                    })
                };
                let behind = third >= level;
                assert_eq!(covered(Level(third).host(1)), behind, "{level}: {third}");
                assert_eq!(covered(Level(third).host(9)), behind, "{level}: {third}");
                assert_eq!(covered(Level(third).host(6)), third > level);
            }
        }
    }
}
