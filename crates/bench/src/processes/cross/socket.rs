//! What cross traffic asks of its sockets beyond the standard library.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockType, SockaddrStorage, connect, getsockopt, send,
    setsockopt, socket, sockopt,
};

use super::from_errno;

/// Keep-alive probes without an answer before a connection counts as gone; one a second.
const KEEPALIVE_PROBES: u32 = 120;

/// Begins a connection, and returns before it is made.
///
/// Keep-alives tell it when a NAT on the path has forgotten it while it only receives.
pub(super) fn begin_connection(to: SocketAddr) -> io::Result<TcpStream> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let family = match to {
        SocketAddr::V4(_) => AddressFamily::Inet,
        SocketAddr::V6(_) => AddressFamily::Inet6,
    };
    let fd: OwnedFd = socket(family, SockType::Stream, flags, None).map_err(from_errno)?;
    setsockopt(&fd, sockopt::KeepAlive, &true).map_err(from_errno)?;
    setsockopt(&fd, sockopt::TcpKeepIdle, &1).map_err(from_errno)?;
    setsockopt(&fd, sockopt::TcpKeepInterval, &1).map_err(from_errno)?;
    setsockopt(&fd, sockopt::TcpKeepCount, &KEEPALIVE_PROBES).map_err(from_errno)?;
    match connect(fd.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(errno) => return Err(errno.into()),
    }
    let stream = TcpStream::from(fd);
    end_at_once(&stream);
    Ok(stream)
}

/// Has the socket reset its connection when it is closed, so that nothing of it outlives the bench.
pub(super) fn end_at_once(stream: &TcpStream) {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    let _ = setsockopt(&stream, sockopt::Linger, &linger);
}

/// Sends what there is room for, without a signal where the connection is gone.
pub(super) fn send_some(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    send(stream.as_raw_fd(), bytes, MsgFlags::MSG_NOSIGNAL).map_err(from_errno)
}

/// Takes up to `most` bytes that have come and drops them in the kernel (`tcp(7)`, `MSG_TRUNC`).
pub(super) fn discard(stream: &TcpStream, most: usize) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC TCP writes nothing to the buffer.
    let taken = unsafe {
        let nowhere = std::ptr::null_mut();
        libc::recv(stream.as_raw_fd(), nowhere, most, libc::MSG_TRUNC)
    };
    usize::try_from(taken).map_err(|_| io::Error::last_os_error())
}

/// The congestion control that the connection really uses; none where the kernel doesn't say.
pub(super) fn congestion_control(stream: &TcpStream) -> Option<String> {
    let name = getsockopt(&stream.as_fd(), sockopt::TcpCongestion).ok()?;
    Some(name.to_string_lossy().trim_end_matches('\0').to_owned())
}

/// Segments that the connection has sent again.
pub(super) fn retransmits(stream: &TcpStream) -> u64 {
    // SAFETY: all zeros is a valid value of this plain structure.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes.
    unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        );
    }
    u64::from(info.tcpi_total_retrans)
}
