//! Kernel TCP sockets whose congestion control is set, locked by the route or not, and read back; alike their pacing.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;

use nix::libc;
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, Type};
use tokio::net::{TcpListener, TcpStream};

/// How our own TCP sockets are configured.
#[derive(Debug, Clone)]
pub struct TcpStack {
    /// The kernel's name of the congestion control.
    pub congestion_control: String,
    /// Whether the kernel paces them whatever their congestion control: then with its own timers, where no queueing discipline
    /// does (tcp(7)).
    pub paced: bool,
}

/// `SO_MAX_PACING_RATE` of asm-generic/socket.h, which the libc crate doesn't hold for Linux.
const SO_MAX_PACING_RATE: libc::c_int = 47;

/// The bound of pacing that means none.
const UNLIMITED: u32 = u32::MAX;

impl TcpStack {
    /// Makes a socket run this congestion control. Where a route locks it (`congctl NAME lock`)
    /// the kernel refuses to set it (EPERM); then what counts is that it reads back as asked.
    fn apply(&self, socket: &Socket) -> io::Result<()> {
        if let Err(refused) = socket.set_tcp_congestion(self.congestion_control.as_bytes()) {
            let current = congestion_control_of(socket)?;
            if current != self.congestion_control {
                return Err(io::Error::new(
                    refused.kind(),
                    format!(
                        "TCP congestion control `{}` is refused ({refused}); the socket has `{current}`",
                        self.congestion_control
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Whether a connection runs the congestion control; `before` is what setting it said.
    fn confirm<'s>(
        &self,
        socket: impl Into<SockRef<'s>>,
        before: io::Result<()>,
    ) -> io::Result<()> {
        let current = congestion_control_of(socket)?;
        if current != self.congestion_control {
            before?;
            return Err(io::Error::other(format!(
                "the connection runs TCP congestion control `{current}`, not `{}`",
                self.congestion_control
            )));
        }
        Ok(())
    }

    /// Has the kernel pace a socket, by a bound in bytes a second that no path here reaches: sending is then spread by the
    /// window and the round trip, as ever where the kernel paces.
    fn pace(&self, socket: &Socket) -> io::Result<()> {
        if !self.paced {
            return Ok(());
        }
        let bound = UNLIMITED - 1;
        // SAFETY: the kernel reads as many bytes as said of a number that outlives the call.
        let done = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                SO_MAX_PACING_RATE,
                (&raw const bound).cast(),
                size_of::<u32>() as libc::socklen_t,
            )
        };
        match done {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Whether a socket's sending is bounded by a rate, and so paced, read back from the kernel.
pub(crate) fn is_bounded<'s>(socket: impl Into<SockRef<'s>>) -> io::Result<bool> {
    let mut bound = 0_u32;
    let mut length = size_of::<u32>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, into a number of that size.
    let done = unsafe {
        libc::getsockopt(
            socket.into().as_raw_fd(),
            libc::SOL_SOCKET,
            SO_MAX_PACING_RATE,
            (&raw mut bound).cast(),
            &raw mut length,
        )
    };
    match done {
        0 => Ok(bound != UNLIMITED),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The congestion control that a socket runs, read back from the kernel.
pub fn congestion_control_of<'s>(socket: impl Into<SockRef<'s>>) -> io::Result<String> {
    let name = socket.into().tcp_congestion()?;
    let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}

/// Connects; Nagle's algorithm is off, as browsers have it. Fails when the connection would run
/// another congestion control than the stack's.
pub async fn connect(stack: &TcpStack, address: SocketAddr) -> io::Result<TcpStream> {
    let (socket, before) = prepare(Some(stack), address)?;
    let stream = tokio::net::TcpSocket::from_std_stream(socket.into())
        .connect(address)
        .await?;
    stack.confirm(&stream, before)?;
    Ok(stream)
}

/// A connection that was begun and isn't waited for.
#[derive(Debug)]
pub struct PendingTcp {
    socket: Socket,
    before: io::Result<()>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The kernel has none.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It would run another congestion control than it was asked to.
    #[error("{0}")]
    CongestionControl(io::Error),
}

/// Begins a connection as [`connect`] makes it, on a socket that never blocks; without a stack it is as the host has it.
pub fn begin_connect(stack: Option<&TcpStack>, address: SocketAddr) -> io::Result<PendingTcp> {
    let (socket, before) = prepare(stack, address)?;
    match socket.connect(&address.into()) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(PendingTcp { socket, before }),
    }
}

/// Begins a connection to the Unix socket at this path, on a socket that never blocks; it is there at once, or not at all.
pub fn begin_connect_unix(path: &Path) -> io::Result<PendingTcp> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    Ok(PendingTcp {
        socket,
        before: Ok(()),
    })
}

impl PendingTcp {
    /// The connection, once its socket has become writable; `stack` as at its beginning.
    pub fn finish(self, stack: Option<&TcpStack>) -> Result<Socket, ConnectError> {
        if let Some(error) = self.socket.take_error()? {
            return Err(error.into());
        }
        if let Some(stack) = stack {
            let confirmed = stack.confirm(&self.socket, self.before);
            confirmed.map_err(ConnectError::CongestionControl)?;
        }
        Ok(self.socket)
    }
}

impl AsRawFd for PendingTcp {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

/// A socket that never blocks, and whether it took the congestion control: a locked route decides only once it is connected;
/// setting it before serves the rest.
fn prepare(stack: Option<&TcpStack>, address: SocketAddr) -> io::Result<(Socket, io::Result<()>)> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_nodelay(true)?;
    let Some(stack) = stack else {
        return Ok((socket, Ok(())));
    };
    let before = stack.apply(&socket);
    stack.pace(&socket)?;
    Ok((socket, before))
}

/// Listens; accepted sockets inherit the pacing, and the congestion control unless their route locks one.
pub fn listen(stack: &TcpStack, address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let address = SocketAddr::from((address, port));
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_nonblocking(true)?;
    socket.set_reuse_address(true)?;
    // Before a connection there is no route to lock anything; what an accepted socket runs is read
    // back from it, so a refusal here is no failure yet.
    let _ = stack.apply(&socket);
    stack.pace(&socket)?;
    socket.bind(&address.into())?;
    socket.listen(1024)?;
    TcpListener::from_std(socket.into())
}
