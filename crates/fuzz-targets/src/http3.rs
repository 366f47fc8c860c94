use bytes::Bytes;
use http::Method;
use pronghorn_http_wire::Priority;
use pronghorn_http3::connection::{Config, Connection, UniStream};
use pronghorn_http3::message::Reader;
use pronghorn_http3::{Code, Error, Side, qpack};

const MAX_FIELD_SECTION_SIZE: u64 = 16_384;

/// What a peer sends over HTTP/3: on a request stream, from either end; on unidirectional streams; as
/// a field section; as a priority. However the bytes arrive, the outcome is the same.
pub fn http3(bytes: &[u8]) {
    let sent = Bytes::copy_from_slice(bytes);
    alike(&sent, request);
    alike(&sent, response);
    for side in [Side::Client, Side::Server] {
        alike(&sent, |pieces| unidirectional(side, pieces));
    }
    let _ = qpack::decode(&sent, MAX_FIELD_SECTION_SIZE);
    let read = Priority::parse(bytes);
    let again = Priority::parse(read.to_string().as_bytes());
    assert_eq!(again, read, "a priority is read as it is written");
}

/// The bytes arrive at once, and one by one.
fn alike(sent: &Bytes, read: impl Fn(Vec<Bytes>) -> Result<(), Error>) {
    let code = |result: Result<(), Error>| -> Option<Code> { result.err().map(|error| error.code) };
    let at_once = code(read(vec![sent.clone()]));
    let one_by_one = (0..sent.len()).map(|at| sent.slice(at..=at)).collect();
    assert_eq!(code(read(one_by_one)), at_once);
}

fn request(pieces: Vec<Bytes>) -> Result<(), Error> {
    let mut reader = Reader::request(MAX_FIELD_SECTION_SIZE);
    for mut piece in pieces {
        while reader.next(&mut piece)?.is_some() {}
    }
    reader.finish()
}

fn response(pieces: Vec<Bytes>) -> Result<(), Error> {
    let mut reader = Reader::response(&Method::GET, MAX_FIELD_SECTION_SIZE);
    for mut piece in pieces {
        while reader.next(&mut piece)?.is_some() {}
    }
    reader.finish()
}

fn unidirectional(side: Side, pieces: Vec<Bytes>) -> Result<(), Error> {
    let mut connection = Connection::new(side, Config::default());
    let mut stream = UniStream::new();
    for mut piece in pieces {
        while connection.read_uni(&mut stream, &mut piece)?.is_some() {}
    }
    connection.finish_uni(&stream)
}
