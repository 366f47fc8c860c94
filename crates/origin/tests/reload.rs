//! A reload in the middle of a load, over HTTP/1.1 and HTTP/2: every connection is told to end, and no request is lost.
//! HTTP/3 is loaded in `tests/e2e/test_reloads.py`.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use pronghorn_http::{
    CongestionControl, QuicCongestionControl, QuicStack, QuicWatch, TransportKnobs,
};
use pronghorn_origin::{
    Content, Face, Generations, LogKeeping, Origin, OriginConfig, ResponseHeaders, Site,
};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::task::LocalSet;

const BIG: usize = 1 << 20;

fn config(folder: &TempDir) -> OriginConfig {
    let path = |name: &str| folder.path().join(name);
    let made = rcgen::generate_simple_self_signed(["origin.pronghorn.test".to_owned()]);
    let made = made.expect("a certificate");
    std::fs::create_dir(path("site")).expect("a folder");
    std::fs::write(path("site/index.html"), "<!doctype html>").expect("a file");
    std::fs::write(path("site/big.bin"), vec![7; BIG]).expect("a file");
    std::fs::write(path("leaf.pem"), made.cert.pem()).expect("a file");
    std::fs::write(path("leaf.key"), made.key_pair.serialize_pem()).expect("a file");
    OriginConfig {
        content: Content::Site(Arc::new(
            Site::read(&path("site")).expect("a readable site"),
        )),
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
        headers: ResponseHeaders::new(&BTreeMap::new(), &BTreeMap::new()).expect("usable headers"),
        early_data: false,
        log: LogKeeping::Requests,
        secrets: None,
        quic_watch: QuicWatch::default(),
    }
}

/// Runs a client against an origin, with its port in the clear and what reloads it.
fn with_origin<F: Future<Output = ()>>(client: impl FnOnce(u16, Generations) -> F) {
    let folder = TempDir::new().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let origin = Origin::bind(&config(&folder)).expect("a free port");
        let port = origin.clear_port().expect("a port in the clear");
        let generations = origin.generations();
        tokio::task::spawn_local(origin.serve());
        let patience = Duration::from_secs(60);
        tokio::time::timeout(patience, client(port, generations))
            .await
            .expect("an end");
    });
}

async fn connect(port: u16) -> TokioIo<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
    TokioIo::new(stream.expect("a listener"))
}

fn request(path: &str) -> Request<Empty<Bytes>> {
    let request = Request::get(path).header("host", "origin.pronghorn.test");
    request.body(Empty::new()).expect("a request")
}

#[test]
fn an_http_1_connection_answers_one_more_request_and_says_that_it_closes() {
    with_origin(async |port, generations| {
        let (mut send, connection) = hyper::client::conn::http1::handshake(connect(port).await)
            .await
            .expect("a connection");
        let ended = tokio::task::spawn_local(connection);
        let mut ask = async || {
            let answer = send.send_request(request("/index.html")).await;
            let (head, body) = answer.expect("an answer").into_parts();
            body.collect().await.expect("a whole body");
            assert_eq!(head.status, StatusCode::OK);
            head.headers
                .get(CONNECTION)
                .map(|value| value.as_bytes().to_vec())
        };
        assert_eq!(ask().await, None);
        assert_eq!(generations.retire(), 1);
        assert_eq!(ask().await.as_deref(), Some(&b"close"[..]));
        ended.await.expect("no panic").expect("an orderly end");
        assert_eq!(generations.retire(), 0);
    });
}

#[test]
fn an_http_2_connection_finishes_its_streams_and_ends() {
    with_origin(async |port, generations| {
        let handshake =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), connect(port).await);
        let (mut send, connection) = handshake.await.expect("a connection");
        let ended = tokio::task::spawn_local(connection);
        let mut bodies = Vec::new();
        for _ in 0..20 {
            let answer = send.send_request(request("/big.bin")).await;
            bodies.push(answer.expect("an answer").into_body());
        }
        assert_eq!(generations.retire(), 1);
        for body in bodies {
            let body = body.collect().await.expect("a whole body");
            assert_eq!(body.to_bytes().len(), BIG);
        }
        ended.await.expect("no panic").expect("an orderly end");
        assert_eq!(generations.retire(), 0);
    });
}

#[test]
fn a_connection_that_comes_after_a_reload_stays() {
    with_origin(async |port, generations| {
        generations.retire();
        let (mut send, connection) = hyper::client::conn::http1::handshake(connect(port).await)
            .await
            .expect("a connection");
        tokio::task::spawn_local(connection);
        for _ in 0..3 {
            let answer = send.send_request(request("/index.html")).await;
            let answer = answer.expect("an answer");
            assert!(!answer.headers().contains_key(CONNECTION));
            answer.into_body().collect().await.expect("a whole body");
        }
    });
}
