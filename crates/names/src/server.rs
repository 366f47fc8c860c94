//! The name server's sockets.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use crate::answer::{Transport, answer};
use crate::log::QueryLog;
use crate::zone::Zone;

/// The port of DNS.
pub const PORT: u16 = 53;

/// The longest message that a datagram over IPv4 holds; one over IPv6 holds 20 bytes more.
const DATAGRAM_BYTES: usize = 65_507;

/// How long a connection over which nothing comes is kept (RFC 7766, section 6.2.3: some seconds).
const IDLE: Duration = Duration::from_secs(10);

/// How long a socket rests after an error, which may last, such as a lack of descriptors.
const REST: Duration = Duration::from_millis(10);

/// A name server that is bound, and answers while [`NameServer::serve`] runs.
#[derive(Debug)]
pub struct NameServer {
    zone: Rc<Zone>,
    log: QueryLog,
    udp: UdpSocket,
    tcp: TcpListener,
}

impl NameServer {
    /// Binds the UDP and the TCP port of `address`, 0 for any one that is free. Fails where one of them is taken or
    /// denied.
    pub async fn bind(zone: Zone, address: SocketAddr) -> io::Result<NameServer> {
        let tcp = TcpListener::bind(address).await?;
        let udp = UdpSocket::bind(tcp.local_addr()?).await?;
        Ok(NameServer {
            zone: Rc::new(zone),
            log: QueryLog::start(),
            udp,
            tcp,
        })
    }

    /// Where it was bound.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// What it is asked.
    #[must_use]
    pub fn log(&self) -> QueryLog {
        self.log.clone()
    }

    /// Answers until it is dropped; to be run in a `LocalSet`.
    pub async fn serve(self) {
        tokio::join!(self.datagrams(), self.connections());
    }

    async fn datagrams(&self) {
        let mut message = vec![0; DATAGRAM_BYTES];
        loop {
            let (length, client) = match self.udp.recv_from(&mut message).await {
                Ok(received) => received,
                Err(_) => {
                    sleep(REST).await;
                    continue;
                }
            };
            let message = message.get(..length).unwrap_or_default();
            if let Some(answer) = reply(&self.zone, &self.log, message, Transport::Udp) {
                let _ = self.udp.send_to(&answer, client).await;
            }
        }
    }

    async fn connections(&self) {
        loop {
            match self.tcp.accept().await {
                Ok((stream, _)) => {
                    let (zone, log) = (Rc::clone(&self.zone), self.log.clone());
                    // Its end, in whatever way, is the client's doing.
                    spawn_local(async move { drop(converse(stream, &zone, &log).await) });
                }
                Err(_) => sleep(REST).await,
            }
        }
    }
}

/// Answers the messages of a connection, each after its length in two bytes (RFC 1035, section 4.2.2).
async fn converse(mut stream: TcpStream, zone: &Zone, log: &QueryLog) -> io::Result<()> {
    stream.set_nodelay(true)?;
    loop {
        let length = timeout(IDLE, stream.read_u16()).await??;
        let mut message = vec![0; usize::from(length)];
        timeout(IDLE, stream.read_exact(&mut message)).await??;
        let Some(answer) = reply(zone, log, &message, Transport::Tcp) else {
            return Ok(());
        };
        let length = u16::try_from(answer.len()).map_err(io::Error::other)?;
        let framed = [&length.to_be_bytes()[..], &answer].concat();
        stream.write_all(&framed).await?;
    }
}

fn reply(zone: &Zone, log: &QueryLog, message: &[u8], transport: Transport) -> Option<Vec<u8>> {
    let answer = answer(zone, message, transport)?;
    if let Some(question) = answer.question {
        log.note(question);
    }
    Some(answer.bytes)
}
