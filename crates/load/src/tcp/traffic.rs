//! The bytes of a TCP connection's packets, as the kernel tells of them.

use std::io;
use std::os::fd::AsRawFd;

use nix::libc;
use socket2::Socket;

use crate::connection::Traffic;

/// Where `struct tcp_info` of linux/tcp.h has what is read here; the libc crate has only its beginning.
const OPTIONS: usize = 5;
const BYTES_ACKED: usize = 120;
const BYTES_RECEIVED: usize = 128;
const SEGS_OUT: usize = 136;
const SEGS_IN: usize = 140;
const BYTES_SENT: usize = 200;
const LENGTH: usize = 256;

/// `TCPI_OPT_TIMESTAMPS`.
const TIMESTAMPS: u8 = 1;
/// The timestamps option with its padding (RFC 7323, appendix A).
const TIMESTAMPS_BYTES: u64 = 12;
const TCP_HEADER: u64 = 20;

/// Payloads, and a header for each segment: IP's without options, TCP's with timestamps where they are on. The options of
/// SYN segments and SACK blocks are not counted, and neither is the payload of received segments that had come before.
/// Nothing where the kernel doesn't tell.
pub(super) fn traffic(socket: &Socket, ip_header: u64) -> Traffic {
    let Ok(info) = tcp_info(socket) else {
        return Traffic::default();
    };
    let option = info[OPTIONS] & TIMESTAMPS != 0;
    let header = ip_header + TCP_HEADER + if option { TIMESTAMPS_BYTES } else { 0 };
    let long = |at: usize| {
        let bytes = info[at..].first_chunk().copied().unwrap_or_default();
        u64::from_ne_bytes(bytes)
    };
    let short = |at: usize| {
        let bytes = info[at..].first_chunk().copied().unwrap_or_default();
        u64::from(u32::from_ne_bytes(bytes))
    };
    // Linux before 4.19 has no bytes_sent; what was acknowledged is next to it.
    let sent = long(BYTES_SENT).max(long(BYTES_ACKED));
    Traffic {
        sent: sent + short(SEGS_OUT) * header,
        received: long(BYTES_RECEIVED) + short(SEGS_IN) * header,
        ..Traffic::default()
    }
}

/// What the kernel has of the structure; zeros follow.
fn tcp_info(socket: &Socket) -> io::Result<[u8; LENGTH]> {
    let mut info = [0; LENGTH];
    let mut length = LENGTH as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, into an array of that size.
    let done = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    match done {
        0 => Ok(info),
        _ => Err(io::Error::last_os_error()),
    }
}
