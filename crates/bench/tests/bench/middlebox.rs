//! What stands on a path besides its links: a NAT that rebinds, a router that tells the MTU.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use pronghorn_bench::{Bench, Side};
use pronghorn_path::{Mtu, PathSpec, Udp};

use crate::echo::{delays, socket};
use crate::open;
use crate::transfer::transfer;

const PORT: u16 = 7;
const DNS: u16 = 53;

pub(crate) fn a_rebinding_changes_a_flows_address_and_port_under_way() {
    // So late that the first answer comes before it on a busy host, too.
    let rebinding = Duration::from_secs(2);
    let bench = open(
        PathSpec {
            rebind_ns: vec![rebinding.as_nanos() as u64],
            ..delays(Duration::from_millis(1), Duration::from_millis(1))
        },
        1,
    );
    let server = socket(&bench, Side::Server, PORT);
    let client = socket(&bench, Side::Client, 40_000);
    let before = ask(&bench, &client, &server);
    assert_eq!(before, client.local_addr().expect("it is bound"));
    std::thread::sleep(rebinding);
    let after = ask(&bench, &client, &server);
    assert_ne!(after.ip(), before.ip());
    assert_ne!(after.port(), before.port());
    assert_eq!(ask(&bench, &client, &server), after, "the mapping stays");

    // The mapping before is gone: whoever still sends there isn't heard.
    server
        .send_to(b"late", before)
        .expect("it leaves the server");
    assert_eq!(ask(&bench, &client, &server), after);
    let report = bench.close();
    assert_eq!((report.down.nat_dropped, report.up.nat_dropped), (1, 0));
}

pub(crate) fn tcp_that_begins_after_a_rebinding_goes_through() {
    let bench = open(
        PathSpec {
            rebind_ns: vec![0],
            ..delays(Duration::from_millis(1), Duration::from_millis(1))
        },
        1,
    );
    transfer(&bench, 2_000_000);
    let report = bench.close();
    assert!(report.down.superpackets_out > 0);
    assert_eq!(report.down.nat_dropped, 0);
    assert_eq!(report.host.checksum_errors.client, 0);
    assert_eq!(report.host.checksum_errors.server, 0);
}

pub(crate) fn tcp_learns_the_mtu_that_it_is_told() {
    let mut path = delays(Duration::from_millis(1), Duration::from_millis(1));
    path.down.mtu = Some(Mtu {
        bytes: 1300,
        icmp: true,
    });
    let bench = open(path, 1);
    transfer(&bench, 1_000_000);
    let report = bench.close();
    let down = &report.down.counters;
    assert!(down.too_big > 0, "the first segments were too long");
    assert!(down.bytes_in / down.packets_in <= 1300);
}

pub(crate) fn dns_crosses_a_path_that_blocks_udp() {
    let mut path = delays(Duration::from_millis(1), Duration::from_millis(1));
    (path.down.udp, path.up.udp) = (Some(Udp::Block), Some(Udp::Block));
    let bench = open(path, 1);
    let client = socket(&bench, Side::Client, 40_000);
    let other = socket(&bench, Side::Server, PORT);
    let to_other = (bench.host(Side::Server).address(), PORT);
    client.send_to(b"kept out", to_other).expect("it is sent");
    let name_server = socket(&bench, Side::Server, DNS);
    ask_at(&bench, &client, &name_server, DNS);
    other
        .send_to(b"kept out", (bench.host(Side::Client).address(), 40_000))
        .expect("it is sent");
    ask_at(&bench, &client, &name_server, DNS);
    let report = bench.close();
    for link in [&report.down.counters, &report.up.counters] {
        assert_eq!((link.packets_out, link.udp_dropped), (2, 1));
    }
}

/// The client asks, the server answers; the address that the server sees.
fn ask(bench: &Bench, client: &UdpSocket, server: &UdpSocket) -> SocketAddr {
    ask_at(bench, client, server, PORT)
}

/// As [`ask`], of a server at that port.
fn ask_at(bench: &Bench, client: &UdpSocket, server: &UdpSocket, port: u16) -> SocketAddr {
    let mut got = [0; 8];
    let to = (bench.host(Side::Server).address(), port);
    client.send_to(b"ask", to).expect("it is sent");
    let (length, seen) = server.recv_from(&mut got).expect("it arrives");
    assert_eq!(got[..length], *b"ask");
    server.send_to(b"answer", seen).expect("it is sent");
    let (length, from) = client.recv_from(&mut got).expect("the answer arrives");
    assert_eq!((&got[..length], from), (&b"answer"[..], to.into()));
    seen
}
