//! Which prefix a client belongs to, and which client it is, as keyed hashes: no address is kept, and nobody who doesn't know the secret can choose
//! addresses whose hashes collide, or that are pinned.

use core::hash::Hasher;
use core::net::{IpAddr, Ipv6Addr};

use siphasher::sip::SipHasher24;

/// Prefix lengths where none are asked for: own and parent's, of IPv4.
const IPV4_BITS: (u8, u8) = (24, 16);
/// The same of IPv6.
const IPV6_BITS: (u8, u8) = (56, 40);
/// Of IPv6, what one client is told from others by, unless a key's own prefix is longer: it changes its address as it likes within a network (RFC 8981).
const IPV6_CLIENT_BITS: u8 = 64;
/// Of the hash of a client.
const CLIENT: u8 = 1;

/// A client's prefix, the greater one around it and the client itself, as keyed hashes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keys {
    /// Of the client's own prefix.
    pub own: u64,
    /// Of its parent.
    pub parent: u64,
    /// Of the client: of its address, or of the /64 that it is in.
    pub client: u64,
}

/// The keys of `address`. An IPv4-mapped address counts as IPv4. Bits are of the family that the address counts as;
/// 0, or more than it has, stands for the default: /24 in /16, or /56 in /40.
pub(crate) fn keys_of(secret: &[u8; 16], address: IpAddr, own: u8, parent: u8) -> Keys {
    let (family, bytes, width, default) = match address.to_canonical() {
        IpAddr::V4(v4) => {
            let mut bytes = [0; 16];
            for (place, byte) in bytes.iter_mut().zip(v4.octets()) {
                *place = byte;
            }
            (4, bytes, 32, IPV4_BITS)
        }
        IpAddr::V6(v6) => (6, v6.octets(), 128, IPV6_BITS),
    };
    let asked = |bits: u8, default: u8| {
        if (1..=width).contains(&bits) {
            bits
        } else {
            default
        }
    };
    let own = asked(own, default.0);
    let client = match family {
        4 => width,
        _ => own.max(IPV6_CLIENT_BITS),
    };
    Keys {
        own: prefix(secret, family, bytes, own),
        parent: prefix(secret, family, bytes, asked(parent, default.1)),
        client: prefix(secret, family | CLIENT, bytes, client),
    }
}

/// SipHash-2-4 of (`label`, `words`): other labels, unrelated hashes.
pub(crate) fn hash(secret: &[u8; 16], label: u8, words: [u64; 2]) -> u64 {
    let mut hasher = SipHasher24::new_with_key(secret);
    hasher.write(&[label]);
    for word in words {
        hasher.write(&word.to_le_bytes());
    }
    hasher.finish()
}

fn prefix(secret: &[u8; 16], family: u8, address: [u8; 16], bits: u8) -> u64 {
    let address = u128::from(Ipv6Addr::from(address));
    let mask = u128::MAX
        .checked_shl(128 - u32::from(bits))
        .unwrap_or(u128::MAX);
    let masked = (address & mask).to_be_bytes();
    let mut hasher = SipHasher24::new_with_key(secret);
    hasher.write(&[family, bits]);
    hasher.write(&masked);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    fn keys(address: &str) -> Keys {
        keys_of(&SECRET, address.parse().expect("an address"), 0, 0)
    }

    #[test]
    fn the_hash_is_that_of_the_paper() {
        // Aumasson and Bernstein 2012, appendix A.
        let mut hasher = SipHasher24::new_with_key(&SECRET);
        hasher.write(&SECRET[..15]);
        assert_eq!(hasher.finish(), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn a_key_is_a_prefix() {
        assert_eq!(keys("192.0.2.7").own, keys("192.0.2.200").own);
        assert_ne!(keys("192.0.2.7").own, keys("192.0.3.7").own);
        assert_eq!(keys("192.0.2.7").parent, keys("192.0.3.7").parent);
        assert_eq!(keys("2001:db8:1:200::1").own, keys("2001:db8:1:2ff::9").own);
        assert_ne!(keys("2001:db8:1:200::1").own, keys("2001:db8:1:300::1").own);
    }

    #[test]
    fn a_client_is_an_address_of_ipv4_and_a_network_of_ipv6() {
        assert_ne!(keys("192.0.2.7").client, keys("192.0.2.8").client);
        let [one, alike, other] = [
            "2001:db8:1:200::1",
            "2001:db8:1:200::9",
            "2001:db8:1:201::1",
        ]
        .map(|address| keys(address).client);
        assert!(one == alike && one != other);
        let whole = |address: &str| {
            let address = address.parse().expect("an address");
            keys_of(&SECRET, address, 128, 64).client
        };
        assert_ne!(whole("2001:db8:1:200::1"), whole("2001:db8:1:200::9"));
        let host = keys_of(&SECRET, "192.0.2.7".parse().expect("one"), 32, 16);
        assert_ne!(host.own, host.client, "hashes of their own");
    }

    #[test]
    fn an_ipv4_mapped_address_counts_as_ipv4() {
        assert_eq!(keys("::ffff:192.0.2.7"), keys("192.0.2.7"));
    }

    #[test]
    fn lengths_that_a_family_has_not_stand_for_the_default() {
        let address = "192.0.2.7".parse().expect("an address");
        assert_eq!(keys_of(&SECRET, address, 56, 40), keys("192.0.2.7"));
        assert_ne!(keys_of(&SECRET, address, 32, 24), keys("192.0.2.7"));
        let whole = "2001:db8::1".parse().expect("an address");
        assert_ne!(
            keys_of(&SECRET, whole, 128, 64).own,
            keys("2001:db8::1").own
        );
    }

    #[test]
    fn families_and_lengths_have_hashes_of_their_own() {
        let v4 = keys_of(&SECRET, "0.0.0.0".parse().expect("an address"), 24, 24);
        let v6 = keys_of(&SECRET, "1::".parse().expect("an address"), 24, 24);
        assert_ne!(v4.own, v6.own);
        assert_eq!(v4.own, v4.parent); // equal prefixes; the table keeps own keys and parents apart
    }
}
