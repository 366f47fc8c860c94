//! A server that stalls for 100 ms each second: an open loop shows it, a closed one hides it.
//!
//! At a constant rate a tenth of the requests fall into stalls and wait uniformly up to their length, so that 1 % of all wait
//! longer than nine tenths of it: p99 is 90 ms. What the host itself holds up (this process may be stopped, too) is seen by
//! a thread that only sleeps, and goes into the expectation; how late server and generator woke bounds what may come on top.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pronghorn_load::{Load, LoadReport};
use serde_json::{Value, json};

const PERIOD: Duration = Duration::from_secs(1);
const STALL: Duration = Duration::from_millis(100);
/// Requests a second of the open loop.
const RATE: f64 = 500.0;
const LASTS: f64 = 4.0;
/// A sleep that is longer than it was to be by this much is a hiccup.
const HICCUP: Duration = Duration::from_millis(3);

/// Times in which nothing was answered.
type Pauses = Arc<Mutex<Vec<(Instant, Instant)>>>;

#[test]
fn an_open_loop_shows_a_stall_that_a_closed_one_hides() {
    let pauses = Pauses::default();
    let server = serve(pauses.clone());
    let port = server.port;
    let over = watch(pauses.clone());

    let began = Instant::now();
    let arrivals = json!({"rate_per_s": RATE});
    let open = load(
        port,
        json!({"arrivals": arrivals, "connections": 64, "stop": {"duration_s": LASTS}}),
    );
    let expected = quantile_of_waits(&pauses.lock().expect("nobody panics"), began);

    let closed = load(port, json!({"stop": {"duration_s": LASTS}}));
    over.store(true, Ordering::Relaxed);

    let told = open.latency_seconds.total.expect("there are responses");
    assert_eq!(open.requests.planned, (RATE * LASTS) as u64);
    assert_eq!(open.requests.unsent, 0);
    assert!(expected >= 0.08, "{expected} s; it is the stalls' at least");
    assert!(
        told.p99 > 0.85 * expected,
        "p99 {} s for {expected} s",
        told.p99
    );
    let late = open.latency_seconds.lag.map_or(0.0, |lag| lag.max) + server.lateness();
    let most = 1.15 * expected + 0.005 + late;
    assert!(
        told.p99 < most,
        "p99 {} s, {expected} s and {late} s late",
        told.p99
    );
    let hidden = closed.latency_seconds.total.expect("there are responses");
    // A stall holds up one request at a time; on a host that crawls that is one of few.
    let share = LASTS / hidden.count as f64;
    let hides = hidden.p99 < told.p99 / 2.0;
    assert!(
        hides || share > 0.003,
        "{} s in the closed loop",
        hidden.p99
    );
    assert!(hidden.max > 0.05, "it met the stalls all the same");
}

/// A server, and how late its threads woke at most when a stall was over.
struct Server {
    port: u16,
    late: Arc<Mutex<Duration>>,
}

impl Server {
    fn lateness(&self) -> f64 {
        self.late.lock().expect("nobody panics").as_secs_f64()
    }
}

/// Answers at once, but in the first tenth of each second.
fn serve(pauses: Pauses) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let start = Instant::now();
    std::thread::spawn(move || {
        loop {
            let pause = Instant::now();
            std::thread::sleep(STALL.saturating_sub(since_period(start)));
            pauses
                .lock()
                .expect("nobody panics")
                .push((pause, Instant::now()));
            std::thread::sleep(PERIOD - since_period(start));
        }
    });
    let late = Arc::default();
    let server = Server {
        port,
        late: Arc::clone(&late),
    };
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let late = late.clone();
            std::thread::spawn(move || answer(stream, start, &late));
        }
    });
    server
}

fn since_period(start: Instant) -> Duration {
    Duration::from_nanos((start.elapsed().as_nanos() % PERIOD.as_nanos()) as u64)
}

fn answer(mut stream: TcpStream, start: Instant, late: &Mutex<Duration>) {
    stream.set_nodelay(true).expect("it is TCP");
    let mut request = [0; 4096];
    while stream.read(&mut request).is_ok_and(|length| length > 0) {
        let pause = STALL.saturating_sub(since_period(start));
        if !pause.is_zero() {
            let before = Instant::now();
            std::thread::sleep(pause);
            let mut late = late.lock().expect("nobody panics");
            *late = before.elapsed().saturating_sub(pause).max(*late);
        }
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
        if stream.write_all(response).is_err() {
            return;
        }
    }
}

/// Notes when a thread that wants to sleep for a millisecond sleeps longer.
fn watch(pauses: Pauses) -> Arc<AtomicBool> {
    let over = Arc::new(AtomicBool::new(false));
    let ends = over.clone();
    std::thread::spawn(move || {
        let nap = Duration::from_millis(1);
        while !ends.load(Ordering::Relaxed) {
            let before = Instant::now();
            std::thread::sleep(nap);
            if before.elapsed() > nap + HICCUP {
                pauses
                    .lock()
                    .expect("nobody panics")
                    .push((before, Instant::now()));
            }
        }
    });
    over
}

/// The 99th percentile of what requests wait that are due evenly from `began` on, until no pause lasts.
fn quantile_of_waits(pauses: &[(Instant, Instant)], began: Instant) -> f64 {
    let count = (RATE * LASTS) as usize;
    let mut waits: Vec<f64> = (0..count)
        .map(|number| {
            let due = began + Duration::from_secs_f64(number as f64 / RATE);
            let mut free = due;
            // Pauses may overlap and follow each other.
            while let Some((_, end)) = pauses
                .iter()
                .find(|(begin, end)| *begin <= free && free < *end)
            {
                free = *end;
            }
            (free - due).as_secs_f64()
        })
        .collect();
    waits.sort_by(f64::total_cmp);
    waits[count * 99 / 100]
}

fn load(port: u16, more: Value) -> LoadReport {
    let mut spec = json!({
        "targets": [{"url": format!("http://127.0.0.1:{port}/")}],
        "protocol": "h1",
        "congestion_control": {},
    });
    for (key, value) in more.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    let spec = serde_json::from_value(spec).expect("a specification");
    let load = Load::new(&spec).expect("it can be");
    load.run(|_| {}).expect("it runs")
}
