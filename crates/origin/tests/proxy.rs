//! An origin in front of an application, over loopback and without TLS: what passes, what doesn't, and when.

use std::net::Ipv4Addr;
use std::time::Duration;

use pronghorn_http::{
    CongestionControl, Protocol, QuicCongestionControl, QuicStack, QuicWatch, TransportKnobs,
};
use pronghorn_origin::{
    AccessLog, Application, Content, Face, LogKeeping, Origin, OriginConfig, ResponseHeaders,
};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, LocalSet};

const LONG_S: f64 = 600.0;

/// An origin that hands requests on, an application's listener, and how the origin is told to end.
struct World {
    application: TcpListener,
    port: u16,
    log: AccessLog,
    stop: oneshot::Sender<Duration>,
    origin: JoinHandle<bool>,
}

fn config(folder: &TempDir, application: Application) -> OriginConfig {
    let made = rcgen::generate_simple_self_signed(["origin.pronghorn.test".to_owned()]);
    let made = made.expect("a certificate");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("leaf.pem"), made.cert.pem()).expect("a file");
    std::fs::write(path("leaf.key"), made.key_pair.serialize_pem()).expect("a file");
    OriginConfig {
        content: Content::Proxied(application),
        faces: vec![Face {
            address: Ipv4Addr::LOCALHOST.into(),
            certificate: path("leaf.pem"),
            key: path("leaf.key"),
            h2: true,
            h3: true,
        }],
        quic_stack: QuicStack::Quinn,
        congestion_control: CongestionControl {
            tcp: "reno".to_owned(),
            quic: QuicCongestionControl::Cubic,
        },
        knobs: TransportKnobs::default(),
        port: 0,
        clear_port: Some(0),
        headers: ResponseHeaders::default(),
        early_data: false,
        graceful: true,
        log: LogKeeping::Requests,
        secrets: None,
        quic_watch: QuicWatch::default(),
    }
}

fn with<F: Future<Output = ()>>(limit_s: f64, test: impl FnOnce(World) -> F) {
    let folder = TempDir::new().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let application = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let application = application.expect("a port");
        let there = application.local_addr().expect("an address");
        let known = Application::new(&format!("http://{there}"), limit_s).expect("a URL");
        let origin = Origin::bind(&config(&folder, known)).expect("an origin");
        let (port, log) = (origin.clear_port().expect("a port"), origin.log());
        let (stop, stopped) = oneshot::channel();
        let stop_within = async { stopped.await.unwrap_or_default() };
        let origin = tokio::task::spawn_local(origin.serve_until(stop_within));
        test(World {
            application,
            port,
            log,
            stop,
            origin,
        })
        .await;
    });
}

impl World {
    async fn client(&self, request: &str) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await;
        let mut stream = stream.expect("a connection");
        stream.write_all(request.as_bytes()).await.expect("a write");
        stream
    }

    /// The application's end of the next exchange.
    async fn asked(&self) -> TcpStream {
        self.application.accept().await.expect("a connection").0
    }
}

/// Reads until what came ends so.
async fn until(stream: &mut TcpStream, end: &str) -> String {
    let mut came = Vec::new();
    while !came.ends_with(end.as_bytes()) {
        let mut byte = [0];
        let length = stream.read(&mut byte).await.expect("a read");
        assert_eq!(
            length,
            1,
            "it ended after {:?}",
            String::from_utf8_lossy(&came)
        );
        came.push(byte[0]);
    }
    String::from_utf8(came).expect("text").to_lowercase()
}

async fn rest(stream: &mut TcpStream) -> String {
    let mut came = String::new();
    stream.read_to_string(&mut came).await.expect("a read");
    came.to_lowercase()
}

const GET: &str = "GET /a?b HTTP/1.1\r\nHost: shop.example\r\n\r\n";

#[test]
fn content_passes_both_ways_as_it_comes() {
    with(LONG_S, async |world| {
        let head = "POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n";
        let mut client = world.client(head).await;
        let mut application = world.asked().await;
        let asked = until(&mut application, "3\r\none\r\n").await;
        assert!(asked.starts_with("post /up http/1.1\r\n"));
        assert!(asked.contains("transfer-encoding: chunked"));
        // An event stream, of which the first event passes before the request has ended.
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n";
        application
            .write_all(answer.as_bytes())
            .await
            .expect("a write");
        until(&mut client, "data: 1\n\n\r\n").await;
        client
            .write_all(b"3\r\ntwo\r\n0\r\nX-Sum: 1\r\n\r\n")
            .await
            .expect("a write");
        let rest_of_request = until(&mut application, "0\r\n\r\n").await;
        assert!(rest_of_request.contains("two") && !rest_of_request.contains("x-sum"));
        application
            .write_all(b"data: 2\n\n")
            .await
            .expect("a write");
        until(&mut client, "data: 2\n\n\r\n").await;
        drop(application);
        until(&mut client, "0\r\n\r\n").await;
        let logged = world.log.entries();
        assert_eq!((logged[0].status, logged[0].bytes), (200, 18));
    });
}

#[test]
fn fields_of_a_connection_and_trailers_stay_there_and_our_own_are_said() {
    with(LONG_S, async |world| {
        let head = "GET /a?b HTTP/1.1\r\nHost: shop.example:1\r\nConnection: close, X-Own\r\nX-Own: 1\r\n\
            X-Forwarded-For: 6.6.6.6\r\nEarly-Data: 1\r\nExpect: 100-continue\r\n\r\n";
        let mut client = world.client(head).await;
        let mut application = world.asked().await;
        let asked = until(&mut application, "\r\n\r\n").await;
        for said in [
            "get /a?b http",
            "host: shop.example:1\r",
            "x-forwarded-for: 127.0.0.1\r",
        ] {
            assert!(asked.contains(said), "{asked}");
        }
        for dropped in [
            "x-own",
            "6.6.6.6",
            "early-data",
            "expect",
            "transfer-encoding",
        ] {
            assert!(!asked.contains(dropped), "{asked}");
        }
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nKeep-Alive: timeout=9\r\n\
            X-Kept: 1\r\n\r\n3\r\none\r\n0\r\nX-Sum: 1\r\n\r\n";
        application
            .write_all(answer.as_bytes())
            .await
            .expect("a write");
        let answered = rest(&mut client).await;
        assert!(answered.contains("x-kept: 1") && answered.ends_with("3\r\none\r\n0\r\n\r\n"));
        assert!(
            !answered.contains("x-sum") && !answered.contains("timeout=9"),
            "{answered}"
        );
    });
}

#[test]
fn answers_without_content_have_none() {
    with(LONG_S, async |world| {
        for (method, answer) in [
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"),
            ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
            (
                "GET",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
            ),
        ] {
            let request = format!("{method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            let mut client = world.client(&request).await;
            let mut application = world.asked().await;
            until(&mut application, "\r\n\r\n").await;
            application
                .write_all(answer.as_bytes())
                .await
                .expect("a write");
            let answered = rest(&mut client).await;
            assert!(answered.ends_with("\r\n\r\n"), "{method}: {answered}");
            assert!(!answered.contains("chunked"), "{method}: {answered}");
        }
    });
}

#[test]
fn what_can_not_be_handed_on_is_refused() {
    with(LONG_S, async |world| {
        let refused = async |request: &str, status: &str| {
            let answered = rest(&mut world.client(request).await).await;
            assert!(
                answered.starts_with(&format!("http/1.1 {status} ")),
                "{answered}"
            );
        };
        let socket =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n";
        refused(socket, "501").await;
        refused(
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
            "400",
        )
        .await;
        let World {
            application, port, ..
        } = world;
        drop(application);
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
        let mut client = stream.expect("a connection");
        let close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        client.write_all(close.as_bytes()).await.expect("a write");
        assert!(rest(&mut client).await.starts_with("http/1.1 502 "));
        drop((world.log, world.stop, world.origin));
    });
}

#[test]
fn a_silent_application_is_given_up() {
    with(0.01, async |world| {
        let mut client = world.client(GET).await;
        assert!(
            until(&mut client, "\r\n\r\n")
                .await
                .starts_with("http/1.1 504 ")
        );
    });
}

#[test]
fn an_answer_that_breaks_off_is_broken_off() {
    with(LONG_S, async |world| {
        let mut client = world.client(GET).await;
        let mut application = world.asked().await;
        until(&mut application, "\r\n\r\n").await;
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
        application
            .write_all(answer.as_bytes())
            .await
            .expect("a write");
        drop(application);
        assert!(rest(&mut client).await.ends_with("half"));
        assert!(world.log.request_counts()[0].cut_off);
        assert_eq!(world.log.entries()[0].protocol, Protocol::H1);
    });
}

#[test]
fn an_application_waits_for_a_client_that_does_not_read() {
    with(LONG_S, async |world| {
        let client = world.client(GET).await;
        let mut application = world.asked().await;
        until(&mut application, "\r\n\r\n").await;
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";
        application.write_all(head).await.expect("a write");
        // Sockets' buffers take some; a proxy that kept all would take gigabytes.
        let mut taken = 0_u64;
        let chunk = vec![7; 1 << 20];
        while tokio::time::timeout(Duration::from_secs(1), application.write_all(&chunk))
            .await
            .is_ok()
        {
            taken += 1;
            assert!(taken < 256, "{taken} MiB were taken");
        }
        drop(client);
        // The application learns that nobody wants the rest.
        let mut more = application.write_all(&chunk).await;
        while more.is_ok() {
            more = application.write_all(&chunk).await;
        }
    });
}

#[test]
fn an_end_waits_for_what_is_under_way_and_takes_no_more() {
    with(LONG_S, async |world| {
        let mut client = world.client(GET).await;
        let mut application = world.asked().await;
        until(&mut application, "\r\n\r\n").await;
        world
            .stop
            .send(Duration::from_secs(3600))
            .expect("an origin");
        while TcpStream::connect((Ipv4Addr::LOCALHOST, world.port))
            .await
            .is_ok()
        {
            tokio::task::yield_now().await;
        }
        assert!(!world.origin.is_finished());
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
        application.write_all(answer).await.expect("a write");
        assert!(rest(&mut client).await.ends_with("done"));
        assert!(world.origin.await.expect("an end"));
    });
}

#[test]
fn an_end_cuts_off_what_takes_longer_than_allowed() {
    with(LONG_S, async |world| {
        let _client = world.client(GET).await;
        let _application = world.asked().await;
        world.stop.send(Duration::ZERO).expect("an origin");
        assert!(!world.origin.await.expect("an end"));
    });
}
