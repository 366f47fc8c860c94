//! Servers of a few lines that do what they are told, right or wrong.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What becomes of the connection after an answer.
pub(crate) enum Then {
    Goes,
    Closes,
}

/// A listening server; `serve` has a thread for each connection and is told its number, from 0. Its port.
pub(crate) fn start(serve: impl Fn(TcpStream, usize) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().map_while(Result::ok).enumerate() {
            let serve = serve.clone();
            // Else what is written may still be held back when the connection is closed, and is lost then.
            stream.set_nodelay(true).expect("it is TCP");
            std::thread::spawn(move || serve(stream, number));
        }
    });
    port
}

/// Answers the requests of HTTP/1.1 of one connection: `answer` is told how many came before on it.
pub(crate) fn h1(mut stream: impl Read + Write, mut answer: impl FnMut(usize) -> (Vec<u8>, Then)) {
    let mut come = Vec::new();
    let mut answered = 0;
    let mut piece = [0; 4096];
    loop {
        while let Some(end) = come.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            come.drain(..end + 4);
            let (bytes, then) = answer(answered);
            answered += 1;
            if stream.write_all(&bytes).is_err() || matches!(then, Then::Closes) {
                return;
            }
        }
        match stream.read(&mut piece) {
            Ok(length) if length > 0 => come.extend_from_slice(&piece[..length]),
            _ => return,
        }
    }
}

/// Answers the requests of HTTP/2 of one connection: `answer` is given each request's stream and how many came before on
/// the connection. Windows aren't heeded: answers are to be small.
pub(crate) fn h2(
    mut stream: impl Read + Write,
    mut answer: impl FnMut(u32, usize) -> (Vec<u8>, Then),
) {
    const PREFACE: usize = 24;
    let mut come = vec![0; PREFACE];
    if stream.read_exact(&mut come).is_err() || stream.write_all(&frame(4, 0, 0, &[])).is_err() {
        return;
    }
    let mut answered = 0;
    loop {
        let mut head = [0; 9];
        if stream.read_exact(&mut head).is_err() {
            return;
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let identifier = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).is_err() {
            return;
        }
        if head[3] == 1 {
            let (bytes, then) = answer(identifier, answered);
            answered += 1;
            if stream.write_all(&bytes).is_err() || matches!(then, Then::Closes) {
                return;
            }
        }
    }
}

/// A literal field of HPACK without indexing, its name and its value of up to 126 bytes each.
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0, name.len() as u8];
    out.extend(name.bytes());
    out.push(value.len() as u8);
    out.extend(value.bytes());
    out
}

/// A frame of HTTP/2.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A whole response of HTTP/2 with such an indexed status, and five bytes.
pub(crate) fn h2_response(stream: u32, status: u8) -> Vec<u8> {
    [
        frame(1, 0x4, stream, &[0x80 | status]),
        frame(0, 0x1, stream, b"hello"),
    ]
    .concat()
}

/// The static table's indices of statuses.
pub(crate) const STATUS_200: u8 = 8;
pub(crate) const STATUS_500: u8 = 14;

/// A whole response of HTTP/1.1, with five bytes.
pub(crate) fn h1_response(status: u16) -> Vec<u8> {
    format!("HTTP/1.1 {status} Said\r\ncontent-length: 5\r\n\r\nhello").into_bytes()
}

/// A count over all connections of a server.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    /// One more; how many there were before.
    pub(crate) fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

/// A server that can be killed: its port refuses connections from then on, and those that are there end.
pub(crate) struct Mortal {
    pub(crate) port: u16,
    streams: Arc<Mutex<Option<Vec<TcpStream>>>>,
}

impl Mortal {
    /// Serves until a connection's server returns true.
    pub(crate) fn start(serve: impl Fn(TcpStream) -> bool + Send + Sync + 'static) -> Mortal {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("it is bound").port();
        let streams = Arc::new(Mutex::new(Some(Vec::new())));
        let serve = Arc::new(serve);
        let alive = streams.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(streams) = &mut *alive.lock().expect("nobody panics") else {
                    return;
                };
                streams.push(stream.try_clone().expect("a descriptor"));
                let (serve, alive) = (serve.clone(), alive.clone());
                std::thread::spawn(move || {
                    if serve(stream) {
                        let streams = alive.lock().expect("nobody panics").take();
                        for stream in streams.into_iter().flatten() {
                            let _ = stream.shutdown(std::net::Shutdown::Both);
                        }
                        // Has the listener look, and end.
                        let _ = TcpStream::connect(("127.0.0.1", port));
                    }
                });
            }
        });
        Mortal { port, streams }
    }

    /// Whether it was.
    pub(crate) fn is_dead(&self) -> bool {
        self.streams.lock().expect("nobody panics").is_none()
    }
}
