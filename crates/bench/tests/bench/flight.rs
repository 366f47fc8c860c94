//! What TCP connections did over time, as their kernels told.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, BenchSpec, Side};
use pronghorn_flight::{ConnectionFlight, End, Flight, Recorder, Transport};
use pronghorn_path::{LinkSpec, Loss, PathSpec};

use crate::transfer::{listen, transfer};

const INTERVAL_S: f64 = 0.01;
const DELAY_NS: u64 = 20_000_000;
const ROUND_TRIP_S: f64 = 0.04;
/// How long a look may be waited for on a host that stands still now and then.
const PATIENCE: Duration = Duration::from_secs(20);

/// Of 1 MB, some 700 segments, 2 % are lost: that none of them is has a probability of 10⁻⁶.
pub(crate) fn of_tcp_tells_both_ends() {
    let (bench, recorder) = open(lossy(), false);
    transfer(&bench, 1_000_000);
    let flight = flight(&recorder);
    let carried = bench.close();
    assert!(carried.down.counters.lost > 0);
    let [client, server] = [End::Client, End::Server].map(|end| end_of(&flight, end));
    assert_eq!(
        (client.local_port, client.local_address.as_str()),
        (server.peer_port, server.peer_address.as_str())
    );
    for end in [client, server] {
        assert_eq!(end.transport, Transport::Tcp);
        assert_eq!(end.congestion_controller.as_deref(), Some("cubic"));
        assert!(end.mss.is_some_and(|mss| (500..=1460).contains(&mss)));
        let last = end.mss_changes.last().map(|change| change.bytes);
        assert!(last.is_some() && last == end.mss);
        assert_eq!(end.black_holes, None);
        let samples = &end.samples;
        assert!(samples.at_s.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(samples.at_s.iter().all(|at_s| *at_s >= 0.0));
        assert!(samples.cwnd_bytes.iter().all(|bytes| *bytes > Some(0)));
        let smallest = samples.min_rtt_s.iter().flatten().copied();
        let smallest = smallest.fold(f64::INFINITY, f64::min);
        assert!(smallest >= ROUND_TRIP_S, "{smallest} s");
        let smoothed = samples.srtt_s.iter().flatten();
        assert!(smoothed.clone().count() > 0);
        assert!(smoothed.clone().all(|srtt_s| *srtt_s >= ROUND_TRIP_S));
    }
    let last = |column: &[Option<u64>]| column.iter().flatten().copied().max();
    assert!(last(&server.samples.retransmits) > Some(0));
    assert_eq!(last(&client.samples.retransmits), Some(0));
    assert!(server.samples.at_s.len() > client.samples.at_s.len());
    assert!(last(&server.samples.in_flight_bytes) > Some(0));
    assert!(last(&server.samples.acked_bytes) > last(&client.samples.acked_bytes));
    let acked = &server.samples.acked_bytes;
    assert!(acked.windows(2).all(|pair| pair[0] <= pair[1]), "it rises");
    assert!(flight.cost.ticks > 0);
}

pub(crate) fn begins_with_the_path() {
    let (mut bench, recorder) = open(PathSpec::default(), true);
    let (listener, at) = listen(&bench);
    let connect = move || TcpStream::connect(at);
    let early = bench.host(Side::Client).within(connect);
    let (_served, _) = listener.accept().expect("a connection came");
    thread::sleep(Duration::from_secs_f64(5.0 * INTERVAL_S));
    assert!(!recorder.has_begun());
    assert!(recorder.flight().is_none(), "nothing before the path");
    let before_s = pronghorn_flight::monotonic_s(Instant::now());
    bench.begin(1, None).expect("it was opened for a warm-up");
    let first = await_connections(&recorder, 2);
    assert!(first.clock_base_monotonic_s >= before_s - 0.001);
    drop(early);
    bench.begin(2, None).expect("and again");
    let second = flight(&recorder);
    assert!(second.clock_base_monotonic_s > first.clock_base_monotonic_s);
}

pub(crate) fn knows_short_connections() {
    let (bench, recorder) = open(delayed(), false);
    let (listener, at) = listen(&bench);
    let serve = move || {
        for _ in 0..3 {
            let (mut stream, _) = listener.accept()?;
            stream.write_all(b"short")?;
        }
        Ok::<_, std::io::Error>(())
    };
    let host = bench.host(Side::Server);
    let served = host.thread("serve", serve).expect("a thread");
    let fetch = move || {
        (0..3).try_for_each(|_| {
            TcpStream::connect(at)?
                .read_to_end(&mut Vec::new())
                .map(drop)
        })
    };
    let host = bench.host(Side::Client);
    let fetched = host.thread("fetch", fetch).expect("a thread");
    fetched.join().expect("it ends").expect("all arrives");
    served.join().expect("it ends").expect("all is sent");
    // A round trip is several intervals, so that each end of each connection is looked at; a host that stands still for
    // all of one may miss the end that closes last, and no other.
    let flight = flight(&recorder);
    let ports = |end| {
        let of_end = flight.connections.iter().filter(move |one| one.host == end);
        let ports = of_end.map(|one| match one.host {
            End::Client => one.local_port,
            End::Server => one.peer_port,
        });
        let mut ports: Vec<u16> = ports.collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    };
    assert_eq!(
        flight.connections.len(),
        ports(End::Client).len() + ports(End::Server).len()
    );
    assert!(!ports(End::Client).is_empty() && !ports(End::Server).is_empty());
}

/// The acceptance asks for less than 1 % of a CPU; where the kernel is slow (a debug kernel, a virtual machine that is
/// stolen from) looks cost more, and five times that is still far below what a list of all sockets would cost.
pub(crate) fn costs_little() {
    let (bench, recorder) = open(lossy(), false);
    let started = Instant::now();
    transfer(&bench, 1_000_000);
    let wall_s = started.elapsed().as_secs_f64();
    let cost = flight(&recorder).cost;
    let share = cost.cpu_s / wall_s;
    assert!(cost.cpu_s > 0.0 && cost.ticks > 0, "{cost:?}");
    assert!(share < 0.05, "{share} of a CPU: {cost:?}");
    assert!(cost.late_ticks <= cost.ticks);
    drop(bench);
}

pub(crate) fn without_one_there_is_no_thread() {
    let threads = || {
        let tasks = std::fs::read_dir("/proc/self/task").expect("our threads");
        let names = tasks.flatten().map(|task| {
            let name = std::fs::read_to_string(task.path().join("comm"));
            name.unwrap_or_default().trim().to_owned()
        });
        names.filter(|name| name == "flight").count()
    };
    // A thread has its name, and is gone from the list, a moment after others know of it.
    let becomes = |number: usize| {
        let asked = Instant::now();
        while threads() != number {
            assert!(asked.elapsed() < PATIENCE, "not {number} but {}", threads());
            thread::sleep(Duration::from_millis(1));
        }
    };
    let bench = crate::open(PathSpec::default(), 1);
    becomes(0);
    let (recorded, _recorder) = open(PathSpec::default(), false);
    becomes(1);
    recorded.close();
    becomes(0);
    drop(bench);
}

fn open(path: PathSpec, warm_up: bool) -> (Bench, Arc<Recorder>) {
    let recorder = Recorder::new(INTERVAL_S).expect("an interval");
    let bench = Bench::open(BenchSpec {
        path,
        seed: 1,
        tcp_congestion_control: "cubic".into(),
        warm_up,
        flight: Some(Arc::clone(&recorder)),
        ..BenchSpec::default()
    });
    (
        bench.expect("a bench opens where the isolation is had"),
        recorder,
    )
}

fn delayed() -> PathSpec {
    let link = LinkSpec {
        delay_ns: DELAY_NS,
        ..LinkSpec::default()
    };
    PathSpec {
        down: link.clone(),
        up: link,
        ..PathSpec::default()
    }
}

fn lossy() -> PathSpec {
    let mut path = delayed();
    path.down.loss = Some(Loss::independent(0.02));
    path
}

fn flight(recorder: &Recorder) -> Flight {
    recorder.flight().expect("it has begun")
}

/// The only connection of this end.
fn end_of(flight: &Flight, end: End) -> &ConnectionFlight {
    let mut of_end = flight.connections.iter().filter(|one| one.host == end);
    let first = of_end.next().expect("the connection's end was looked at");
    assert!(of_end.next().is_none(), "there was one connection");
    first
}

fn await_connections(recorder: &Recorder, number: usize) -> Flight {
    let asked = Instant::now();
    loop {
        let flight = flight(recorder);
        if flight.connections.len() >= number {
            return flight;
        }
        assert!(asked.elapsed() < PATIENCE, "{flight:?}");
        thread::sleep(Duration::from_secs_f64(INTERVAL_S));
    }
}
