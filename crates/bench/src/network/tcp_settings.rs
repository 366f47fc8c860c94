//! How TCP is set up on a host, read back from its kernel.

use std::fs;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::network::addressing::Addressing;
use crate::network::congestion::default_here;
use crate::network::device::DEVICE;
use crate::network::netlink::Socket;
use crate::network::rtnetlink::{KnownRoute, all_routes};
use crate::side::Side;

/// The kernel's names below `net.ipv4` of what a bench may set.
pub(crate) const RECEIVE_MEMORY: &str = "tcp_rmem";
pub(crate) const SEND_MEMORY: &str = "tcp_wmem";
pub(crate) const SLOW_START_AFTER_IDLE: &str = "tcp_slow_start_after_idle";

/// Whether CUBIC leaves slow start when round trips get longer (HyStart); of the module, and so of the whole machine.
const HYSTART: &str = "/sys/module/tcp_cubic/parameters/hystart";

/// How TCP is set up on a host. Null where the kernel doesn't tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct HostTcp {
    /// The initial congestion window of the routes over the path, in segments. Null: they have none, and the kernel's 10
    /// (RFC 6928) hold.
    pub initial_window_segments: Option<u32>,
    /// The minimum, the default and the maximum of a receive buffer, in bytes.
    pub receive_buffer: Option<[u64; 3]>,
    /// The minimum, the default and the maximum of a send buffer, in bytes.
    pub send_buffer: Option<[u64; 3]>,
    /// Whether an idle connection begins again with its initial window.
    pub slow_start_after_idle: Option<bool>,
    /// Whether the kernel's CUBIC has HyStart.
    pub hystart: Option<bool>,
    /// The congestion controls of the routes over the path, each name once. The host's default where they have none.
    pub tcp_congestion_controls: Vec<String>,
}

/// Both hosts' TCP.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TcpOfHosts {
    /// On the client's host.
    pub client: HostTcp,
    /// On the server's host.
    pub server: HostTcp,
}

impl HostTcp {
    /// That of the calling thread's network namespace, which is set up as `side` of a bench.
    pub(crate) fn read(addressing: Addressing, side: Side) -> HostTcp {
        let routes = routes_over_the_path(addressing, side).unwrap_or_default();
        let named = routes
            .iter()
            .filter_map(|route| route.congestion_control.clone());
        let mut tcp_congestion_controls: Vec<String> = named.collect();
        tcp_congestion_controls.sort_unstable();
        tcp_congestion_controls.dedup();
        if tcp_congestion_controls.is_empty() {
            tcp_congestion_controls.extend(default_here());
        }
        HostTcp {
            initial_window_segments: routes
                .iter()
                .find_map(|route| route.initial_window_segments),
            receive_buffer: three_figures(RECEIVE_MEMORY),
            send_buffer: three_figures(SEND_MEMORY),
            slow_start_after_idle: switch(&file_of(SLOW_START_AFTER_IDLE)),
            hystart: switch(HYSTART),
            tcp_congestion_controls,
        }
    }
}

/// The file of a setting of the calling thread's network namespace.
pub(crate) fn file_of(name: &str) -> String {
    format!("/proc/sys/net/ipv4/{name}")
}

/// A memory setting of the calling thread's network namespace: minimum, default, maximum.
pub(crate) fn three_figures(name: &str) -> Option<[u64; 3]> {
    let text = fs::read_to_string(file_of(name)).ok()?;
    let figures: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    figures.ok()?.try_into().ok()
}

fn switch(file: &str) -> Option<bool> {
    let text = fs::read_to_string(file).ok()?;
    match text.trim_end() {
        "0" | "N" => Some(false),
        "1" | "Y" => Some(true),
        _ => None,
    }
}

/// Those by the path's device, but for the cross traffic's.
fn routes_over_the_path(addressing: Addressing, side: Side) -> Result<Vec<KnownRoute>, Errno> {
    let index = if_nametoindex(DEVICE)?;
    let networks = addressing.over_the_path(side);
    let found = Socket::open()?.list(all_routes(addressing.family()))?;
    let known = found.iter().filter_map(|message| KnownRoute::of(message));
    Ok(known
        .filter(|route| route.index == index && networks.contains(&route.network))
        .collect())
}
