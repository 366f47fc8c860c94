//! Proves that a driver that can't keep up doesn't hoard packets, nor tells that it delivered what a full device
//! refused.

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use pronghorn_path::PathSpec;

use super::*;
use crate::driver::course::Start;
use crate::driver::doorbell::Doorbell;
use crate::driver::tap::{Dropping, Leaving, Tap};
use crate::network::tun::Tun;

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

/// Notes what became of each packet that left.
struct Deliveries(Arc<Mutex<Vec<Delivery>>>);

impl Tap for Deliveries {
    fn entered(&mut self, _: u64, _: Time, _: &[u8]) {}

    fn left(&mut self, facts: &Leaving, _: &[u8]) {
        self.0
            .lock()
            .expect("nobody has panicked")
            .push(facts.delivery);
    }

    fn dropped(&mut self, _: &Dropping, _: &[u8]) {}
}

/// A driver of a link that does nothing.
fn pump(from: Arc<Tun>, to: Arc<Tun>, tap: Option<Box<dyn Tap>>) -> Pump {
    let wiring = Wiring {
        direction: Direction::Up,
        from,
        to,
        bells: [(), ()].map(|()| Arc::new(Doorbell::new().expect("a descriptor"))),
    };
    let plan = Plan {
        path: PathSpec::default(),
        seed: 1,
        start: Arc::<Start>::default(),
        tap,
        departure: None,
    };
    Pump::new(wiring, plan).expect("a valid link")
}

#[test]
fn what_a_full_device_refuses_is_not_told_as_delivered() {
    let ((from, mut near), (to, _far)) = (device(), device());
    let told = Arc::<Mutex<Vec<Delivery>>>::default();
    let tap = Deliveries(Arc::clone(&told));
    let mut pump = pump(from, Arc::clone(&to), Some(Box::new(tap)));
    near.write_all(&packet()).expect("the device has room");
    while pump.round() {}
    while to.send(&packet()).is_ok() {}
    near.write_all(&packet()).expect("the device has room");
    while pump.round() {}
    let told = told.lock().expect("nobody has panicked");
    assert_eq!(*told, [Delivery::Taken, Delivery::Refused]);
    assert_eq!(pump.counted.ring_dropped, 1);
}

#[test]
fn while_packets_leave_too_late_none_is_taken_in() {
    let ((from, mut near), (to, _far)) = (device(), device());
    let mut pump = pump(from, to, None);
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
    let counters = pump.course.lane.counters();
    assert_eq!(counters.packets_in, held, "what has come waits");
    assert!(counters.held > 0 && counters.packets_out > 2 * RUNS as u64);
    while pump.round() {}
    let counters = pump.course.lane.counters();
    assert_eq!((counters.packets_in, counters.held), (held + 5, 0));
}
