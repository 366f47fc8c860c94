//! The record of a page load: what the client saw, resource by resource.

use pronghorn_http::{Protocol, Settings};
use pronghorn_page::Kind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::priority::Priority;

/// One navigation. Times are seconds from its start.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct PageLoad {
    /// Whether everything arrived as it should.
    pub outcome: Outcome,
    /// Why the load failed. Null where it didn't.
    pub reason: Option<Reason>,
    /// The first failure in words. Null without one.
    pub detail: Option<String>,
    /// When it started, in seconds of CLOCK_MONOTONIC, which is the axis of flights.
    pub started_monotonic_s: f64,
    /// When the last resource was complete. Null for a load that failed.
    pub load_s: Option<f64>,
    /// When the document's response began. Null where it didn't.
    pub ttfb_s: Option<f64>,
    /// When the first connection's transport handshake was done. Null where it wasn't.
    pub connect_s: Option<f64>,
    /// When the first connection's TLS handshake was done. Null where it wasn't.
    pub tls_s: Option<f64>,
    /// Requests made.
    pub requests: usize,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Resources that failed.
    pub failures: usize,
    /// The fewest round trips that such a load needs: of the handshake (TCP with TLS 1.3: 2, with TLS 1.2: 3, 2 where it is
    /// resumed, 1 with early data; QUIC: 1, none with early data), one for each step of discovery, and one more where the
    /// document came too early.
    pub round_trips: u32,
    /// What a browser would ask for and this loader doesn't, each URL once. At most 100.
    pub left_out: Vec<LeftOut>,
    /// All URLs that were left out.
    pub left_out_count: usize,
    /// Paths of scripts that may make requests and that weren't run, or of documents that hold them. At most 20.
    pub scripts_not_run: Vec<String>,
    /// All such scripts.
    pub scripts_not_run_count: usize,
    /// Connections in the order of their opening.
    pub connections: Vec<ConnectionRecord>,
    /// Resources in the order of their discovery. Each response of a redirect is one.
    pub resources: Vec<ResourceRecord>,
}

/// A reference that a browser would follow and this loader doesn't.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct LeftOut {
    /// Absolute, cut to 2048 characters.
    pub url: String,
    /// Why it isn't followed.
    pub why: Why,
    /// What it is to the page.
    pub kind: Kind,
}

/// Why a reference isn't followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "LeftOutReason")]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// It leads to another host.
    OtherHost,
    /// The page's own Content-Security-Policy forbids it.
    Blocked,
    /// This loader can't do what a browser would.
    Unsupported,
}

/// Success or failure of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "PageOutcome")]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every resource arrived whole, with a status of 2xx or as a redirect, over the protocol asked for, but for
    /// those whose failure is tolerated.
    Ok,
    /// Anything else.
    Failed,
}

/// Why a load failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "PageFailureReason")]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The time limit ran out.
    Timeout,
    /// Another protocol was spoken than was asked for.
    Protocol,
    /// The transport's handshake failed.
    Connect,
    /// TLS failed.
    Tls,
    /// A stream or connection was reset or closed under way.
    Reset,
    /// A status other than 2xx, or a redirect that leads nowhere.
    Status,
    /// A body shorter or longer than announced, or one that its content coding doesn't fit.
    Incomplete,
    /// More than the loader's bounds allow, which no real page meets.
    TooLarge,
    /// The server gave no session that a later load could resume.
    Session,
}

/// One connection.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ConnectionRecord {
    /// The host for which it was opened. Others at its address may share it.
    pub host: String,
    /// The protocol asked for.
    pub protocol: Protocol,
    /// The protocol that ALPN chose. Null where none was.
    pub alpn: Option<String>,
    /// When its first packet was sent.
    pub start_s: f64,
    /// When TCP's handshake was done, or QUIC's one. Null where it wasn't.
    pub connected_s: Option<f64>,
    /// When TLS's handshake was done; QUIC's is the same as `connected_s`. Early data is sent before. Null where it wasn't.
    pub secured_s: Option<f64>,
    /// The version of TLS, such as `TLS 1.3`. Null before the handshake.
    pub tls_version: Option<String>,
    /// The cipher suite's IANA name. Null where the stack doesn't tell, as over QUIC.
    pub cipher: Option<String>,
    /// The group of the key exchange, such as `X25519MLKEM768`. Null where an abbreviated handshake of TLS 1.2 had none.
    pub key_exchange: Option<String>,
    /// The congestion controller of the client's end, read back. Null where it can't be.
    pub congestion_controller: Option<String>,
    /// Bytes of the socket's receive buffer as SO_RCVBUF tells, twice those asked for. Null over TCP.
    pub udp_receive_buffer: Option<usize>,
    /// How the client's end is set up.
    pub settings: Settings,
    /// Whether it resumed a session. Null before its handshake was done.
    pub resumed: Option<bool>,
    /// What became of its early data. Null where it offered none.
    pub early_data: Option<EarlyData>,
    /// When it moved to another of the client's addresses. Only QUIC can.
    pub migrations: Vec<f64>,
}

/// The server's word on early data (0-RTT).
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EarlyData {
    /// The server took it.
    Accepted,
    /// The server took none of it; the requests were made again after the handshake.
    Rejected,
}

/// One resource.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ResourceRecord {
    /// The method of its request.
    pub method: String,
    /// Path and query as requested.
    pub path: String,
    /// What it is to the page.
    pub kind: Kind,
    /// The path of the resource that named it. Null for the document.
    pub initiator: Option<String>,
    /// Priority asked for (RFC 9218).
    #[serde(flatten)]
    pub priority: Priority,
    /// The protocol of the response, as seen. Null without one.
    pub protocol: Option<Protocol>,
    /// The response's status. Null without one.
    pub status: Option<u16>,
    /// Bytes of the body as it was transferred.
    pub bytes: u64,
    /// The response's content coding. Null where it has none.
    pub content_coding: Option<String>,
    /// The index of its connection. Null where it got none.
    pub connection: Option<usize>,
    /// When it was discovered.
    pub start_s: f64,
    /// When the request was handed to its connection, the first time where it came too early. Null where it wasn't.
    pub request_s: Option<f64>,
    /// When it was answered 425 (Too Early), upon which it was made again. Null where it wasn't.
    pub too_early_s: Option<f64>,
    /// When the head of the final response arrived. Null where it didn't.
    pub first_byte_s: Option<f64>,
    /// When the body was complete. Null where it wasn't.
    pub last_byte_s: Option<f64>,
    /// What went wrong. Null where nothing did.
    pub error: Option<String>,
}
