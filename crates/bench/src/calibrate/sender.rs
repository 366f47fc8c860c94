//! Sends probes at their times.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use nix::sys::prctl;
use nix::sys::socket::{setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};

use super::Phase;
use crate::clock;

/// Probes closer than this leave in groups this far apart, in nanoseconds: a sender that doesn't sleep
/// would take the CPU from what it measures.
const GROUP_NS: u64 = 200_000;

/// Sends the probes of a phase, each with so many bytes of `payload`; the times of `CLOCK_MONOTONIC` just before each was sent.
///
/// A probe begins with its phase and its place in it, and is else zeros.
pub(super) fn send(
    socket: &UdpSocket,
    to: SocketAddr,
    place: u32,
    phase: Phase,
    payload: usize,
) -> io::Result<Vec<u64>> {
    let _ = prctl::set_timerslack(1);
    let each = payload;
    let together = phase.together.max(1);
    if together > 1 {
        setsockopt(socket, sockopt::UdpGsoSegment, &(each as i32))?;
    }
    let mut probes = vec![0; each * together as usize];
    let mut times = Vec::with_capacity(phase.packets as usize);
    let group = if phase.gap_ns < GROUP_NS { GROUP_NS } else { 1 };
    let start = clock::now().0;
    for first in (0..phase.packets).step_by(together as usize) {
        let due = u64::from(first) * phase.gap_ns;
        wait_until(start + due - due % group);
        let numbers = first..phase.packets.min(first.saturating_add(together));
        let bytes = numbers.len() * each;
        for (probe, number) in probes.chunks_exact_mut(each).zip(numbers.clone()) {
            probe[..4].copy_from_slice(&place.to_le_bytes());
            probe[4..8].copy_from_slice(&number.to_le_bytes());
        }
        times.resize(times.len() + numbers.len(), clock::now().0);
        socket.send_to(&probes[..bytes], to)?;
    }
    Ok(times)
}

/// Sleeps until `due` of `CLOCK_MONOTONIC`.
fn wait_until(due: u64) {
    let until = TimeSpec::new((due / 1_000_000_000) as _, (due % 1_000_000_000) as _);
    let absolute = ClockNanosleepFlags::TIMER_ABSTIME;
    while clock::now().0 < due {
        let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, absolute, &until);
    }
}
