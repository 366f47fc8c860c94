//! How a host's network is set up: addresses, routes, and what is kept off the path.

use std::fs;
use std::net::IpAddr;
use std::path::Path;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use pronghorn_path::Family;

use crate::error::BenchError;
use crate::network::addressing::Addressing;
use crate::network::congestion::TcpCongestionControl;
use crate::network::device::{DEVICE, MTU};
use crate::network::level::Level;
use crate::network::netlink::{Request, Socket};
use crate::network::rtnetlink::{
    Metrics, bits, forwarding, link, new_address, new_route, no_address, no_ipv6_address,
    no_queueing_discipline, other_route,
};
use crate::network::tcp_knobs::TcpKnobs;
use crate::network::tun::{Offloads, Tun};
use crate::side::Side;

/// Whether TCP keeps what it has learned of a peer for the next connection (`ip-sysctl`); each network namespace
/// has its own.
const NO_METRICS_SAVE: &str = "/proc/sys/net/ipv4/tcp_no_metrics_save";

/// Packets that a host may have sent before the driver has taken them. Far above what a driver
/// leaves lying, so that queueing happens in the path alone.
const RING_PACKETS: u32 = 16_384;

/// How a host's network is to be.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) addressing: Addressing,
    pub(crate) congestion_control: TcpCongestionControl,
    pub(crate) tcp: TcpKnobs,
    /// Whether the kernel cuts everything into single packets before the device gets it.
    pub(crate) single_packets: bool,
}

impl Setup {
    /// What routes over the path tell TCP, in the calling thread's network namespace, of which this may set the default
    /// congestion control.
    fn metrics(&self) -> Metrics<'_> {
        Metrics {
            congestion_control: (!self.congestion_control.settle())
                .then_some(&self.congestion_control),
            initial_window_segments: self.tcp.initial_window_segments,
        }
    }
}

/// Sets up the calling thread's network namespace, which must be new: loopback, a TUN device with
/// the address of `side`, and routes over the path, by which or by the namespace's default TCP's
/// sockets get their congestion control. Beyond level 0 packets are passed on between path and uplinks.
pub(crate) fn set_up(setup: &Setup, side: Side) -> Result<(Tun, Offloads), BenchError> {
    let Setup {
        addressing,
        congestion_control,
        tcp,
        single_packets,
    } = setup;
    let tun = Tun::open().map_err(|source| BenchError::Device {
        doing: "open",
        source,
    })?;
    let most = match single_packets {
        true => Offloads::Checksums,
        false => Offloads::Datagrams,
    };
    let created = tun.create(DEVICE, most);
    let offloads = created.map_err(|source| BenchError::Device {
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
    match addressing.family() {
        Family::Four => keep_quiet(&socket, DEVICE, index),
        Family::Six => speak_ipv6(&socket, DEVICE, index)?,
    }
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
    let address = addressing.address(side);
    ask("add the address", new_address(index, address))?;
    tcp.apply()?;
    let metrics = setup.metrics();
    for network in addressing.over_the_path(side) {
        let route = new_route(index, network, None, address, metrics);
        add_route(&socket, route, congestion_control)?;
    }
    match addressing {
        Addressing::Four(level) if *level != Level::default() => {
            ask("allow forwarding", forwarding(index))?;
        }
        // Where this is refused, whoever needs it is told (`keeps_no_metrics`).
        _ => drop(fs::write(NO_METRICS_SAVE, "1")),
    }
    Ok((tun, offloads))
}

/// Makes sure that nothing of what TCP learns outlives its connection in the calling thread's network namespace: its
/// metrics are empty, as they were when it was made.
///
/// They can't be emptied instead, since the kernel lets only the whole machine's administrator do so
/// (`net/ipv4/tcp_metrics.c`, `GENL_ADMIN_PERM`), which a user namespace's isn't.
pub(crate) fn keeps_no_metrics() -> Result<(), BenchError> {
    match fs::read_to_string(NO_METRICS_SAVE) {
        Ok(value) if value.trim_end() == "1" => Ok(()),
        _ => Err(BenchError::Metrics),
    }
}

/// Adds, in the calling thread's network namespace, which is set up, further addresses.
pub(crate) fn add_addresses(addresses: &[IpAddr]) -> Result<(), BenchError> {
    if addresses.is_empty() {
        return Ok(());
    }
    let index = if_nametoindex(DEVICE).map_err(|source| BenchError::Device {
        doing: "find",
        source,
    })?;
    let failed = |source| BenchError::Network {
        doing: "add an address",
        source,
    };
    let socket = Socket::open().map_err(failed)?;
    for address in addresses {
        socket.ask(new_address(index, *address)).map_err(failed)?;
    }
    Ok(())
}

/// Adds, in the calling thread's network namespace, which is set up, another address, and a route
/// from it to `peer` alone with this `congestion_control`.
pub(crate) fn add_pair(
    address: IpAddr,
    peer: IpAddr,
    congestion_control: &TcpCongestionControl,
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
    let metrics = Some(congestion_control).into();
    let route = new_route(index, (peer, bits(peer)), None, address, metrics);
    add_route(&socket, route, congestion_control)
}

/// Gives the client, in whose network namespace the caller must be and which is set up, the address `to` instead of `from`.
///
/// The kernel has both for some tens of microseconds, so that there always is a way to the server.
pub(crate) fn move_client(setup: &Setup, from: IpAddr, to: IpAddr) -> Result<(), BenchError> {
    let index = if_nametoindex(DEVICE).map_err(|source| BenchError::Device {
        doing: "find",
        source,
    })?;
    let failed = |doing| move |source| BenchError::Network { doing, source };
    let socket = Socket::open().map_err(failed("open a routing socket"))?;
    socket
        .ask(new_address(index, to))
        .map_err(failed("add the address after the handover"))?;
    let metrics = setup.metrics();
    for network in setup.addressing.over_the_path(Side::Client) {
        let route = other_route(index, network, to, metrics);
        add_route(&socket, route, &setup.congestion_control)?;
    }
    socket
        .ask(no_address(index, from))
        .map_err(failed("remove the address before the handover"))
}

/// Adds a route, which may have this `congestion_control`.
pub(crate) fn add_route(
    socket: &Socket,
    route: Request,
    congestion_control: &TcpCongestionControl,
) -> Result<(), BenchError> {
    match socket.ask(route) {
        Ok(()) => Ok(()),
        Err(Errno::EINVAL) => Err(BenchError::CongestionControl {
            asked: congestion_control.name().to_owned(),
            available: crate::available_congestion_controls().unwrap_or_default(),
        }),
        Err(source) => Err(BenchError::Network {
            doing: "add the route",
            source,
        }),
    }
}

/// Has a device speak IPv6, with no addresses but those that it is given. What the kernel still sends to groups
/// (multicast listener reports), the driver drops.
fn speak_ipv6(socket: &Socket, device: &str, index: u32) -> Result<(), BenchError> {
    let settings = format!("/proc/sys/net/ipv6/conf/{device}");
    if !Path::new(&settings).exists() {
        return Err(BenchError::NoIpv6);
    }
    let _ = socket.ask(no_ipv6_address(index));
    let _ = fs::write(format!("{settings}/disable_ipv6"), "0");
    let _ = socket.ask(no_queueing_discipline(index));
    Ok(())
}

/// Keeps the kernel's own packets (IPv6 router solicitations, multicast reports) and the machine's
/// default queueing discipline off the device. Refusals don't matter: the driver drops what is
/// not IPv4, and a kernel without IPv6 or queueing disciplines has nothing to switch off.
pub(crate) fn keep_quiet(socket: &Socket, device: &str, index: u32) {
    let _ = socket.ask(no_ipv6_address(index));
    let _ = fs::write(
        format!("/proc/sys/net/ipv6/conf/{device}/disable_ipv6"),
        "1",
    );
    let _ = socket.ask(no_queueing_discipline(index));
}
