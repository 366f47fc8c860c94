//! A client that gets to another network under way.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::socket::{getsockopt, sockopt::TcpCongestion};
use pronghorn_bench::{Bench, BenchSpec, Side};
use pronghorn_path::{Handover, PathSpec};

use crate::echo::{delays, socket};
use crate::open;
use crate::transfer::listen;

const PORT: u16 = 7;
const AFTER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 9));
const FIRST_WAY: Duration = Duration::from_millis(5);
const SECOND_WAY: Duration = Duration::from_millis(40);
/// When the client moves: so late that a busy host, too, has done before what is to be done before.
const AT: Duration = Duration::from_secs(2);

pub(crate) fn udp_goes_on_from_the_new_address_over_the_other_path() {
    let bench = open(moving(), 1);
    let server = socket(&bench, Side::Server, PORT);
    let client = anywhere(&bench);
    let before = bench.host(Side::Client).address();
    let (seen, took) = ask(&bench, &client, &server);
    assert_eq!(seen.ip(), before);
    assert!(took >= 2 * FIRST_WAY);
    let handover = until_moved(&bench);
    assert_eq!(handover, AFTER);
    let (again, took) = ask(&bench, &client, &server);
    assert_eq!((again.ip(), again.port()), (AFTER, seen.port()));
    assert!(took >= 2 * SECOND_WAY, "{took:?}");

    server.send_to(b"late", seen).expect("it leaves the server");
    assert_eq!(ask(&bench, &client, &server).0, again);
    let report = bench.close();
    let (down, up) = (&report.down.counters, &report.up.counters);
    assert_eq!((down.left_behind, up.left_behind), (1, 0));
    assert!(down.balance() && up.balance());
    assert_eq!(report.up.fault, None);
}

pub(crate) fn tcp_gets_nothing_more() {
    let bench = open(moving(), 1);
    let (listener, at) = listen(&bench);
    let mut client = bench
        .host(Side::Client)
        .within(move || std::net::TcpStream::connect(at))
        .expect("the server listens");
    let (mut served, _) = listener.accept().expect("a connection came");
    let mut got = [0; 8];
    served.write_all(b"first").expect("it is connected");
    assert_eq!(client.read(&mut got).expect("it arrives"), 5);
    until_moved(&bench);
    served.write_all(b"second").expect("the kernel takes it");
    let patience = Some(Duration::from_millis(600));
    client.set_read_timeout(patience).expect("positive");
    let refused = client.read(&mut got).expect_err("nothing comes").kind();
    assert_eq!(refused, ErrorKind::WouldBlock);
    let _ = client.write_all(b"third");

    // A new connection goes over the other path, by the same congestion control.
    let fresh = bench
        .host(Side::Client)
        .within(move || std::net::TcpStream::connect(at))
        .expect("the server listens");
    assert_eq!(fresh.local_addr().expect("it is connected").ip(), AFTER);
    let control = getsockopt(&fresh, TcpCongestion).expect("TCP has one");
    assert!(control.to_string_lossy().starts_with("cubic"));
    let report = bench.close();
    assert!(report.down.counters.left_behind > 0);
    assert!(report.down.counters.balance() && report.up.counters.balance());
}

pub(crate) fn a_begun_path_gives_the_first_address_back() {
    let mut bench = Bench::open(BenchSpec {
        path: moving(),
        tcp_congestion_control: "cubic".into(),
        warm_up: true,
        ..BenchSpec::default()
    })
    .expect("a bench opens where the isolation is had");
    let server = socket(&bench, Side::Server, PORT);
    let client = anywhere(&bench);
    let before = bench.host(Side::Client).address();
    sleep(AT + Duration::from_millis(10));
    assert_eq!(ask(&bench, &client, &server).0.ip(), before);
    for seed in [1, 2] {
        bench.begin(seed, None).expect("it was opened for it");
        assert_eq!(bench.counters().handover, None);
        assert_eq!(ask(&bench, &client, &server).0.ip(), before);
        until_moved(&bench);
        assert_eq!(ask(&bench, &client, &server).0.ip(), AFTER);
    }
    bench.begin(3, None).expect("it was opened for it");
    assert_eq!(ask(&bench, &client, &server).0.ip(), before);
}

fn moving() -> PathSpec {
    PathSpec {
        handover: Some(Box::new(Handover {
            at_ns: AT.as_nanos() as u64,
            path: delays(SECOND_WAY, SECOND_WAY),
        })),
        ..delays(FIRST_WAY, FIRST_WAY)
    }
}

/// A socket of the client's that is bound to no address.
fn anywhere(bench: &Bench) -> UdpSocket {
    let bind = || UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0));
    let socket = bench.host(Side::Client).within(bind).expect("a free port");
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("positive");
    socket
}

/// The client's address once the handover has been.
fn until_moved(bench: &Bench) -> IpAddr {
    for _ in 0..20_000 {
        let report = bench.counters();
        assert_eq!(report.up.fault, None);
        if let Some(handover) = report.handover {
            return handover.address;
        }
        sleep(Duration::from_millis(1));
    }
    unreachable!("there was no handover")
}

/// The client asks, the server answers: from where, and how long it took.
fn ask(bench: &Bench, client: &UdpSocket, server: &UdpSocket) -> (SocketAddr, Duration) {
    let mut got = [0; 8];
    let to = (bench.host(Side::Server).address(), PORT);
    let asked = Instant::now();
    client.send_to(b"ask", to).expect("it is sent");
    let (_, seen) = server.recv_from(&mut got).expect("it arrives");
    server.send_to(b"answer", seen).expect("it is sent");
    let (length, _) = client.recv_from(&mut got).expect("the answer arrives");
    assert_eq!(got[..length], *b"answer");
    (seen, asked.elapsed())
}
