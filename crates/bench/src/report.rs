//! What a bench tells of its path and its hosts, as the engine protocol's `counters` has it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::driver::report::LinkReport;
use crate::network::tcp_settings::TcpOfHosts;
use crate::observation::cpu::CpuShare;
use crate::processes::cross::CrossReport;
use crate::processes::mover::HandoverReport;

/// Both links and the hosts.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "PathReportOfBench")]
pub struct PathReport {
    /// Server to client.
    pub down: LinkReport,
    /// Client to server.
    pub up: LinkReport,
    /// The hosts and the machine beneath them.
    pub host: HostReport,
    /// The cross traffic. Null where the path has none.
    pub cross: Option<CrossReport>,
    /// The client's handover. Null before it, or where the path has none.
    pub handover: Option<HandoverReport>,
}

/// The hosts and the machine beneath them, since `open` or the last `begin`.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "HostCounters")]
pub struct HostReport {
    /// The share (0–1) of this machine's CPU time that a hypervisor gave to others.
    pub steal_share: f64,
    /// Who used the CPUs. Null where the kernel doesn't tell, where CPUs came or went, where `/proc` shows another PID
    /// namespace, and over less than 0.05 s.
    pub cpu: Option<CpuShare>,
    /// Datagrams that a full UDP socket buffer dropped.
    pub udp_receive_buffer_drops: BothSides,
    /// Packets that a host's kernel found broken, of IP, TCP, UDP or ICMP: all that the path corrupted except the link's
    /// `undeliverable`, as long as the host is where they end. Over IPv6, whose header has no checksum, also packets to an
    /// address without a host or a route, or of an unknown protocol, corrupted or not.
    pub checksum_errors: BothSides,
    /// TCP segments sent again, the cross traffic's included.
    pub tcp_retransmits: BothSides,
    /// The priority that the kernel gave the path's threads: `real-time`, `nice` or `ordinary`.
    pub driver_priority: &'static str,
    /// What the kernel left to the path's devices: `csum` (checksums), `tso` (TCP's segmentation), `uso` (UDP's, since
    /// Linux 6.2).
    pub offloads: &'static [&'static str],
    /// How TCP is set up on the hosts, read now.
    pub tcp: TcpOfHosts,
}

/// A count for each host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BothSides {
    /// On the client's host.
    pub client: u64,
    /// On the server's host.
    pub server: u64,
}
