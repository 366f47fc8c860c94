//! Sends probes at their times.

use std::io;
use std::net::{SocketAddrV4, UdpSocket};

use nix::sys::prctl;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

use super::{HEADERS, Phase};

/// Times nearer than this are waited for without sleeping, in nanoseconds.
const NEAR_NS: u64 = 60_000;

/// Sends the probes of a phase; the times of `CLOCK_MONOTONIC` just before each was sent.
///
/// A probe begins with its phase and its place in it, and is else zeros.
pub(super) fn send(
    socket: &UdpSocket,
    to: SocketAddrV4,
    place: u32,
    phase: Phase,
) -> io::Result<Vec<u64>> {
    let _ = prctl::set_timerslack(1);
    let mut probe = vec![0; (phase.bytes - HEADERS) as usize];
    probe[..4].copy_from_slice(&place.to_le_bytes());
    let mut times = Vec::with_capacity(phase.packets as usize);
    let start = now_ns()?;
    for number in 0..phase.packets {
        wait_until(start + u64::from(number) * phase.gap_ns)?;
        probe[4..8].copy_from_slice(&number.to_le_bytes());
        times.push(now_ns()?);
        socket.send_to(&probe, to)?;
    }
    Ok(times)
}

/// Sleeps until `due` of `CLOCK_MONOTONIC`.
fn wait_until(due: u64) -> io::Result<()> {
    let now = now_ns()?;
    if due > now + NEAR_NS {
        let until = TimeSpec::new((due / 1_000_000_000) as _, (due % 1_000_000_000) as _);
        let absolute = ClockNanosleepFlags::TIMER_ABSTIME;
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, absolute, &until);
    }
    while now_ns()? < due {
        std::hint::spin_loop();
    }
    Ok(())
}

fn now_ns() -> io::Result<u64> {
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    Ok(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}
