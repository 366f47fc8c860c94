//! The messages of rtnetlink that set up a host's network (`rtnetlink(7)`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, BorrowedFd};

use pronghorn_path::Family;

use crate::network::congestion::TcpCongestionControl;
use crate::network::netlink::{Request, attribute};

// linux/rtnetlink.h, linux/if_link.h, linux/pkt_sched.h: what the libc crate does not hold.
const TC_H_ROOT: u32 = 0xffff_ffff;
const RTA_OIF: u16 = 4;
const RTA_DST: u16 = 1;
const RTA_METRICS: u16 = 8;
const RTA_PREFSRC: u16 = 7;
const RTAX_LOCK: u16 = 1;
const RTAX_INITCWND: u16 = 11;
const RTAX_CC_ALGO: u16 = 16;
/// Bytes of `struct rtmsg`.
const ROUTE_HEADER: usize = 12;
const IFLA_INET6_ADDR_GEN_MODE: u16 = 8;
const IN6_ADDR_GEN_MODE_NONE: u8 = 1;

// linux/if_link.h, linux/veth.h, linux/ip.h.
const VETH_INFO_PEER: u16 = 1;
const IFLA_INET_CONF: u16 = 1;
const IPV4_DEVCONF_FORWARDING: u16 = 1;
const RTA_GATEWAY: u16 = 5;

/// An `RTM_NEWLINK` that raises `flags` on an existing link.
pub(crate) fn link(index: u32, flags: u32) -> Request {
    let mut header = [0; 16];
    header[4..8].copy_from_slice(&index.to_ne_bytes());
    header[8..12].copy_from_slice(&flags.to_ne_bytes());
    header[12..16].copy_from_slice(&flags.to_ne_bytes());
    Request::new(libc::RTM_NEWLINK, 0, &header)
}

/// The end of an existing link.
pub(crate) fn no_link(index: u32) -> Request {
    let mut header = [0; 16];
    header[4..8].copy_from_slice(&index.to_ne_bytes());
    Request::new(libc::RTM_DELLINK, 0, &header)
}

/// An address of a device, without a route to its network. An IPv6 one is usable at once: whether another host has it isn't
/// asked (RFC 4862, section 5.4).
pub(crate) fn new_address(index: u32, address: IpAddr) -> Request {
    let flags = match address {
        IpAddr::V4(_) => libc::IFA_F_NOPREFIXROUTE,
        IpAddr::V6(_) => libc::IFA_F_NOPREFIXROUTE | libc::IFA_F_NODAD,
    };
    let kinds = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
    address_message(libc::RTM_NEWADDR, kinds, index, address)
        .attribute(libc::IFA_FLAGS, &flags.to_ne_bytes())
}

/// The end of an address of a device, as [`new_address`] made it.
pub(crate) fn no_address(index: u32, address: IpAddr) -> Request {
    address_message(libc::RTM_DELADDR, 0, index, address)
}

fn address_message(kind: u16, flags: i32, index: u32, address: IpAddr) -> Request {
    let (family, prefix) = (family(address), bits(address));
    let header = [
        [family, prefix, 0, libc::RT_SCOPE_UNIVERSE],
        index.to_ne_bytes(),
    ]
    .concat();
    Request::new(kind, flags, &header).attribute(libc::IFA_LOCAL, &octets(address))
}

/// The kernel's number of an address's version of IP.
fn family(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => libc::AF_INET as u8,
        IpAddr::V6(_) => libc::AF_INET6 as u8,
    }
}

/// How many bits an address has.
pub(crate) fn bits(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

/// What a route tells TCP (`ip-route(8)`); nothing by default.
#[derive(Clone, Copy, Default)]
pub(crate) struct Metrics<'a> {
    pub(crate) congestion_control: Option<&'a TcpCongestionControl>,
    /// The initial congestion window, in segments.
    pub(crate) initial_window_segments: Option<u32>,
}

impl<'a> From<Option<&'a TcpCongestionControl>> for Metrics<'a> {
    fn from(congestion_control: Option<&'a TcpCongestionControl>) -> Self {
        Metrics {
            congestion_control,
            initial_window_segments: None,
        }
    }
}

impl Metrics<'_> {
    fn is_empty(&self) -> bool {
        self.congestion_control.is_none() && self.initial_window_segments.is_none()
    }

    fn append_to(self, mut metrics: Request) -> Request {
        if matches!(
            self.congestion_control,
            Some(TcpCongestionControl::Locked(_))
        ) {
            let lock = 1u32 << RTAX_CC_ALGO;
            metrics = metrics.attribute(RTAX_LOCK, &lock.to_ne_bytes());
        }
        if let Some(segments) = self.initial_window_segments {
            metrics = metrics.attribute(RTAX_INITCWND, &segments.to_ne_bytes());
        }
        match self.congestion_control {
            Some(control) => {
                let name = [control.name().as_bytes(), b"\0"].concat();
                metrics.attribute(RTAX_CC_ALGO, &name)
            }
            None => metrics,
        }
    }
}

/// A route to a network by a device, with these `metrics`; `gateway` where the network is not the device's own.
/// It is refused where there is one already.
pub(crate) fn new_route(
    index: u32,
    network: (IpAddr, u8),
    gateway: Option<IpAddr>,
    source: IpAddr,
    metrics: Metrics<'_>,
) -> Request {
    route(libc::NLM_F_EXCL, index, network, gateway, source, metrics)
}

/// A route as [`new_route`]'s to the device's own network, in the place of the one that there is.
pub(crate) fn other_route(
    index: u32,
    network: (IpAddr, u8),
    source: IpAddr,
    metrics: Metrics<'_>,
) -> Request {
    route(libc::NLM_F_REPLACE, index, network, None, source, metrics)
}

fn route(
    flags: i32,
    index: u32,
    (network, prefix): (IpAddr, u8),
    gateway: Option<IpAddr>,
    source: IpAddr,
    metrics: Metrics<'_>,
) -> Request {
    let scope = match gateway {
        Some(_) => libc::RT_SCOPE_UNIVERSE,
        None => libc::RT_SCOPE_LINK,
    };
    let header = [
        [family(network), prefix, 0, 0],
        [
            libc::RT_TABLE_MAIN,
            libc::RTPROT_STATIC,
            scope,
            libc::RTN_UNICAST,
        ],
        [0; 4],
    ]
    .concat();
    let mut route = Request::new(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | flags, &header);
    if let Some(gateway) = gateway {
        route = route.attribute(RTA_GATEWAY, &octets(gateway));
    }
    route = route
        .attribute(RTA_DST, &octets(network))
        .attribute(RTA_OIF, &index.to_ne_bytes())
        .attribute(RTA_PREFSRC, &octets(source));
    if metrics.is_empty() {
        return route;
    }
    route.nest(RTA_METRICS, |nest| metrics.append_to(nest))
}

/// Asks for all routes of a version of IP.
pub(crate) fn all_routes(of: Family) -> Request {
    let mut header = [0; ROUTE_HEADER];
    header[0] = match of {
        Family::Four => libc::AF_INET as u8,
        Family::Six => libc::AF_INET6 as u8,
    };
    Request::new(libc::RTM_GETROUTE, 0, &header)
}

/// A route of the main table, as the kernel tells it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KnownRoute {
    pub(crate) network: (IpAddr, u8),
    /// Its device's.
    pub(crate) index: u32,
    pub(crate) congestion_control: Option<String>,
    pub(crate) initial_window_segments: Option<u32>,
}

impl KnownRoute {
    /// The route in a message of the list of [`all_routes`]; none where it is another table's, or has no device.
    pub(crate) fn of(message: &[u8]) -> Option<KnownRoute> {
        let (header, attributes) = message.split_at_checked(ROUTE_HEADER)?;
        if header[4] != libc::RT_TABLE_MAIN {
            return None;
        }
        let number = |value: &[u8]| Some(u32::from_ne_bytes(value.try_into().ok()?));
        let network = match attribute(attributes, RTA_DST) {
            Some(octets) => match <[u8; 4]>::try_from(octets) {
                Ok(four) => Ipv4Addr::from(four).into(),
                Err(_) => Ipv6Addr::from(<[u8; 16]>::try_from(octets).ok()?).into(),
            },
            None if i32::from(header[0]) == libc::AF_INET6 => Ipv6Addr::UNSPECIFIED.into(),
            None => Ipv4Addr::UNSPECIFIED.into(),
        };
        let metrics = attribute(attributes, RTA_METRICS).unwrap_or_default();
        let name = attribute(metrics, RTAX_CC_ALGO).map(|name| {
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(name).into_owned()
        });
        Some(KnownRoute {
            network: (network, header[1]),
            index: attribute(attributes, RTA_OIF).and_then(number)?,
            congestion_control: name,
            initial_window_segments: attribute(metrics, RTAX_INITCWND).and_then(number),
        })
    }
}

/// Puts `noqueue` at the device's root: packets go straight into its ring.
pub(crate) fn no_queueing_discipline(index: u32) -> Request {
    let mut header = [0; 20];
    header[4..8].copy_from_slice(&index.to_ne_bytes());
    header[12..16].copy_from_slice(&TC_H_ROOT.to_ne_bytes());
    Request::new(
        libc::RTM_NEWQDISC,
        libc::NLM_F_CREATE | libc::NLM_F_REPLACE,
        &header,
    )
    .attribute(libc::TCA_KIND, b"noqueue\0")
}

/// Has the kernel pass on, to other hosts, what comes in by a device.
pub(crate) fn forwarding(index: u32) -> Request {
    link(index, 0).nest(libc::IFLA_AF_SPEC, |families| {
        families.nest(libc::AF_INET as u16, |inet| {
            inet.nest(IFLA_INET_CONF, |settings| {
                settings.attribute(IPV4_DEVCONF_FORWARDING, &1u32.to_ne_bytes())
            })
        })
    })
}

/// Keeps the kernel from giving a device an IPv6 address of its own.
pub(crate) fn no_ipv6_address(index: u32) -> Request {
    link(index, 0).nest(libc::IFLA_AF_SPEC, |families| {
        families.nest(libc::AF_INET6 as u16, |inet6| {
            inet6.attribute(IFLA_INET6_ADDR_GEN_MODE, &[IN6_ADDR_GEN_MODE_NONE])
        })
    })
}

/// A pair of virtual Ethernet devices (`veth(4)`): `name` here, `peer` in the network namespace that
/// `elsewhere` refers to. `EEXIST` where either name is taken.
pub(crate) fn new_pair(name: &str, peer: &str, elsewhere: BorrowedFd<'_>) -> Request {
    let named = |request: Request, name: &str| {
        request.attribute(libc::IFLA_IFNAME, &[name.as_bytes(), b"\0"].concat())
    };
    let flags = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
    named(Request::new(libc::RTM_NEWLINK, flags, &[0; 16]), name).nest(
        libc::IFLA_LINKINFO,
        |information| {
            information.attribute(libc::IFLA_INFO_KIND, b"veth\0").nest(
                libc::IFLA_INFO_DATA,
                |data| {
                    data.nest(VETH_INFO_PEER, |far| {
                        let namespace = elsewhere.as_raw_fd().to_ne_bytes();
                        named(far.bytes(&[0; 16]), peer).attribute(libc::IFLA_NET_NS_FD, &namespace)
                    })
                },
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a netlink header, before the message.
    const ENVELOPE: usize = 16;

    #[test]
    fn a_route_is_known_as_it_was_made() {
        let control = TcpCongestionControl::Locked("reno".to_owned());
        let four = (IpAddr::from([198, 18, 0, 0]), 15);
        let six = (IpAddr::V6(Ipv6Addr::from([0xfd; 16])), 48);
        for ((congestion_control, initial_window_segments), network) in [
            ((Some(&control), Some(32)), four),
            ((None, Some(1)), six),
            ((Some(&control), None), six),
            ((None, None), four),
        ] {
            let source = network.0;
            let metrics = Metrics {
                congestion_control,
                initial_window_segments,
            };
            let message = new_route(7, network, None, source, metrics).finished();
            let known = KnownRoute {
                network,
                index: 7,
                congestion_control: congestion_control.map(|control| control.name().to_owned()),
                initial_window_segments,
            };
            assert_eq!(KnownRoute::of(&message[ENVELOPE..]), Some(known));
        }
    }

    #[test]
    fn a_default_route_is_to_everywhere_and_other_tables_are_not_known() {
        let mut message = vec![0; ROUTE_HEADER];
        message[4] = libc::RT_TABLE_MAIN;
        message.extend([8, 0, RTA_OIF as u8, 0, 3, 0, 0, 0]);
        let known = KnownRoute::of(&message).expect("a route");
        assert_eq!(known.network, (Ipv4Addr::UNSPECIFIED.into(), 0));
        message[0] = libc::AF_INET6 as u8;
        let known = KnownRoute::of(&message).expect("a route");
        assert_eq!(known.network, (Ipv6Addr::UNSPECIFIED.into(), 0));
        message[4] = libc::RT_TABLE_LOCAL;
        assert_eq!(KnownRoute::of(&message), None);
        assert_eq!(KnownRoute::of(&message[..5]), None);
    }
}
