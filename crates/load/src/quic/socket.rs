//! A UDP socket that carries one connection: datagrams in batches, and how many bytes they were on the wire.

use std::cell::RefCell;
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsRawFd, RawFd};

use bytes::BytesMut;
use pronghorn_http::{TransportKnobs, UdpError, any_local, bind_udp};
use quinn_proto::EcnCodepoint;
use quinn_udp::{RecvMeta, UdpSocketState};

use crate::connection::Traffic;

/// Buffers filled by one system call, as many as quinn-udp fills at most.
const BATCH: usize = quinn_udp::BATCH_SIZE;
/// Bytes of each: the largest that generic receive offload hands over.
const BUFFER: usize = 1 << 16;
/// Received bytes from which on they are copied to memory that is used again, if nothing of it is kept. What is kept of
/// smaller ones (out of order) must not hold so much.
const SHARED: usize = 4096;

/// What a thread's sockets receive into.
struct Receive {
    /// `BATCH` times `BUFFER` bytes.
    memory: Vec<u8>,
    metas: [RecvMeta; BATCH],
    arena: BytesMut,
}

thread_local! {
    static RECEIVE: RefCell<Receive> = RefCell::new(Receive {
        memory: vec![0; BATCH * BUFFER],
        metas: [RecvMeta::default(); BATCH],
        arena: BytesMut::new(),
    });
}

/// The socket, connected to its server.
pub(super) struct Socket {
    socket: UdpSocket,
    state: UdpSocketState,
    server: SocketAddr,
    /// Bytes of the headers of IP and UDP.
    headers: u64,
    traffic: Traffic,
}

impl Socket {
    /// A socket that hears of its server alone, and of ICMP's errors about it.
    pub(super) fn open(server: SocketAddr, knobs: &TransportKnobs) -> Result<Socket, UdpError> {
        let socket = bind_udp(any_local(server), knobs)?;
        socket.connect(server)?;
        let state = UdpSocketState::new((&socket).into())?;
        Ok(Socket {
            socket,
            state,
            server,
            headers: if server.is_ipv4() { 20 + 8 } else { 40 + 8 },
            traffic: Traffic::default(),
        })
    }

    pub(super) fn descriptor(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    pub(super) fn udp(&self) -> &UdpSocket {
        &self.socket
    }

    /// Bytes of IP packets so far; those of a batch count as they are on the wire, one by one.
    pub(super) fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Datagrams that the kernel takes at once now.
    pub(super) fn segments(&self) -> usize {
        self.state.max_gso_segments()
    }

    /// Receives one batch; whether there was any, after which more may have come.
    ///
    /// # Errors
    /// What the socket says but `WouldBlock`: ICMP's answers to what was sent.
    pub(super) fn receive(
        &mut self,
        mut take: impl FnMut(BytesMut, Option<EcnCodepoint>),
    ) -> io::Result<bool> {
        RECEIVE.with_borrow_mut(|receive| {
            let Receive {
                memory,
                metas,
                arena,
            } = receive;
            let mut chunks = memory.chunks_exact_mut(BUFFER);
            let mut buffers: [IoSliceMut<'_>; BATCH] =
                std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
            let socket = (&self.socket).into();
            let messages = match self.state.recv(socket, &mut buffers, &mut metas[..]) {
                Ok(messages) => messages,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(false);
                }
                Err(error) => return Err(error),
            };
            for (meta, buffer) in metas.iter().zip(&buffers).take(messages) {
                let mut bytes = copy(&buffer[..meta.len], arena);
                let ecn = meta.ecn.and_then(|ecn| EcnCodepoint::from_bits(ecn as u8));
                while !bytes.is_empty() {
                    let datagram = bytes.split_to(meta.stride.clamp(1, bytes.len()));
                    self.traffic.received += datagram.len() as u64 + self.headers;
                    take(datagram, ecn);
                }
            }
            Ok(true)
        })
    }

    /// Sends datagrams that all but the last have `segment` bytes. Whether they went; if not, the socket will become
    /// writable.
    ///
    /// # Errors
    /// What the socket says but that a datagram is too large for the path, which is how it is found out.
    pub(super) fn send(
        &mut self,
        contents: &[u8],
        segment: Option<usize>,
        ecn: Option<EcnCodepoint>,
    ) -> io::Result<bool> {
        let transmit = quinn_udp::Transmit {
            destination: self.server,
            ecn: ecn.and_then(|ecn| quinn_udp::EcnCodepoint::from_bits(ecn as u8)),
            contents,
            segment_size: segment,
            src_ip: None,
        };
        match self.state.try_send((&self.socket).into(), &transmit) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.raw_os_error() == Some(nix::libc::EMSGSIZE) => return Ok(true),
            Err(error) => return Err(error),
        }
        let datagrams = segment.map_or(1, |size| contents.len().div_ceil(size.max(1)));
        self.traffic.sent += contents.len() as u64 + datagrams as u64 * self.headers;
        Ok(true)
    }
}

/// Received bytes in memory of their own.
fn copy(bytes: &[u8], arena: &mut BytesMut) -> BytesMut {
    if bytes.len() < SHARED {
        return BytesMut::from(bytes);
    }
    arena.extend_from_slice(bytes);
    arena.split()
}
