//! Prints what benches cost on this machine: opening, closing, and how late packets leave, idle
//! and with every CPU busy. Run with `cargo run --release -p pronghorn-bench --example costs`.

use std::error::Error;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, BenchSpec, PathReport, Side, enter};
use pronghorn_path::{LinkSpec, PathSpec};

const BENCHES: usize = 50;
const PACKETS: usize = 1500;

fn main() -> Result<(), Box<dyn Error>> {
    println!("isolation {}", enter().name());
    openings()?;
    for (what, burners) in [
        ("idle", 0),
        ("CPUs busy", std::thread::available_parallelism()?.get()),
    ] {
        let report = under_load(burners)?;
        let late = report.up.lateness;
        println!(
            "lateness, {what}, {}: median {:.0} µs, p99 {:.0} µs, max {:.0} µs ({} packets, steal {:.1} %)",
            report.host.driver_priority,
            late.median_s * 1e6,
            late.p99_s * 1e6,
            late.max_s * 1e6,
            late.count,
            report.host.steal_share * 100.0,
        );
    }
    Ok(())
}

fn open() -> Result<Bench, Box<dyn Error>> {
    let link = LinkSpec {
        delay_ns: 20_000_000,
        ..LinkSpec::default()
    };
    let path = PathSpec {
        down: link.clone(),
        up: link,
        ..PathSpec::default()
    };
    Ok(Bench::open(BenchSpec {
        path,
        seed: 1,
        tcp_congestion_control: "cubic".into(),
        ..BenchSpec::default()
    })?)
}

fn openings() -> Result<(), Box<dyn Error>> {
    let (mut opening, mut closing) = (Vec::new(), Vec::new());
    for _ in 0..BENCHES {
        let start = Instant::now();
        let bench = open()?;
        opening.push(start.elapsed());
        let start = Instant::now();
        bench.close();
        closing.push(start.elapsed());
    }
    for (what, mut times) in [("open", opening), ("close", closing)] {
        times.sort();
        println!(
            "{what}: median {:.1?}, max {:.1?} of {BENCHES}",
            times[BENCHES / 2],
            times[BENCHES - 1]
        );
    }
    Ok(())
}

fn under_load(burners: usize) -> Result<PathReport, Box<dyn Error>> {
    let bench = open()?;
    let stop = Arc::new(AtomicBool::new(false));
    let burn = |_| {
        let stop = Arc::clone(&stop);
        std::thread::spawn(move || while !stop.load(Ordering::Relaxed) {})
    };
    let burning: Vec<_> = (0..burners).map(burn).collect();
    let to = (bench.host(Side::Server).address(), 9);
    let sink = bench
        .host(Side::Server)
        .within(move || UdpSocket::bind(to))?;
    let source = bench
        .host(Side::Client)
        .within(|| UdpSocket::bind("198.18.0.1:0"))?;
    for _ in 0..PACKETS {
        source.send_to(&[0; 1200], to)?;
        std::thread::sleep(Duration::from_micros(700));
    }
    stop.store(true, Ordering::Relaxed);
    for thread in burning {
        let _ = thread.join();
    }
    drop(sink);
    Ok(bench.close())
}
