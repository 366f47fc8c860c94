//! Which flow a packet belongs to (RFC 8290, section 4.1).

use std::net::IpAddr;

/// What the packets of one flow share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    /// The source address and the destination's.
    pub addresses: (IpAddr, IpAddr),
    /// The number of the protocol above IP.
    pub protocol: u8,
    /// TCP's or UDP's ports; zero with other protocols, and in fragments.
    pub ports: [u8; 4],
}

impl Flow {
    /// A number that differs between flows but by chance; `key` settles which.
    #[must_use]
    pub fn hash(&self, key: u64) -> u64 {
        let rest = u64::from(u32::from_be_bytes(self.ports)) | u64::from(self.protocol) << 32;
        let half = fold(self.addresses_in_one() ^ key, 0x9e37_79b9_7f4a_7c15);
        fold(half ^ rest, 0xbf58_476d_1ce4_e5b9 ^ key.rotate_left(32))
    }

    /// IPv4's addresses as they are, IPv6's mixed.
    fn addresses_in_one(&self) -> u64 {
        match self.addresses {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                u64::from(from.to_bits()) << 32 | u64::from(to.to_bits())
            }
            (from, to) => {
                let halves = [from, to].map(|address| match address {
                    IpAddr::V4(four) => [0, u64::from(four.to_bits())],
                    IpAddr::V6(six) => [(six.to_bits() >> 64) as u64, six.to_bits() as u64],
                });
                let mix = |mixed, half: u64| fold(mixed ^ half, 0x94d0_49bb_1331_11eb);
                halves.as_flattened().iter().copied().fold(0, mix)
            }
        }
    }
}

/// Mixes by a product of double width.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x2545_f491_4f6c_dd1d) * u128::from(b | 1);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_that_differ_by_a_port_spread_over_all_queues() {
        let of = |ends: [&str; 2]| ends.map(|end| end.parse().expect("an address"));
        let [four, six] = [of(["198.18.0.1", "198.18.0.2"]), of(["fd00::1", "fd00::2"])];
        for [from, to] in [four, six] {
            spread((from, to));
        }
    }

    fn spread(addresses: (IpAddr, IpAddr)) {
        let flow = |port: u16| Flow {
            addresses,
            protocol: 17,
            ports: [port.to_be_bytes(), [1, 187]]
                .concat()
                .try_into()
                .expect("four bytes"),
        };
        for key in [0, 1, u64::MAX] {
            let mut queues = [0u32; 64];
            for port in 0..=u16::MAX {
                queues[(flow(port).hash(key) % 64) as usize] += 1;
            }
            // 1024 each are expected; seven standard deviations (224) either way in one of 192
            // queues happen by chance less than once in 10^9.
            assert!(queues.iter().all(|n| (800..1248).contains(n)), "{queues:?}");
        }
        assert_ne!(flow(1).hash(1), flow(1).hash(2));
    }
}
