//! Bytes over TCP from the server to the client.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use pronghorn_bench::{Bench, Side};

const PORT: u16 = 9;
/// How long nothing may arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// A listener on the server, and its address.
pub(crate) fn listen(bench: &Bench) -> (TcpListener, SocketAddr) {
    let at = SocketAddr::from((bench.host(Side::Server).address(), PORT));
    let listener = bench
        .host(Side::Server)
        .within(move || TcpListener::bind(at))
        .expect("a free port");
    (listener, at)
}

/// Carries so many bytes, and looks at each.
pub(crate) fn transfer(bench: &Bench, bytes: usize) {
    let (listener, at) = listen(bench);
    let content: Vec<u8> = (0..bytes).map(|i| (i * 31 % 251) as u8).collect();
    let served = content.clone();
    let serve = move || {
        listener
            .accept()
            .and_then(|(mut stream, _)| stream.write_all(&served))
    };
    let server = bench
        .host(Side::Server)
        .thread("serve", serve)
        .expect("a thread");
    let fetch = move || {
        let mut got = Vec::new();
        let mut stream = TcpStream::connect(at)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.read_to_end(&mut got).map(|_| got)
    };
    let client = bench
        .host(Side::Client)
        .thread("fetch", fetch)
        .expect("a thread");
    let got = client
        .join()
        .expect("the client ends")
        .expect("all arrives");
    assert!(got == content, "what arrives is what was sent");
    server
        .join()
        .expect("the server ends")
        .expect("all is sent");
}
