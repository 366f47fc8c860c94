use proptest::prelude::*;

use pronghorn_path::Time;

use crate::harness::{assorted, link};
use crate::random_specs::{schedules, specs};

proptest! {
    #[test]
    fn every_packet_and_byte_is_accounted_for_at_every_moment(
        spec in specs(),
        schedule in schedules(),
        seed: u64,
        pops in prop::collection::vec(0..3_usize, 200),
    ) {
        let mut link = link(&spec, seed);
        let mut bytes_out = 0;
        let mut popped = 0;
        for (i, (at, len)) in schedule.iter().enumerate() {
            link.push(*at, assorted(i as u64, *len));
            prop_assert!(link.counters().balance());
            for departure in (0..pops[i]).map_while(|_| link.pop(*at)) {
                prop_assert!(departure.arrived <= departure.due && departure.due <= *at);
                bytes_out += departure.packet.len as u64;
                popped += 1;
            }
            prop_assert!(link.counters().balance());
        }
        let mut last = Time::ZERO;
        while let Some(departure) = link.pop(Time::MAX) {
            prop_assert!(departure.due >= last);
            last = departure.due;
            bytes_out += departure.packet.len as u64;
            popped += 1;
            prop_assert!(link.counters().balance());
        }
        let counters = link.counters();
        prop_assert!(counters.balance());
        prop_assert_eq!(counters.held, 0);
        prop_assert_eq!(counters.packets_in, schedule.len() as u64);
        prop_assert_eq!(counters.bytes_in, schedule.iter().map(|(_, len)| *len as u64).sum::<u64>());
        prop_assert_eq!((counters.packets_out, counters.bytes_out), (popped, bytes_out));
        prop_assert_eq!(link.next_due(), None);
    }
}
