//! A server that gives the answers of a table, over each protocol.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use pronghorn_client::{PageLoad, Tolerate};
use pronghorn_http::h3::{ServerConnection, response_head};
use pronghorn_http::{
    Protocol, QuicCongestionControl, QuicOptions, QuicSocket, QuicWatch, TransportKnobs,
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::fixture::{AMPLE, Fixture, on_one_thread, target};

/// A status, headers and a body.
#[derive(Clone)]
pub(crate) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answer {
    pub(crate) fn new(
        status: u16,
        headers: &[(&'static str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        let headers = headers.iter().map(|(name, value)| {
            let value = HeaderValue::from_str(value).expect("a value");
            (HeaderName::from_static(name), value)
        });
        Answer {
            status: StatusCode::from_u16(status).expect("a status"),
            headers: headers.collect(),
            body: body.into(),
        }
    }

    pub(crate) fn html(body: impl Into<Bytes>) -> Answer {
        Answer::new(200, &[("content-type", "text/html")], body)
    }
}

/// What came of a load: its record, and method, path with query, and `accept-encoding` of each request.
pub(crate) struct Loaded {
    pub(crate) page: PageLoad,
    pub(crate) requests: Vec<(Method, String, String)>,
}

impl Loaded {
    /// The paths in the order of their names.
    pub(crate) fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<_> = self
            .requests
            .iter()
            .map(|(_, path, _)| path.as_str())
            .collect();
        paths.sort_unstable();
        paths
    }
}

struct Script {
    answers: HashMap<String, Answer>,
    requests: RefCell<Vec<(Method, String, String)>>,
}

impl Script {
    /// What isn't in the table is answered 404; a query that it doesn't know is passed over.
    fn answer<B>(&self, request: &Request<B>) -> Answer {
        let path = request.uri().path_and_query().expect("a path").to_string();
        let asked = request.headers().get("accept-encoding");
        let asked = asked
            .map_or("", |value| value.to_str().expect("text"))
            .to_owned();
        self.requests
            .borrow_mut()
            .push((request.method().clone(), path.clone(), asked));
        let missing = || Answer::new(404, &[], "");
        let answer = self.answers.get(&path).or_else(|| {
            let (bare, _) = path.split_once('?')?;
            self.answers.get(bare)
        });
        answer.cloned().unwrap_or_else(missing)
    }
}

/// Loads `/` with this method from a server with these answers, by path and query; `tolerate`: globs.
pub(crate) fn load_with(
    protocol: Protocol,
    answers: &[(&str, Answer)],
    tolerate: &[&str],
    method: Method,
) -> Loaded {
    let site = Fixture::new(&[]);
    let answers = answers
        .iter()
        .map(|(path, answer)| ((*path).to_owned(), answer.clone()));
    let script = Rc::new(Script {
        answers: answers.collect(),
        requests: RefCell::default(),
    });
    let page = on_one_thread(async {
        let port = match protocol {
            Protocol::H3 => serve_quic(&site, script.clone()),
            _ => serve_tcp(&site, protocol, script.clone()).await,
        };
        let mut target = target(&site.path("ca.pem"), port, protocol);
        target.method = method;
        let tolerate = Tolerate::new(tolerate.iter().map(|glob| (*glob).to_owned()).collect());
        pronghorn_client::load_tolerating(target, "/", AMPLE, tolerate)
            .await
            .expect("a load")
    });
    let requests = script.requests.take();
    Loaded { page, requests }
}

pub(crate) fn load(protocol: Protocol, answers: &[(&str, Answer)]) -> Loaded {
    load_with(protocol, answers, &[], Method::GET)
}

async fn serve_tcp(site: &Fixture, protocol: Protocol, script: Rc<Script>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (certificate, key) = (site.path("leaf.pem"), site.path("leaf.key"));
    let tls = pronghorn_http::server_tls(&certificate, &key, &[protocol], 0).expect("usable TLS");
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    tokio::task::spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, script) = (acceptor.clone(), script.clone());
            tokio::task::spawn_local(async move {
                let Ok(stream) = acceptor.accept(stream).await else {
                    return;
                };
                let service = service_fn(move |request: Request<Incoming>| {
                    let answer = script.answer(&request);
                    let mut response = Response::new(Full::new(answer.body));
                    *response.status_mut() = answer.status;
                    *response.headers_mut() = answer.headers;
                    async move { Ok::<_, Infallible>(response) }
                });
                let stream = TokioIo::new(stream);
                // How it ended shows in the load.
                let _ = match protocol {
                    Protocol::H1 => {
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(stream, service)
                            .await
                    }
                    _ => {
                        hyper::server::conn::http2::Builder::new(Local)
                            .serve_connection(stream, service)
                            .await
                    }
                };
            });
        }
    });
    port
}

fn serve_quic(site: &Fixture, script: Rc<Script>) -> u16 {
    let knobs = TransportKnobs::default();
    let socket = pronghorn_http::bind_udp(([127, 0, 0, 1], 0), &knobs).expect("a port");
    let port = socket.local_addr().expect("an address").port();
    let (certificate, key) = (site.path("leaf.pem"), site.path("leaf.key"));
    let tls =
        pronghorn_http::server_tls(&certificate, &key, &[Protocol::H3], 0).expect("usable TLS");
    let options = QuicOptions {
        congestion_control: QuicCongestionControl::Cubic,
        knobs,
        watch: QuicWatch::default(),
    };
    let socket = QuicSocket::new(socket).expect("a socket");
    let server = pronghorn_http::server_endpoint(socket, tls, options).expect("a server");
    tokio::task::spawn_local(async move {
        while let Some(incoming) = server.endpoint.accept().await {
            let (connecting, script) = (server.accept(incoming), script.clone());
            tokio::task::spawn_local(async move {
                let Ok(connection) = connecting.expect("a connection").await else {
                    return;
                };
                let http = ServerConnection::start(connection);
                while let Ok(mut stream) = http.accept().await {
                    let Ok(request) = stream.request().await else {
                        continue;
                    };
                    let answer = script.answer(&Request::from_parts(request, ()));
                    let head = response_head(answer.status, &answer.headers, answer.body.len());
                    // The client may have enough of it.
                    let _ = stream.respond(head.expect("a head"), answer.body).await;
                }
            });
        }
    });
    port
}

/// hyper's tasks on this thread.
#[derive(Clone, Copy)]
struct Local;

impl<F> hyper::rt::Executor<F> for Local
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, future: F) {
        tokio::task::spawn_local(future);
    }
}
