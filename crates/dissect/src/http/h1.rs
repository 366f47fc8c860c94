//! HTTP/1.1 (RFC 9112): requests and responses in their order.

use httparse::{EMPTY_HEADER, Header, Request, Response, Status};

use super::{Exchanges, Owned, RequestAt};

const MOST_FIELDS: usize = 128;

/// What frames a message's content (RFC 9112 §6.3).
enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

pub(super) fn read(up: &[u8], down: &[u8]) -> Exchanges {
    let mut told = Exchanges::default();
    requests(up, &mut told);
    responses(down, &mut told);
    told
}

fn requests(up: &[u8], told: &mut Exchanges) {
    let mut at = 0;
    while at < up.len() {
        let mut fields = [EMPTY_HEADER; MOST_FIELDS];
        let mut request = Request::new(&mut fields);
        let Ok(Status::Complete(head)) = request.parse(&up[at..]) else {
            told.why_not = Some("a request's head is broken or not whole".into());
            return;
        };
        told.marks[1].push((at as u64, "request"));
        told.requests.push(RequestAt {
            id: told.requests.len() as i64,
            method: request.method.map(str::to_owned),
            path: request.path.map(str::to_owned),
            at: at as u64,
        });
        let framing = framing(request.headers).unwrap_or(Framing::Length(0));
        at += head;
        match content(&up[at..], &framing) {
            Some(length) => at += length,
            None => return,
        }
    }
}

fn responses(down: &[u8], told: &mut Exchanges) {
    let mut at = 0;
    for place in 0..told.requests.len() {
        if at >= down.len() {
            return;
        }
        let Some((head, framing)) = final_head(&down[at..], told.requests[place].method.as_deref())
        else {
            told.why_not = Some("a response's head is broken or not whole".into());
            told.owned.push(Owned {
                range: at as u64..down.len() as u64,
                stream: place as i64,
                offset: 0,
            });
            return;
        };
        if place == 0 {
            told.marks[0].push((at as u64, "head of the response"));
        }
        let body = content(&down[at + head..], &framing);
        let end = body.map_or(down.len(), |length| at + head + length);
        if end > at + head && told.first_content.is_none() {
            told.first_content = Some((at + head) as u64);
        }
        told.owned.push(Owned {
            range: at as u64..end as u64,
            stream: place as i64,
            offset: 0,
        });
        at = end;
    }
}

/// Bytes of the heads up to the final one's end (RFC 9110 §15.2), and what frames the content behind.
fn final_head(down: &[u8], method: Option<&str>) -> Option<(usize, Framing)> {
    let mut at = 0;
    loop {
        let mut fields = [EMPTY_HEADER; MOST_FIELDS];
        let mut response = Response::new(&mut fields);
        let Ok(Status::Complete(head)) = response.parse(down.get(at..)?) else {
            return None;
        };
        at += head;
        let status = response.code?;
        let framing = match status {
            100 | 102..=199 => continue,
            101 => Framing::UntilClose,
            204 | 304 => Framing::Length(0),
            _ if method == Some("HEAD") => Framing::Length(0),
            _ => framing(response.headers).unwrap_or(Framing::UntilClose),
        };
        return Some((at, framing));
    }
}

fn framing(fields: &[Header<'_>]) -> Option<Framing> {
    let value = |name: &str| {
        let field = fields
            .iter()
            .find(|field| field.name.eq_ignore_ascii_case(name));
        field.and_then(|field| std::str::from_utf8(field.value).ok())
    };
    if value("transfer-encoding").is_some_and(|coding| coding.trim_end().ends_with("chunked")) {
        return Some(Framing::Chunked);
    }
    value("content-length")?
        .trim()
        .parse()
        .ok()
        .map(Framing::Length)
}

/// Bytes of the content; `None` where it isn't whole.
fn content(bytes: &[u8], framing: &Framing) -> Option<usize> {
    match framing {
        Framing::Length(length) => usize::try_from(*length)
            .ok()
            .filter(|length| *length <= bytes.len()),
        Framing::Chunked => chunks(bytes),
        Framing::UntilClose => Some(bytes.len()),
    }
}

/// Bytes of all chunks, the last one and the trailers included (RFC 9112 §7.1).
fn chunks(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let Ok(Status::Complete((head, size))) = httparse::parse_chunk_size(bytes.get(at..)?)
        else {
            return None;
        };
        at += head;
        if size == 0 {
            break;
        }
        at = at
            .checked_add(usize::try_from(size).ok()?)?
            .checked_add(2)?;
    }
    let mut fields = [EMPTY_HEADER; MOST_FIELDS];
    match httparse::parse_headers(bytes.get(at..)?, &mut fields) {
        Ok(Status::Complete((trailers, _))) => Some(at + trailers),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_their_requests_whatever_frames_them() {
        let up = b"GET /a HTTP/1.1\r\nhost: x\r\n\r\nHEAD /b HTTP/1.1\r\nhost: x\r\n\r\nGET /c HTTP/1.1\r\nhost: x\r\n\r\n";
        let first =
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        let second = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n";
        let third =
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n";
        let down = [first, second, third].concat();
        let told = read(up, down.as_bytes());
        let paths: Vec<_> = told
            .requests
            .iter()
            .filter_map(|request| request.path.as_deref())
            .collect();
        assert_eq!(paths, ["/a", "/b", "/c"]);
        let lengths: Vec<_> = told
            .owned
            .iter()
            .map(|one| (one.stream, one.range.end - one.range.start))
            .collect();
        let expected = [first, second, third].map(|text| text.len() as u64);
        assert_eq!(
            lengths,
            [(0, expected[0]), (1, expected[1]), (2, expected[2])]
        );
        assert_eq!(
            (told.first_content, told.why_not),
            (Some(expected[0] - 5), None)
        );
    }

    #[test]
    fn a_response_that_isn_t_whole_has_all_that_is_there() {
        let down = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhello";
        let told = read(b"GET / HTTP/1.1\r\n\r\n", down);
        assert_eq!(told.owned[0].range, 0..down.len() as u64);
    }
}
