//! Datagrams there and back.

use std::net::{SocketAddr, UdpSocket};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, Side};
use pronghorn_path::{LinkSpec, PathSpec};

use crate::open;

const PORT: u16 = 7;
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn every_round_trip_takes_both_delays() {
    let (down, up) = (Duration::from_millis(7), Duration::from_millis(4));
    let bench = open(delays(down, up), 1);
    let server = echo_server(&bench, 30, *b"any.");
    let round_trips = ask(&bench, 30, *b"any.").join().expect("the client ends");
    server.join().expect("the server ends");
    for round_trip in &round_trips {
        assert!(
            *round_trip >= down + up,
            "{round_trip:?} is less than {:?}",
            down + up
        );
    }
    let report = bench.close();
    for (link, delay) in [(&report.down, down), (&report.up, up)] {
        assert_eq!(
            (link.counters.packets_in, link.counters.packets_out),
            (30, 30)
        );
        assert_eq!(
            link.counters.bytes_in,
            30 * (20 + 8 + 4),
            "IPv4 and UDP headers, four bytes"
        );
        assert_eq!(link.lateness.count, 30);
        assert!(link.delay_min_s.expect("packets have left") >= delay.as_secs_f64());
        assert!(link.lateness.median_s <= link.lateness.p99_s);
        assert!(link.lateness.p99_s <= link.lateness.max_s * 1.001);
        assert_eq!(
            (link.ring_dropped, link.ignored, &link.fault),
            (0, 0, &None)
        );
    }
}

pub(crate) fn benches_side_by_side() {
    let benches: Vec<(Duration, Bench, [u8; 4])> = [(2, *b"near"), (30, *b"far.")]
        .map(|(delay, word)| {
            let delay = Duration::from_millis(delay);
            (delay, open(delays(delay, delay), 1), word)
        })
        .into();
    let servers: Vec<_> = benches
        .iter()
        .map(|(_, b, word)| echo_server(b, 10, *word))
        .collect();
    let clients: Vec<_> = benches
        .iter()
        .map(|(_, b, word)| ask(b, 10, *word))
        .collect();
    for (client, (delay, ..)) in clients.into_iter().zip(&benches) {
        let round_trips = client.join().expect("the client ends");
        assert!(
            round_trips.iter().all(|r| *r >= 2 * *delay),
            "{delay:?}: {round_trips:?}"
        );
    }
    for server in servers {
        server.join().expect("the server ends");
    }
    for (_, bench, _) in benches {
        assert_eq!(
            bench.close().up.counters.packets_in,
            10,
            "each bench has its own packets only"
        );
    }
}

pub(crate) fn an_idle_path_carries_no_packet() {
    let bench = open(PathSpec::default(), 1);
    // The kernel solicits routers within a second of raising a device (RFC 4861, section 6.3.7).
    std::thread::sleep(Duration::from_millis(1200));
    let report = bench.close();
    for link in [report.down, report.up] {
        assert_eq!((link.counters.packets_in, link.ignored), (0, 0));
        assert_eq!(link.delay_min_s, None);
    }
}

pub(crate) fn delays(down: Duration, up: Duration) -> PathSpec {
    let link = |delay: Duration| LinkSpec {
        delay_ns: delay.as_nanos() as u64,
        ..LinkSpec::default()
    };
    PathSpec {
        down: link(down),
        up: link(up),
        ..PathSpec::default()
    }
}

/// A UDP socket on a host, which gives up reading after a long while.
pub(crate) fn socket(bench: &Bench, side: Side, port: u16) -> UdpSocket {
    let address = SocketAddr::from((bench.host(side).address(), port));
    let socket = bench
        .host(side)
        .within(move || UdpSocket::bind(address))
        .expect("a free port");
    socket
        .set_read_timeout(Some(PATIENCE))
        .expect("a positive time-out");
    socket
}

/// Sends back `count` datagrams, all of which must hold `word`.
fn echo_server(bench: &Bench, count: usize, word: [u8; 4]) -> JoinHandle<()> {
    let socket = socket(bench, Side::Server, PORT);
    let echo = move || {
        for _ in 0..count {
            let mut got = [0; 4];
            let (length, from) = socket.recv_from(&mut got).expect("a datagram comes");
            assert_eq!((length, got), (4, word));
            socket.send_to(&got, from).expect("the client is there");
        }
    };
    bench
        .host(Side::Server)
        .thread("echo", echo)
        .expect("a thread")
}

/// Sends `word` and awaits it `count` times; the round-trip times.
fn ask(bench: &Bench, count: usize, word: [u8; 4]) -> JoinHandle<Vec<Duration>> {
    let server = SocketAddr::from((bench.host(Side::Server).address(), PORT));
    let socket = socket(bench, Side::Client, 0);
    let ask = move || {
        (0..count)
            .map(|_| {
                let sent = Instant::now();
                socket.send_to(&word, server).expect("the server is there");
                let mut got = [0; 4];
                socket.recv_from(&mut got).expect("the answer comes");
                assert_eq!(got, word);
                sent.elapsed()
            })
            .collect()
    };
    bench
        .host(Side::Client)
        .thread("ask", ask)
        .expect("a thread")
}
