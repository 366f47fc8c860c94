//! The messages of rtnetlink that set up a host's network (`rtnetlink(7)`).

use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::congestion::CongestionControl;
use crate::netlink::Request;

// linux/rtnetlink.h, linux/if_link.h, linux/pkt_sched.h: what the libc crate does not hold.
const TC_H_ROOT: u32 = 0xffff_ffff;
const RTA_OIF: u16 = 4;
const RTA_DST: u16 = 1;
const RTA_METRICS: u16 = 8;
const RTA_PREFSRC: u16 = 7;
const RTAX_LOCK: u16 = 1;
const RTAX_CC_ALGO: u16 = 16;
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

/// An address of a device, without a route to its network.
pub(crate) fn new_address(index: u32, address: Ipv4Addr) -> Request {
    let index = index.to_ne_bytes();
    let header = [[libc::AF_INET as u8, 32, 0, libc::RT_SCOPE_UNIVERSE], index].concat();
    Request::new(
        libc::RTM_NEWADDR,
        libc::NLM_F_CREATE | libc::NLM_F_EXCL,
        &header,
    )
    .attribute(libc::IFA_LOCAL, &address.octets())
    .attribute(libc::IFA_FLAGS, &libc::IFA_F_NOPREFIXROUTE.to_ne_bytes())
}

/// The end of an address of a device, as [`new_address`] made it.
pub(crate) fn no_address(index: u32, address: Ipv4Addr) -> Request {
    let index = index.to_ne_bytes();
    let header = [[libc::AF_INET as u8, 32, 0, libc::RT_SCOPE_UNIVERSE], index].concat();
    Request::new(libc::RTM_DELADDR, 0, &header).attribute(libc::IFA_LOCAL, &address.octets())
}

/// A route to a network by a device; `gateway` where the network is not the device's own,
/// `congestion_control` where the route has one.
/// It is refused where there is one already.
pub(crate) fn new_route(
    index: u32,
    network: (Ipv4Addr, u8),
    gateway: Option<Ipv4Addr>,
    source: Ipv4Addr,
    congestion_control: Option<&CongestionControl>,
) -> Request {
    route(
        libc::NLM_F_EXCL,
        index,
        network,
        gateway,
        source,
        congestion_control,
    )
}

/// A route as [`new_route`]'s to the device's own network, in the place of the one that there is.
pub(crate) fn other_route(
    index: u32,
    network: (Ipv4Addr, u8),
    source: Ipv4Addr,
    congestion_control: Option<&CongestionControl>,
) -> Request {
    route(
        libc::NLM_F_REPLACE,
        index,
        network,
        None,
        source,
        congestion_control,
    )
}

fn route(
    flags: i32,
    index: u32,
    (network, prefix): (Ipv4Addr, u8),
    gateway: Option<Ipv4Addr>,
    source: Ipv4Addr,
    congestion_control: Option<&CongestionControl>,
) -> Request {
    let scope = match gateway {
        Some(_) => libc::RT_SCOPE_UNIVERSE,
        None => libc::RT_SCOPE_LINK,
    };
    let header = [
        [libc::AF_INET as u8, prefix, 0, 0],
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
        route = route.attribute(RTA_GATEWAY, &gateway.octets());
    }
    route = route
        .attribute(RTA_DST, &network.octets())
        .attribute(RTA_OIF, &index.to_ne_bytes())
        .attribute(RTA_PREFSRC, &source.octets());
    let Some(control) = congestion_control else {
        return route;
    };
    route.nest(RTA_METRICS, |mut metrics| {
        if matches!(control, CongestionControl::Locked(_)) {
            let lock = 1u32 << RTAX_CC_ALGO;
            metrics = metrics.attribute(RTAX_LOCK, &lock.to_ne_bytes());
        }
        let name = [control.name().as_bytes(), b"\0"].concat();
        metrics.attribute(RTAX_CC_ALGO, &name)
    })
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
