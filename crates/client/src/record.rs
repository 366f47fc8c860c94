//! The record of a page load: what the client saw, resource by resource.

use pronghorn_http::{Protocol, Settings};
use pronghorn_page::Kind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::priority::Priority;

/// Everything measured in one navigation. Times are seconds from its start.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct PageLoad {
    /// Whether everything arrived as it should.
    pub outcome: Outcome,
    /// Why not.
    pub reason: Option<Reason>,
    /// The first failure in words.
    pub detail: Option<String>,
    /// Seconds of the kernel's `CLOCK_MONOTONIC` at its start, to which all times here can be added.
    pub started_monotonic_s: f64,
    /// When the last resource was complete; none for a load that failed.
    pub load_s: Option<f64>,
    /// When the document's response began.
    pub ttfb_s: Option<f64>,
    /// When the first connection's transport handshake was done.
    pub connect_s: Option<f64>,
    /// When the first connection was secured.
    pub tls_s: Option<f64>,
    /// Resources asked for.
    pub requests: usize,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Resources that failed.
    pub failures: usize,
    /// The fewest round trips in which such a load can be done: the handshake's, one for each step of the
    /// longest chain of discovery, and one more where the document came too early.
    pub round_trips: u32,
    /// What the page wants and the load leaves out, each URL once, at most `MOST_LEFT_OUT` of them.
    pub left_out: Vec<LeftOut>,
    /// How many URLs are left out in all.
    pub left_out_count: usize,
    /// Paths of scripts that may make requests and that weren't run, or of documents that hold them; at most
    /// `MOST_NAMED`.
    pub scripts_not_run: Vec<String>,
    /// How many such scripts there are.
    pub scripts_not_run_count: usize,
    /// Connections in order of their opening.
    pub connections: Vec<ConnectionRecord>,
    /// Resources in order of their discovery.
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
    /// The protocol asked for.
    pub protocol: Protocol,
    /// What ALPN settled on.
    pub alpn: Option<String>,
    /// When its first packet was sent.
    pub start_s: f64,
    /// When the transport's handshake was done. Early data is sent before it: over QUIC, or over TCP
    /// between this and `secured_s`.
    pub connected_s: Option<f64>,
    /// When TLS's handshake was done.
    pub secured_s: Option<f64>,
    /// TLS version.
    pub tls_version: Option<String>,
    /// Cipher suite by its IANA name; none where the stack doesn't tell.
    pub cipher: Option<String>,
    /// The group of its key exchange, such as `X25519MLKEM768`.
    pub key_exchange: Option<String>,
    /// The client end's congestion control, read back.
    pub congestion_controller: Option<String>,
    /// Bytes of its socket's receive buffer as the kernel tells them (Linux's are twice those asked
    /// for); none over TCP, whose buffers grow.
    pub udp_receive_buffer: Option<usize>,
    /// How the client's end is set up: TCP's when it was connected, QUIC's when the load was over.
    pub settings: Settings,
    /// Whether it went on with the session of an earlier connection; none before its handshake was done.
    pub resumed: Option<bool>,
    /// What became of its early data; none where it offered none.
    pub early_data: Option<EarlyData>,
    /// When it moved to another of the client's addresses, the host having lost the one before.
    pub migrations: Vec<f64>,
}

/// The server's word on early data (0-RTT).
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EarlyData {
    /// It took the requests that came before the handshake was done.
    Accepted,
    /// It took none of them; they were made again after the handshake.
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
    /// The path of the resource that named it; none for the document.
    pub initiator: Option<String>,
    /// Priority asked for (RFC 9218).
    #[serde(flatten)]
    pub priority: Priority,
    /// The protocol of the response, as seen.
    pub protocol: Option<Protocol>,
    /// Status of the response.
    pub status: Option<u16>,
    /// Bytes of the body that arrived, as its content coding has them.
    pub bytes: u64,
    /// The response's content coding (RFC 9110 §8.4); none where it has none.
    pub content_coding: Option<String>,
    /// Index of its connection.
    pub connection: Option<usize>,
    /// When it was discovered.
    pub start_s: f64,
    /// When the request was handed to its connection; the first time, where it came too early.
    pub request_s: Option<f64>,
    /// When the server answered that it doesn't take the request as early data (425, RFC 8470 §5.2), upon
    /// which it was made again over the same connection; none where it wasn't told so.
    pub too_early_s: Option<f64>,
    /// When the response's head had arrived.
    pub first_byte_s: Option<f64>,
    /// When the body was complete.
    pub last_byte_s: Option<f64>,
    /// What went wrong.
    pub error: Option<String>,
}
