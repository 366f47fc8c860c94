//! One exchange with the application, over a connection of its own, so that no request meets one that the application
//! has just closed.

use std::cell::Cell;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Instant as Arrival;

use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header, request};
use hyper::body::{Body, Incoming};
use hyper_util::rt::TokioIo;
use pronghorn_http::Protocol;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use super::Proxy;
use super::content::{Asked, Download, Upload};
use super::fields::{self, Client};
use crate::log::Served;
use crate::target;

/// A request as it came.
pub(crate) struct Came {
    pub(crate) protocol: Protocol,
    pub(crate) peer: IpAddr,
    /// Whether it may be a replay.
    pub(crate) early: bool,
    pub(crate) arrived: Arrival,
}

/// HTTP's own port.
const HTTP: u16 = 80;

impl Proxy {
    /// The application's answer to a request, or why there is none: 400, 425, 501, 502, 504.
    pub(crate) async fn answer(
        &self,
        request: request::Parts,
        content: Asked,
        came: Came,
    ) -> Response<Download> {
        let host = target::host(&request.uri, &request.headers);
        let target = target::target(&request.uri);
        let asked = self.log.asked(&request.method, &host, target);
        let (early, protocol, arrived) = (came.early, came.protocol, came.arrived);
        let (mut head, content) = match self.exchange(request, content, &came).await {
            Ok(answer) => {
                let (mut head, content) = answer.into_parts();
                fields::of_response(&mut head.headers);
                (head, Some(content))
            }
            Err(refusal) => {
                let (mut head, ()) = Response::new(()).into_parts();
                head.status = refusal;
                let none = HeaderValue::from_static("0");
                head.headers.insert(header::CONTENT_LENGTH, none);
                (head, None)
            }
        };
        for name in self.headers.keys() {
            head.headers.remove(name);
        }
        head.headers.extend(self.headers.clone());
        let served = Served {
            asked,
            matched: None,
            protocol,
            status: head.status,
            bytes: 0,
            early,
            arrived,
        };
        let content = Download::new(content, served, self.log.clone());
        Response::from_parts(head, content)
    }

    async fn exchange(
        &self,
        request: request::Parts,
        content: Asked,
        came: &Came,
    ) -> Result<Response<Incoming>, StatusCode> {
        let request::Parts {
            method,
            uri,
            mut headers,
            ..
        } = request;
        if came.early && !method.is_safe() {
            return Err(StatusCode::TOO_EARLY);
        }
        if method == Method::CONNECT || is_web_socket(&headers) {
            return Err(StatusCode::NOT_IMPLEMENTED);
        }
        let authority = fields::authority(&uri, &headers, &self.application.authority)
            .ok_or(StatusCode::BAD_REQUEST)?;
        let moved = Rc::new(Cell::new(Instant::now()));
        let content = Upload::new(content, moved.clone());
        let client = Client {
            authority,
            address: came.peer,
            port: self.port,
            early: came.early,
        };
        fields::of_request(&mut headers, &client);
        if !content.is_end_stream() && !headers.contains_key(header::CONTENT_LENGTH) {
            // hyper would take a GET for one without content.
            let chunked = HeaderValue::from_static("chunked");
            headers.insert(header::TRANSFER_ENCODING, chunked);
        }
        let mut asked = http::Request::new(content);
        *asked.method_mut() = method;
        let target = target::target(&uri).parse();
        *asked.uri_mut() = target.map_err(|_| StatusCode::BAD_REQUEST)?;
        *asked.headers_mut() = headers;
        let silence = async {
            // From the last moment at which content passed, so that a long upload isn't given up.
            loop {
                let end = moved.get() + self.application.limit;
                if end <= Instant::now() {
                    return;
                }
                sleep_until(end).await;
            }
        };
        tokio::select! {
            answer = self.ask(asked) => answer,
            () = silence => Err(StatusCode::GATEWAY_TIMEOUT),
        }
    }

    async fn ask(&self, request: http::Request<Upload>) -> Result<Response<Incoming>, StatusCode> {
        let authority = &self.application.authority;
        let host = authority.host().trim_matches(['[', ']']);
        let bad = StatusCode::BAD_GATEWAY;
        let stream = TcpStream::connect((host, authority.port_u16().unwrap_or(HTTP))).await;
        let stream = stream.map_err(|_| bad)?;
        let _ = stream.set_nodelay(true);
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|_| bad)?;
        // It ends with its one answer, or when nobody wants that any more.
        tokio::task::spawn_local(connection);
        let answer = sender.send_request(request).await.map_err(|_| bad)?;
        match answer.status() {
            StatusCode::SWITCHING_PROTOCOLS => Err(bad),
            _ => Ok(answer),
        }
    }
}

/// Whether a request over HTTP/1.1 wants a WebSocket (RFC 6455 §4.2.1). Any other upgrade may be passed over.
fn is_web_socket(headers: &HeaderMap) -> bool {
    let asked = headers.get_all(header::UPGRADE).iter();
    asked
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .any(|one| one.trim_ascii().eq_ignore_ascii_case(b"websocket"))
}
