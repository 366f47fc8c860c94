//! What reads a server's bytes, as functions of them: for fuzzing, and for tests with arbitrary cuts.

use bytes::Bytes;
use http::{HeaderMap, Method, Uri};
use pronghorn_http::{Protocol, TransportKnobs};

use crate::connection::{Event, Ticket};
use crate::content::Content;
use crate::prepared::Prepared;
use crate::{h1, h2};

/// Requests that are in flight when the bytes come.
const REQUESTS: Ticket = 4;

/// What came of the bytes: the requests' ends in words, how many bytes of content there were, and whether a rule was broken.
pub type Outcome = (Vec<String>, u64, bool);

/// What an HTTP/1.1 connection's client makes of pieces of what a server sends; the second of its requests is HEAD.
#[must_use]
pub fn http_1<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut client = h1::Client::default();
    let mut out = Vec::new();
    for (ticket, request) in (0..REQUESTS).zip(requests(Protocol::H1)) {
        client.send(ticket, &request, &mut out);
    }
    let mut events = Vec::new();
    let mut pieces = pieces.into_iter();
    let broken = pieces.any(|piece| client.receive(piece, &mut events).is_err());
    if !broken {
        client.end(true, &mut events);
    }
    (told(&events), client.payload(), broken)
}

/// What an HTTP/2 connection's client makes of pieces of what a server sends; the second of its requests is HEAD.
#[must_use]
pub fn http_2<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut out = Vec::new();
    let mut client = h2::Client::new(TransportKnobs::default(), &mut out);
    for (ticket, request) in (0..REQUESTS).zip(requests(Protocol::H2)) {
        client.send(ticket, &request, &mut out);
    }
    let mut events = Vec::new();
    let mut pieces = pieces.into_iter();
    let broken = pieces.any(|piece| client.receive(piece, &mut out, &mut events).is_err());
    (told(&events), client.payload(), broken)
}

fn requests(protocol: Protocol) -> impl Iterator<Item = Prepared> {
    let uri = Uri::from_static("https://origin.test/");
    let methods = [Method::GET, Method::HEAD, Method::GET, Method::POST];
    methods.into_iter().filter_map(move |method| {
        let body = if method == Method::POST {
            Bytes::from_static(&[b'x'; 70_000])
        } else {
            Bytes::new()
        };
        let content = Content::Memory(body);
        Prepared::new(protocol, method, &uri, HeaderMap::new(), content).ok()
    })
}

/// A request ends once.
fn told(events: &[Event]) -> Vec<String> {
    let mut ended = [false; REQUESTS as usize];
    for event in events {
        let (Event::Done { ticket, .. } | Event::Failed { ticket, .. } | Event::Refused(ticket)) =
            event
        else {
            continue;
        };
        let before = std::mem::replace(&mut ended[*ticket as usize], true);
        assert!(!before, "a request ended twice: {events:?}");
    }
    events.iter().map(|event| format!("{event:?}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Cuts bytes at such places.
    fn cut<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        places
            .windows(2)
            .map(|pair| &bytes[pair[0]..pair[1]])
            .collect()
    }

    /// A response of HTTP/1.1 with content in chunks, or of a stated length.
    fn response_1(content: &[u8], chunk: Option<usize>, head_only: bool) -> Vec<u8> {
        let Some(chunk) = chunk else {
            let mut bytes = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
                content.len()
            )
            .into_bytes();
            if !head_only {
                bytes.extend_from_slice(content);
            }
            return bytes;
        };
        let mut bytes =
            b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        if head_only {
            return bytes;
        }
        for piece in content.chunks(chunk) {
            bytes.extend(format!("{:x};name=value\r\n", piece.len()).into_bytes());
            bytes.extend_from_slice(piece);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\ntrailer: 1\r\n\r\n");
        bytes
    }

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
        frame.extend([kind, flags]);
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        frame
    }

    proptest! {
        #[test]
        fn responses_of_http_1_are_the_same_however_they_are_cut(
            contents in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..300), prop::option::of(1_usize..90)), 4),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let mut bytes = Vec::new();
            for (number, (content, chunk)) in contents.iter().enumerate() {
                bytes.extend(response_1(content, *chunk, number == 1));
            }
            let (events, payload, broken) = http_1(cut(&bytes, &cuts));
            prop_assert!(!broken);
            prop_assert_eq!(events.iter().filter(|event| event.starts_with("Done")).count(), 4);
            let lengths = [0, 2, 3].map(|number| contents[number].0.len() as u64);
            prop_assert_eq!(payload, lengths.iter().sum::<u64>());
            prop_assert_eq!(http_1([&bytes[..]]), (events, payload, broken));
        }

        #[test]
        fn frames_of_http_2_are_the_same_however_they_are_cut(
            frames in prop::collection::vec(
                (0_u8..11, any::<u8>(), 0_u32..9, prop::collection::vec(any::<u8>(), 0..60)), 0..30),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let mut bytes = frame(4, 0, 0, &[]);
            // Heads that can be decoded, so that what follows them is reached as well.
            for (kind, flags, stream, payload) in &frames {
                let payload = if *kind == 1 { &[0x88][..] } else { payload };
                bytes.extend(frame(*kind, *flags, *stream, payload));
            }
            prop_assert_eq!(http_2(cut(&bytes, &cuts)), http_2([&bytes[..]]));
        }

        #[test]
        fn any_bytes_are_safe_however_they_are_cut(
            bytes: Vec<u8>,
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            prop_assert_eq!(http_1(cut(&bytes, &cuts)), http_1([&bytes[..]]));
            prop_assert_eq!(http_2(cut(&bytes, &cuts)), http_2([&bytes[..]]));
        }
    }
}
