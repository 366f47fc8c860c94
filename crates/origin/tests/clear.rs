//! The origin's port without TLS, over loopback: which protocol a client gets there, and what the log says of it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use pronghorn_http::{
    CongestionControl, Protocol, QuicCongestionControl, QuicStack, QuicWatch, TransportKnobs,
};
use pronghorn_origin::{
    AccessLog, Content, Face, LogKeeping, Origin, OriginConfig, OriginError, ResponseHeaders, Site,
};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

const BODY: &[u8] = b"<!doctype html>";

/// A folder with a site and a certificate.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let made = rcgen::generate_simple_self_signed(["origin.pronghorn.test".to_owned()]);
    let made = made.expect("a certificate");
    let site = folder.path().join("site");
    std::fs::create_dir(&site).expect("a folder");
    for (file, bytes) in [
        (site.join("index.html"), BODY),
        (site.join("big.bin"), &vec![7; 1 << 20][..]),
        (folder.path().join("leaf.pem"), made.cert.pem().as_bytes()),
        (
            folder.path().join("leaf.key"),
            made.key_pair.serialize_pem().as_bytes(),
        ),
    ] {
        std::fs::write(file, bytes).expect("a file");
    }
    folder
}

fn config(folder: &TempDir, address: IpAddr, clear_port: Option<u16>) -> OriginConfig {
    let path = |name: &str| folder.path().join(name);
    let headers = BTreeMap::from([("x-origin".to_owned(), "pronghorn".to_owned())]);
    OriginConfig {
        content: Content::Site(Arc::new(
            Site::read(&path("site")).expect("a readable site"),
        )),
        faces: vec![Face {
            address,
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
        clear_port,
        headers: ResponseHeaders::new(&headers, &BTreeMap::new()).expect("usable headers"),
        graceful: false,
        early_data: false,
        log: LogKeeping::Requests,
        secrets: None,
        quic_watch: QuicWatch::default(),
    }
}

/// Runs a client against an origin that serves in the clear on this address; gives its log as well.
fn with_origin<T, F: Future<Output = T>>(
    address: IpAddr,
    client: impl FnOnce(TcpStream) -> F,
) -> (T, AccessLog) {
    let folder = folder();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let origin = Origin::bind(&config(&folder, address, Some(0))).expect("an origin");
        let (port, log) = (origin.clear_port().expect("a port"), origin.log());
        tokio::task::spawn_local(origin.serve());
        let stream = TcpStream::connect((address, port))
            .await
            .expect("a connection");
        (client(stream).await, log)
    })
}

async fn whole(response: Response<hyper::body::Incoming>) -> (StatusCode, bool, Bytes) {
    let marked = response.headers().contains_key("x-origin");
    let status = response.status();
    let body = response.into_body().collect().await.expect("a body");
    (status, marked, body.to_bytes())
}

async fn over_h1(stream: TcpStream) -> Vec<(StatusCode, bool, Bytes)> {
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.expect("a connection");
    tokio::task::spawn_local(connection);
    let mut answers = Vec::new();
    for path in ["/", "/big.bin", "/none"] {
        let request = Request::get(path).header("host", "origin.pronghorn.test");
        let request = request.body(Empty::<Bytes>::new()).expect("a request");
        let response = sender.send_request(request).await.expect("a response");
        answers.push(whole(response).await);
    }
    answers
}

async fn over_h2(stream: TcpStream) -> Vec<(StatusCode, bool, Bytes)> {
    let io = TokioIo::new(stream);
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await;
    let (mut sender, connection) = handshake.expect("a connection");
    tokio::task::spawn_local(connection);
    let mut answers = Vec::new();
    for path in ["/", "/big.bin", "/none"] {
        let request = Request::get(format!("http://origin.pronghorn.test{path}"));
        let request = request.body(Empty::<Bytes>::new()).expect("a request");
        let response = sender.send_request(request).await.expect("a response");
        answers.push(whole(response).await);
    }
    answers
}

fn check(protocol: Protocol, answers: &[(StatusCode, bool, Bytes)], log: &AccessLog) {
    let expected = [
        (StatusCode::OK, true, Bytes::from_static(BODY)),
        (StatusCode::OK, true, Bytes::from(vec![7; 1 << 20])),
        (StatusCode::NOT_FOUND, true, Bytes::new()),
    ];
    assert_eq!(answers, expected);
    let logged: Vec<_> = log
        .entries()
        .into_iter()
        .map(|entry| (entry.path, entry.protocol, entry.status, entry.bytes))
        .collect();
    assert_eq!(
        logged,
        [
            ("/".to_owned(), protocol, 200, BODY.len() as u64),
            ("/big.bin".to_owned(), protocol, 200, 1 << 20),
            ("/none".to_owned(), protocol, 404, 0),
        ]
    );
    let connections = log.connections();
    let told: Vec<_> = connections
        .iter()
        .map(|one| (one.protocol, one.tls, one.congestion_controller.as_deref()))
        .collect();
    assert_eq!(told, [(protocol, false, Some("reno"))]);
}

#[test]
fn http_1_is_served_in_the_clear() {
    let (answers, log) = with_origin(Ipv4Addr::LOCALHOST.into(), over_h1);
    check(Protocol::H1, &answers, &log);
}

#[test]
fn http_2_is_served_in_the_clear_by_prior_knowledge() {
    let (answers, log) = with_origin(Ipv4Addr::LOCALHOST.into(), over_h2);
    check(Protocol::H2, &answers, &log);
}

#[test]
fn any_address_of_the_machine_can_be_listened_on() {
    for address in [
        IpAddr::from(Ipv4Addr::new(127, 0, 0, 9)),
        Ipv6Addr::LOCALHOST.into(),
    ] {
        let (answers, log) = with_origin(address, over_h2);
        check(Protocol::H2, &answers, &log);
    }
}

#[test]
fn a_preface_that_comes_byte_by_byte_is_http_2() {
    let (frame, log) = with_origin(Ipv4Addr::LOCALHOST.into(), |mut stream| async move {
        stream.set_nodelay(true).expect("a socket");
        let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        for byte in [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &settings].concat() {
            stream.write_all(&[byte]).await.expect("a connection");
            tokio::task::yield_now().await;
        }
        let mut header = [0; 9];
        stream.read_exact(&mut header).await.expect("a frame");
        header[3]
    });
    assert_eq!(frame, 4, "the server's SETTINGS");
    assert_eq!(log.connections()[0].protocol, Protocol::H2);
}

#[test]
fn nothing_is_served_in_the_clear_unless_it_is_asked_for() {
    let folder = folder();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let guard = runtime.expect("a runtime");
    let _entered = guard.enter();
    let bind = |port| Origin::bind(&config(&folder, Ipv4Addr::LOCALHOST.into(), port));
    assert_eq!(bind(None).expect("an origin").clear_port(), None);
    let first = bind(Some(0)).expect("an origin");
    let taken = first.clear_port();
    match bind(taken).err() {
        Some(OriginError::Listen { port, .. }) => assert_eq!(Some(port), taken),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_client_that_leaves_before_its_protocol_is_clear_leaves_the_origin_serving() {
    let (answers, log) = with_origin(Ipv4Addr::LOCALHOST.into(), |mut stream| async move {
        stream.write_all(b"PRI * HT").await.expect("a connection");
        let address = stream.peer_addr().expect("an address");
        drop(stream);
        over_h1(TcpStream::connect(address).await.expect("a connection")).await
    });
    check(Protocol::H1, &answers, &log);
}
