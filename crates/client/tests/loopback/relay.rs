//! Relays between a client and an origin, on one thread, that keep what the client sent.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

/// Room for whatever comes at a time.
const PIECE: usize = 64 * 1024;

/// Over TCP: the bytes of the only connection.
pub(crate) struct TcpRelay {
    pub(crate) address: SocketAddr,
    pub(crate) sent: Rc<RefCell<Vec<u8>>>,
}

impl TcpRelay {
    pub(crate) async fn start(origin: SocketAddr) -> TcpRelay {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        let sent = Rc::new(RefCell::<Vec<u8>>::default());
        let kept = sent.clone();
        tokio::task::spawn_local(async move {
            let (client, _) = listener.accept().await.expect("a connection");
            let server = TcpStream::connect(origin).await.expect("an origin");
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            let keep = move |bytes: &[u8]| kept.borrow_mut().extend_from_slice(bytes);
            tokio::join!(
                pass(from_client, to_server, keep),
                pass(from_server, to_client, |_| {}),
            );
        });
        TcpRelay { address, sent }
    }
}

/// Passes bytes on until one of the ends is gone.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, keep: impl Fn(&[u8])) {
    let mut bytes = vec![0; PIECE];
    while let Ok(length @ 1..) = from.read(&mut bytes).await {
        keep(&bytes[..length]);
        if to.write_all(&bytes[..length]).await.is_err() {
            return;
        }
    }
}

/// What a relay makes of the client's datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passing {
    /// Each goes to the origin.
    Once,
    /// Each goes there a second time, at once and from another address.
    Twice,
    /// The first goes alone; those after it follow once the origin has answered it.
    InTurns,
}

/// Over UDP: the datagrams of the only client.
pub(crate) struct UdpRelay {
    pub(crate) address: SocketAddr,
    pub(crate) sent: Rc<RefCell<Vec<Vec<u8>>>>,
}

impl UdpRelay {
    pub(crate) async fn start(origin: SocketAddr, passing: Passing) -> UdpRelay {
        let near = bound().await;
        let far = bound().await;
        far.connect(origin).await.expect("an address");
        let other = bound().await;
        let address = near.local_addr().expect("an address");
        let sent = Rc::new(RefCell::<Vec<Vec<u8>>>::default());
        let kept = sent.clone();
        tokio::task::spawn_local(async move {
            let (mut request, mut answer) = (vec![0; PIECE], vec![0; PIECE]);
            let mut client = None;
            let mut held = Vec::new();
            let mut holds = false;
            loop {
                tokio::select! {
                    Ok((length, address)) = near.recv_from(&mut request) => {
                        client = Some(address);
                        let datagram = &request[..length];
                        kept.borrow_mut().push(datagram.to_vec());
                        if holds {
                            held.push(datagram.to_vec());
                            continue;
                        }
                        let _ = far.send(datagram).await;
                        match passing {
                            Passing::Once => {}
                            Passing::Twice => {
                                let _ = other.send_to(datagram, origin).await;
                            }
                            Passing::InTurns => holds = kept.borrow().len() == 1,
                        }
                    }
                    Ok(length) = far.recv(&mut answer), if client.is_some() => {
                        holds = false;
                        for datagram in held.drain(..) {
                            let _ = far.send(&datagram).await;
                        }
                        if let Some(client) = client {
                            let _ = near.send_to(&answer[..length], client).await;
                        }
                    }
                    else => return,
                }
            }
        });
        UdpRelay { address, sent }
    }
}

/// A socket at an address of its own.
pub(crate) async fn bound() -> UdpSocket {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a port")
}
