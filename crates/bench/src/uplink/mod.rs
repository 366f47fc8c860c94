//! The uplink: what joins a bench's server to the network namespace in which the bench was opened, so
//! that the path leads to real services.
//!
//! ```text
//! client ── path ── server ── uplink ── the namespace around: its services, and what it leads to
//! ```
//!
//! The server passes on what the client sends, under its own address on the uplink. Where the process
//! may change the namespace around, the uplink is a pair of virtual Ethernet devices; otherwise
//! `pasta` (passt(1)) speaks for it there, by ordinary sockets.

mod masquerade;
mod pasta;
mod veth;

use std::io;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use thiserror::Error;

use crate::bench::Bench;
use crate::error::{BenchError, SpawnError};
use crate::network::congestion::TcpCongestionControl;
use crate::network::level::Level;
use crate::network::netlink::Socket;
use crate::network::rtnetlink::{forwarding, link, new_address, new_route};
use crate::network::setup::{add_route, keep_quiet};
use crate::processes::host::Host;
use crate::side::Side;

/// The uplink's device at the server.
const DEVICE: &str = "uplink0";

/// Why a bench has no uplink.
#[derive(Debug, Error)]
pub enum UplinkError {
    /// Another bench around here has this level; the next one may be free.
    #[error("level {} is taken", .0.number())]
    Taken(Level),
    /// This process may not add a device to the namespace around, and there is no `pasta` to do without.
    #[error(
        "an ordinary user's far host reaches nothing beyond itself without the program `pasta`"
    )]
    NoPasta,
    /// `pasta` could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// `pasta` ended, or made no device.
    #[error("`pasta` could not connect the far host: {0}")]
    Pasta(String),
    /// The network could not be set up.
    #[error(transparent)]
    Network(#[from] BenchError),
    /// A thread could not be had.
    #[error("cannot start an uplink's thread: {0}")]
    Threads(#[source] io::Error),
}

impl UplinkError {
    /// What a person can do about it, where that is known.
    #[must_use]
    pub fn mend(&self) -> Option<String> {
        match self {
            UplinkError::NoPasta => {
                Some("install the package `passt`, run as root, or run the far side's program by `--server`".into())
            }
            UplinkError::Pasta(_) => {
                Some("run as root, or run the far side's program by `--server`".into())
            }
            UplinkError::Network(error) => error.mend(),
            _ => None,
        }
    }
}

/// How a bench's server is joined to what is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By a pair of virtual Ethernet devices.
    Veth,
    /// By `pasta`, whose sockets stand for the far host: TCP from there is `pasta`'s, not a kernel's.
    Pasta,
}

impl Way {
    /// `veth` or `pasta`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Way::Veth => "veth",
            Way::Pasta => "pasta",
        }
    }
}

/// A bench's uplink. It ends when it is dropped, by a thread of the namespace around, and with the
/// process.
pub struct Uplink {
    level: Level,
    way: Way,
    refused_translation: Option<Errno>,
    /// Where `pasta` runs.
    _around: Option<Host>,
}

impl Uplink {
    /// Joins the server of `bench`, which was opened on `level`, to the calling thread's network
    /// namespace. Takes some milliseconds; by `pasta` some tens.
    ///
    /// # Errors
    /// [`UplinkError::Taken`] where the caller should open the bench on another level; otherwise what
    /// the host can't do.
    pub fn attach(
        bench: &Bench,
        level: Level,
        congestion_control: &TcpCongestionControl,
    ) -> Result<Uplink, UplinkError> {
        let server = bench.host(Side::Server);
        let namespace =
            server
                .within(veth::own_namespace)
                .map_err(|source| BenchError::Network {
                    doing: "refer to the server's namespace",
                    source,
                })?;
        let (way, around) = match veth::pair(level, DEVICE, &namespace) {
            Ok(()) => (Way::Veth, None),
            Err(Errno::EEXIST) => return Err(UplinkError::Taken(level)),
            Err(Errno::EPERM | Errno::EOPNOTSUPP) => (
                Way::Pasta,
                Some(pasta::connect(level, server, &namespace, DEVICE)?),
            ),
            Err(source) => {
                return Err(UplinkError::Network(BenchError::Network {
                    doing: "add a pair of devices",
                    source,
                }));
            }
        };
        let control = congestion_control.clone();
        let refused_translation = server.within(move || set_up_server(level, &control))?;
        if way == Way::Veth {
            veth::set_up_around(level, congestion_control, refused_translation.is_some())?;
        }
        Ok(Uplink {
            level,
            way,
            refused_translation,
            _around: around,
        })
    }

    /// How.
    #[must_use]
    pub fn way(&self) -> Way {
        self.way
    }

    /// Why the server doesn't translate the client's address, if it doesn't: then the services of the
    /// namespace around are reached, but nothing beyond.
    #[must_use]
    pub fn refused_translation(&self) -> Option<String> {
        self.refused_translation
            .map(|errno| errno.desc().to_owned())
    }
}

impl Drop for Uplink {
    fn drop(&mut self) {
        if self.way == Way::Veth {
            veth::remove(self.level);
        }
    }
}

/// Sets up the uplink's end at the server, in whose namespace the caller is: its address, a route to
/// everything that isn't behind the path, and address translation, or why that was refused.
fn set_up_server(
    level: Level,
    congestion_control: &TcpCongestionControl,
) -> Result<Option<Errno>, BenchError> {
    let (socket, index) = open(DEVICE)?;
    let (here, there) = (level.uplink_here().into(), level.uplink().into());
    configure(&socket, index, DEVICE, here)?;
    let on_route = (!congestion_control.settle()).then_some(congestion_control);
    for (network, gateway) in [
        ((there, 32), None),
        ((std::net::Ipv4Addr::UNSPECIFIED.into(), 0), Some(there)),
    ] {
        let route = new_route(index, network, gateway, here, on_route.into());
        add_route(&socket, route, congestion_control)?;
    }
    ask(&socket, "allow forwarding", forwarding(index))?;
    Ok(masquerade::masquerade(index, level.uplink_here()).err())
}

/// A routing socket of the calling thread's namespace, and a device's index there.
fn open(device: &str) -> Result<(Socket, u32), BenchError> {
    let failed = |doing| move |source| BenchError::Network { doing, source };
    let socket = Socket::open().map_err(failed("open a routing socket"))?;
    let index = if_nametoindex(device).map_err(failed("find the uplink"))?;
    Ok((socket, index))
}

fn configure(
    socket: &Socket,
    index: u32,
    device: &str,
    address: std::net::IpAddr,
) -> Result<(), BenchError> {
    keep_quiet(socket, device, index);
    let mtu = crate::network::device::MTU.to_ne_bytes();
    let up = link(index, libc::IFF_UP as u32).attribute(libc::IFLA_MTU, &mtu);
    ask(socket, "raise the uplink", up)?;
    ask(
        socket,
        "add the uplink's address",
        new_address(index, address),
    )
}

fn ask(
    socket: &Socket,
    doing: &'static str,
    request: crate::network::netlink::Request,
) -> Result<(), BenchError> {
    socket
        .ask(request)
        .map_err(|source| BenchError::Network { doing, source })
}
