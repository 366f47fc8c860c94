//! Requests that are given up.

use std::time::{Duration, Instant};

use http::{HeaderMap, Uri};
use pronghorn_http::Protocol;

use super::*;
use crate::content::Content;

/// Requests that are cancelled in each measurement.
const CANCELLED: usize = 200;

fn in_flight(requests: Ticket) -> (Client, Vec<u32>) {
    let uri = Uri::from_static("https://origin.test/");
    let get = Prepared::new(
        Protocol::H2,
        Method::GET,
        &uri,
        HeaderMap::new(),
        Content::default(),
    );
    let get = get.expect("a request");
    let mut out = Vec::new();
    let mut client = Client::new(TransportKnobs::default(), &mut out);
    let send = |ticket| client.send(ticket, &get, &mut out);
    let streams = (0..requests).map(send).collect();
    (client, streams)
}

#[test]
fn a_cancelled_request_is_forgotten_and_the_server_told() {
    let (mut client, streams) = in_flight(10);
    let mut out = Vec::new();
    client.cancel(streams[3], &mut out);
    client.cancel(streams[3], &mut out);
    let mut told = Vec::new();
    frame::put_number(kind::RST_STREAM, streams[3], code::CANCEL, &mut told);
    assert_eq!(out, told);
    let mut left = client.abandon();
    left.sort_unstable();
    assert_eq!(left, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
}

/// Looking through all of them would take some hundred times as long.
#[test]
fn cancelling_takes_no_longer_with_many_requests_in_flight() {
    let best = |requests: usize| {
        let time = |_| {
            let (mut client, streams) = in_flight(requests as Ticket);
            let mut out = Vec::new();
            let begun = Instant::now();
            for stream in streams.iter().step_by(requests / CANCELLED) {
                client.cancel(*stream, &mut out);
            }
            begun.elapsed()
        };
        (0..5).map(time).min().unwrap_or(Duration::MAX)
    };
    let (few, many) = (best(CANCELLED), best(200 * CANCELLED));
    assert!(many < 40 * few, "{many:?} beside {few:?}");
}
