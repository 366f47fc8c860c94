//! Counters that the kernel keeps of a network namespace and its device.

use std::fs;

use crate::network::device::DEVICE;

/// What the calling thread's network namespace has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NamespaceCounters {
    pub(crate) udp_receive_buffer_drops: u64,
    pub(crate) tcp_retransmits: u64,
    /// Packets that are none for a checksum or another field of their headers.
    pub(crate) broken_packets: u64,
    /// Messages of ICMPv6 that came, such as what a host answers to a packet for a protocol or a host that there isn't.
    pub(crate) icmp6_messages: u64,
    /// Packets dropped by the TUN device on their way from the driver to the host.
    pub(crate) device_receive_drops: u64,
    /// Packets dropped by the TUN device on their way from the host to the driver.
    pub(crate) device_transmit_drops: u64,
}

impl NamespaceCounters {
    /// Reads them; what can't be read counts as zero.
    pub(crate) fn read() -> NamespaceCounters {
        // /proc/net would show the namespace of the process's first thread.
        let snmp = fs::read_to_string("/proc/thread-self/net/snmp").unwrap_or_default();
        // Absent where the kernel has no IPv6.
        let snmp6 = fs::read_to_string("/proc/thread-self/net/snmp6").unwrap_or_default();
        let devices = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
        let (receive, transmit) = device_drops(&devices, DEVICE).unwrap_or_default();
        NamespaceCounters {
            udp_receive_buffer_drops: snmp_value(&snmp, "Udp", "RcvbufErrors").unwrap_or_default()
                + snmp6_value(&snmp6, "Udp6RcvbufErrors"),
            broken_packets: broken_packets(&snmp) + broken_packets_of_ipv6(&snmp6),
            icmp6_messages: snmp6_value(&snmp6, "Icmp6InMsgs"),
            tcp_retransmits: snmp_value(&snmp, "Tcp", "RetransSegs").unwrap_or_default(),
            device_receive_drops: receive,
            device_transmit_drops: transmit,
        }
    }
}

impl NamespaceCounters {
    /// What has been counted since `earlier`.
    pub(crate) fn since(self, earlier: NamespaceCounters) -> NamespaceCounters {
        let grown = |of: fn(&NamespaceCounters) -> u64| of(&self).saturating_sub(of(&earlier));
        NamespaceCounters {
            udp_receive_buffer_drops: grown(|counters| counters.udp_receive_buffer_drops),
            tcp_retransmits: grown(|counters| counters.tcp_retransmits),
            broken_packets: grown(|counters| counters.broken_packets),
            icmp6_messages: grown(|counters| counters.icmp6_messages),
            device_receive_drops: grown(|counters| counters.device_receive_drops),
            device_transmit_drops: grown(|counters| counters.device_transmit_drops),
        }
    }
}

/// TCP's `InErrs` has whole packets too, such as a connection's second SYN (`net/ipv4/tcp_input.c`).
/// UDP's `InErrors` has datagrams longer than their packet, of which no checksum is taken, and those for which
/// a full buffer had no room, which have a counter of their own (`net/ipv4/udp.c`).
fn broken_packets(snmp: &str) -> u64 {
    let value = |protocol, key| snmp_value(snmp, protocol, key).unwrap_or_default();
    let udp = value("Udp", "InErrors")
        .saturating_sub(value("Udp", "RcvbufErrors"))
        .saturating_sub(value("Udp", "MemErrors"));
    value("Ip", "InHdrErrors") + value("Tcp", "InCsumErrors") + value("Icmp", "InCsumErrors") + udp
}

/// As [`broken_packets`] of what IPv6 counts by itself; TCP's counters are of both. Its header has no checksum: what a
/// flipped bit leaves is an address that nobody has, a length that isn't the packet's, or a protocol that there isn't.
fn broken_packets_of_ipv6(snmp6: &str) -> u64 {
    let value = |name| snmp6_value(snmp6, name);
    let udp = value("Udp6InErrors")
        .saturating_sub(value("Udp6RcvbufErrors"))
        .saturating_sub(value("Udp6MemErrors"));
    let header = [
        "Ip6InHdrErrors",
        "Ip6InAddrErrors",
        "Ip6InNoRoutes",
        "Ip6InTruncatedPkts",
        "Ip6InUnknownProtos",
    ];
    header.map(value).iter().sum::<u64>() + value("Icmp6InCsumErrors") + udp
}

/// The value named `name` in `/proc/net/snmp6`: one a line; 0 where it isn't there.
fn snmp6_value(snmp6: &str, name: &str) -> u64 {
    let mut lines = snmp6.lines().map(str::split_ascii_whitespace);
    let found = lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.next()));
    found
        .flatten()
        .and_then(|value| value.parse().ok())
        .unwrap_or_default()
}

/// The value named `key` of `protocol` in `/proc/net/snmp`: a line of names, then one of values.
fn snmp_value(snmp: &str, protocol: &str, key: &str) -> Option<u64> {
    let mut lines = snmp
        .lines()
        .filter_map(|line| line.strip_prefix(protocol)?.strip_prefix(':'));
    let column = lines
        .next()?
        .split_ascii_whitespace()
        .position(|name| name == key)?;
    lines
        .next()?
        .split_ascii_whitespace()
        .nth(column)?
        .parse()
        .ok()
}

/// Drops on receiving and on sending of `device` in `/proc/net/dev`.
fn device_drops(devices: &str, device: &str) -> Option<(u64, u64)> {
    let columns: Vec<u64> = devices
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(device)?.strip_prefix(':'))?
        .split_ascii_whitespace()
        .map_while(|count| count.parse().ok())
        .collect();
    Some((*columns.get(3)?, *columns.get(11)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snmp_values_are_found_by_protocol_and_name() {
        let snmp = "Tcp: RtoMin RetransSegs\nTcp: 200 7\nUdp: NoPorts RcvbufErrors\nUdp: 1 42\n\
                    UdpLite: NoPorts RcvbufErrors\nUdpLite: 3 4\n";
        assert_eq!(snmp_value(snmp, "Udp", "RcvbufErrors"), Some(42));
        assert_eq!(snmp_value(snmp, "Tcp", "RetransSegs"), Some(7));
        assert_eq!(snmp_value(snmp, "Tcp", "Nothing"), None);
        assert_eq!(snmp_value(snmp, "Icmp", "RetransSegs"), None);
    }

    #[test]
    fn ipv6_counts_what_is_broken_a_line_each() {
        let snmp6 = "Ip6InHdrErrors \t1\nIp6InAddrErrors 2\nIp6InDelivers 90\nUdp6InErrors 40\n\
                     Udp6RcvbufErrors 30\nIcmp6InCsumErrors 5\n";
        assert_eq!(broken_packets_of_ipv6(snmp6), 18);
        assert_eq!(snmp6_value(snmp6, "Udp6RcvbufErrors"), 30);
        assert_eq!(broken_packets_of_ipv6(""), 0);
    }

    #[test]
    fn device_drops_are_the_fourth_column_each_way() {
        let devices = "Inter-| Receive | Transmit\n face |bytes\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12\n \
                       path0: 1 2 3 40 5 6 7 8 9 10 11 120 13 14 15 16\n";
        assert_eq!(device_drops(devices, "path0"), Some((40, 120)));
        assert_eq!(device_drops(devices, "path1"), None);
    }
}
