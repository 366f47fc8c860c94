//! Proves that a driver that has seen its fill allocates nothing more.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::Range;

use pronghorn_path::{Direction, Link, LinkSpec, Loss, Time};

use crate::driver::buffers::{Intake, Pool};
use crate::driver::run::Run;
use crate::driver::segment::Segment;
use crate::driver::wire::{DeviceHeader, checksum};

thread_local! {
    static SENT: [Vec<u8>; 6] = [1, 50, 2, 7, 1, 20].map(super_packet);
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Datagrams of 1200 bytes in one super-packet, after their device header.
fn super_packet(datagrams: usize) -> Vec<u8> {
    let payload = 1200 * datagrams;
    let device = DeviceHeader {
        flags: DeviceHeader::NEEDS_CHECKSUM,
        segmentation: DeviceHeader::UDP,
        header_len: 28,
        segment_size: 1200,
        checksum_start: 20,
        checksum_offset: 6,
    };
    let mut packet = vec![0x45, 0, 0, 0, 0, 1, 0x40, 0, 64, 17, 0, 0];
    packet.extend([198, 18, 0, 1, 198, 18, 0, 2]);
    packet[2..4].copy_from_slice(&(28 + payload as u16).to_be_bytes());
    checksum::complete_ip(&mut packet);
    packet.extend([156, 64, 1, 187]);
    packet.extend((8 + payload as u16).to_be_bytes());
    packet.extend([0, 0]);
    packet.resize(28 + payload, 7);
    [&device.bytes()[..], &packet].concat()
}

#[test]
fn packets_and_super_packets_pass_without_an_allocation() {
    let impaired = |share: f64| LinkSpec {
        delay_ns: 2_000_000,
        loss: Some(Loss::independent(share)),
        duplicate: share,
        corrupt: 2.0 * share,
        rate_bit_per_s: Some(4_000_000_000),
        ..LinkSpec::default()
    };
    let mut intake = Intake::new(&Pool::new());
    // How many packets of their own there are at a time is chance: more at first than ever later.
    let mut run = Run::default();
    pass(&mut intake, &mut run, &mut link(&impaired(0.2)), 0..2000);
    let mut link = link(&impaired(0.02));
    pass(&mut intake, &mut run, &mut link, 2000..6000);
    let warm = ALLOCATIONS.get();
    let longest = pass(&mut intake, &mut run, &mut link, 6000..20_000);
    assert_eq!(ALLOCATIONS.get() - warm, 0);
    assert!(longest > 10, "segments leave together: {longest}");
    let counters = link.counters();
    assert!(counters.lost > 0 && counters.duplicated > 0 && counters.corrupted > 0);
}

fn link(spec: &LinkSpec) -> Link<Segment> {
    Link::new(spec, 1, Direction::Up).expect("a valid link")
}

/// Takes in what a device hands over, round by round, and lets out what is due; the most packets that
/// left as one.
fn pass(intake: &mut Intake, run: &mut Run, link: &mut Link<Segment>, rounds: Range<u64>) -> usize {
    let mut longest = 0;
    for round in rounds {
        let now = Time(round * 50_000);
        SENT.with(|sent| {
            let wire = &sent[(round % 6) as usize];
            let received: Result<_, ()> = intake.receive(|buffer| {
                buffer[..wire.len()].copy_from_slice(wire);
                Ok(wire.len())
            });
            let buffer = received.expect("it was read").expect("it is a packet");
            for segment in Segment::all(buffer) {
                link.push(now, segment);
            }
        });
        while let Some(departure) = link.pop(now) {
            if !run.continues(&departure.packet, 0) {
                longest = longest.max(run.dues().len());
                run.clear();
            }
            run.add(departure, 0);
        }
        longest = longest.max(run.dues().len());
        run.clear();
    }
    longest
}
