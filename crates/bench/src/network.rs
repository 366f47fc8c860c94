//! How a host's network is set up: addresses, routes, and what is kept off the path.

use std::fs;
use std::net::Ipv4Addr;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;

use crate::error::BenchError;
use crate::netlink::{Request, Socket};
use crate::tun::{Offloads, Tun};

/// The device by which a host reaches the other one.
pub(crate) const DEVICE: &str = "path0";

/// Bytes an IP packet may have, as on Ethernet.
pub(crate) const MTU: u32 = 1500;

/// Packets that a host may have sent before the driver has taken them. Far above what a driver
/// leaves lying, so that queueing happens in the path alone.
const RING_PACKETS: u32 = 16_384;

/// RFC 2544, appendix C: addresses for benchmarks, which no route leads out of.
const NETWORK: (Ipv4Addr, u8) = (Ipv4Addr::new(198, 18, 0, 0), 15);

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

/// Sets up the calling thread's network namespace, which must be new: loopback, a TUN device with
/// `address`, and one route to the other host on which `congestion_control` is locked
/// (`ip-route(8)`, `congctl NAME lock`), so that every TCP socket uses it, whatever it asks for.
pub(crate) fn set_up(
    address: Ipv4Addr,
    congestion_control: &str,
) -> Result<(Tun, Offloads), BenchError> {
    let tun = Tun::open().map_err(|source| BenchError::Device {
        doing: "open",
        source,
    })?;
    let offloads = tun.create(DEVICE).map_err(|source| BenchError::Device {
        doing: "create",
        source,
    })?;
    let index = if_nametoindex(DEVICE).map_err(|source| BenchError::Device {
        doing: "find",
        source,
    })?;
    let socket = Socket::open().map_err(|source| BenchError::Network {
        doing: "open a routing socket",
        source,
    })?;
    let ask = |doing, request| {
        socket
            .ask(request)
            .map_err(|source| BenchError::Network { doing, source })
    };
    keep_quiet(&socket, index);
    ask(
        "raise loopback",
        link(if_nametoindex("lo").unwrap_or(1), libc::IFF_UP as u32),
    )?;
    ask(
        "raise the device",
        link(index, libc::IFF_UP as u32)
            .attribute(libc::IFLA_MTU, &MTU.to_ne_bytes())
            .attribute(libc::IFLA_TXQLEN, &RING_PACKETS.to_ne_bytes()),
    )?;
    ask("add the address", new_address(index, address))?;
    add_route(&socket, index, NETWORK, address, congestion_control)?;
    Ok((tun, offloads))
}

/// Adds, in the calling thread's network namespace, which is set up, another address, and a route
/// from it to `peer` alone on which `congestion_control` is locked.
pub(crate) fn add_pair(
    address: Ipv4Addr,
    peer: Ipv4Addr,
    congestion_control: &str,
) -> Result<(), BenchError> {
    let index = if_nametoindex(DEVICE).map_err(|source| BenchError::Device {
        doing: "find",
        source,
    })?;
    let failed = |doing| move |source| BenchError::Network { doing, source };
    let socket = Socket::open().map_err(failed("open a routing socket"))?;
    socket
        .ask(new_address(index, address))
        .map_err(failed("add an address"))?;
    add_route(&socket, index, (peer, 32), address, congestion_control)
}

fn add_route(
    socket: &Socket,
    index: u32,
    to: (Ipv4Addr, u8),
    source: Ipv4Addr,
    congestion_control: &str,
) -> Result<(), BenchError> {
    match socket.ask(new_route(index, to, source, congestion_control)) {
        Ok(()) => Ok(()),
        Err(Errno::EINVAL) => Err(BenchError::CongestionControl {
            asked: congestion_control.to_owned(),
            available: crate::available_congestion_controls().unwrap_or_default(),
        }),
        Err(source) => Err(BenchError::Network {
            doing: "add the route",
            source,
        }),
    }
}

/// Keeps the kernel's own packets (IPv6 router solicitations, multicast reports) and the machine's
/// default queueing discipline off the device. Refusals don't matter: the driver drops what is
/// not IPv4, and a kernel without IPv6 or queueing disciplines has nothing to switch off.
fn keep_quiet(socket: &Socket, index: u32) {
    let _ = socket.ask(link(index, 0).nest(libc::IFLA_AF_SPEC, |families| {
        families.nest(libc::AF_INET6 as u16, |inet6| {
            inet6.attribute(IFLA_INET6_ADDR_GEN_MODE, &[IN6_ADDR_GEN_MODE_NONE])
        })
    }));
    let _ = fs::write(
        format!("/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6"),
        "1",
    );
    let _ = socket.ask(no_queueing_discipline(index));
}

/// An `RTM_NEWLINK` that raises `flags` on an existing link.
fn link(index: u32, flags: u32) -> Request {
    let mut header = [0; 16];
    header[4..8].copy_from_slice(&index.to_ne_bytes());
    header[8..12].copy_from_slice(&flags.to_ne_bytes());
    header[12..16].copy_from_slice(&flags.to_ne_bytes());
    Request::new(libc::RTM_NEWLINK, 0, &header)
}

fn new_address(index: u32, address: Ipv4Addr) -> Request {
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

fn new_route(
    index: u32,
    (network, prefix): (Ipv4Addr, u8),
    source: Ipv4Addr,
    congestion_control: &str,
) -> Request {
    let header = [
        [libc::AF_INET as u8, prefix, 0, 0],
        [
            libc::RT_TABLE_MAIN,
            libc::RTPROT_STATIC,
            libc::RT_SCOPE_LINK,
            libc::RTN_UNICAST,
        ],
        [0; 4],
    ]
    .concat();
    let lock = 1u32 << RTAX_CC_ALGO;
    let name = [congestion_control.as_bytes(), b"\0"].concat();
    Request::new(
        libc::RTM_NEWROUTE,
        libc::NLM_F_CREATE | libc::NLM_F_EXCL,
        &header,
    )
    .attribute(RTA_DST, &network.octets())
    .attribute(RTA_OIF, &index.to_ne_bytes())
    .attribute(RTA_PREFSRC, &source.octets())
    .nest(RTA_METRICS, |metrics| {
        metrics
            .attribute(RTAX_LOCK, &lock.to_ne_bytes())
            .attribute(RTAX_CC_ALGO, &name)
    })
}

/// Puts `noqueue` at the device's root: packets go straight into its ring.
fn no_queueing_discipline(index: u32) -> Request {
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
