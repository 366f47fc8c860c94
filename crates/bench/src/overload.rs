//! Proves that a driver that can't keep up doesn't hoard packets.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use pronghorn_path::PathSpec;

use super::*;
use crate::doorbell::Doorbell;
use crate::driver::Start;
use crate::tun::Tun;

/// A device, and the host behind it.
fn device() -> (Arc<Tun>, File) {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let (end, host) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)
        .expect("a pair of sockets");
    (Arc::new(Tun::stand_in(end)), host.into())
}

/// The shortest IPv4 packet that can be, after its device header.
fn packet() -> [u8; 30] {
    let mut packet = [0; 30];
    packet[10] = 0x45;
    packet[13] = 20;
    packet
}

#[test]
fn while_packets_leave_too_late_none_is_taken_in() {
    let ((from, mut near), (to, _far)) = (device(), device());
    let spec = PathSpec::default();
    let link = Link::new(&spec.up, 1, Direction::Up).expect("a valid link");
    let mut pump = Pump::new(
        link,
        Wiring {
            path: spec,
            seed: 1,
            direction: Direction::Up,
            from,
            to,
            start: Arc::<Start>::default(),
            bells: [(), ()].map(|()| Arc::new(Doorbell::new().expect("a descriptor"))),
            tap: None,
        },
    );
    let long_ago = Time(now().0 - 2 * TOO_LATE_TO_TAKE);
    let held = 3 * RUNS as u64;
    for _ in 0..held {
        let received: Result<_, ()> = pump.intake.receive(|buffer| {
            buffer[..30].copy_from_slice(&packet());
            Ok(30)
        });
        let buffer = received.expect("it was read").expect("it is a packet");
        pump.enter(long_ago, buffer);
    }
    pump.let_out();
    for _ in 0..5 {
        near.write_all(&packet()).expect("the device has room");
    }
    assert!(pump.round());
    let counters = pump.link.counters();
    assert_eq!(counters.packets_in, held, "what has come waits");
    assert!(counters.held > 0 && counters.packets_out > 2 * RUNS as u64);
    while pump.round() {}
    let counters = pump.link.counters();
    assert_eq!((counters.packets_in, counters.held), (held + 5, 0));
}
