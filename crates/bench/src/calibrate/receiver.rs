//! Receives probes, with the times at which the kernel took them from the device.

use std::io::{self, IoSliceMut};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;

use super::PORT;
use crate::clock;
use crate::processes::host::Host;
use crate::processes::priority;

/// How long a receiver sleeps before it looks whether it shall end.
const PATIENCE: Duration = Duration::from_millis(20);

/// Bytes that the socket's buffer is asked to hold; the kernel may grant less.
const BUFFER: usize = 8 << 20;

/// A probe that was received.
pub(super) struct Arrival {
    pub(super) phase: u32,
    pub(super) number: u32,
    /// `CLOCK_MONOTONIC`.
    pub(super) at_ns: u64,
}

/// A thread that receives probes.
pub(super) struct Receiver {
    ends: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<Vec<Arrival>>>,
}

impl Receiver {
    /// Starts receiving on `host`.
    pub(super) fn start(host: &Host) -> io::Result<Receiver> {
        let address = host.address();
        let socket = host.within(move || UdpSocket::bind((address, PORT)))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
        if setsockopt(&socket, sockopt::RcvBufForce, &BUFFER).is_err() {
            setsockopt(&socket, sockopt::RcvBuf, &BUFFER)?;
        }
        let ends = Arc::new(AtomicBool::new(false));
        let ending = Arc::clone(&ends);
        let thread = host.thread("probe-receive", move || receive(&socket, &ending))?;
        Ok(Receiver { ends, thread })
    }

    /// All that has come, once no more is coming.
    pub(super) fn finish(self) -> io::Result<Vec<Arrival>> {
        self.ends.store(true, Ordering::Release);
        self.thread
            .join()
            .map_err(|_| io::Error::other("a receiver has died"))?
    }
}

fn receive(socket: &UdpSocket, ends: &AtomicBool) -> io::Result<Vec<Arrival>> {
    priority::raise();
    let mut arrivals = Vec::new();
    let mut control = cmsg_space!(TimeSpec);
    let mut probe = [0; 8];
    loop {
        let mut into = [IoSliceMut::new(&mut probe)];
        let flags = MsgFlags::empty();
        let stamp = match recvmsg::<()>(socket.as_raw_fd(), &mut into, Some(&mut control), flags) {
            Ok(message) => message.cmsgs()?.find_map(|part| match part {
                ControlMessageOwned::ScmTimestampns(stamp) => Some(stamp),
                _ => None,
            }),
            Err(Errno::EAGAIN) if ends.load(Ordering::Acquire) => return Ok(arrivals),
            Err(Errno::EAGAIN | Errno::EINTR) => continue,
            Err(errno) => return Err(errno.into()),
        };
        let [p0, p1, p2, p3, n0, n1, n2, n3] = probe;
        arrivals.push(Arrival {
            phase: u32::from_le_bytes([p0, p1, p2, p3]),
            number: u32::from_le_bytes([n0, n1, n2, n3]),
            at_ns: monotonic_ns(stamp),
        });
    }
}

/// A stamp of `CLOCK_REALTIME`, the only clock that the kernel stamps by, on `CLOCK_MONOTONIC`. Now,
/// where there is no stamp.
fn monotonic_ns(stamp: Option<TimeSpec>) -> u64 {
    stamp.map_or_else(
        || clock::now().0,
        |stamp| ns(stamp).saturating_sub(clock::real_ahead_ns()),
    )
}

fn ns(time: TimeSpec) -> u64 {
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}
