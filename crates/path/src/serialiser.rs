//! How long a packet takes on the wire at a given rate.
//!
//! A packet of n bytes takes 8n / rate seconds, which is seldom a whole number of nanoseconds. The
//! fraction is carried from packet to packet, so that a busy wire keeps its rate to the bit for
//! ever; a packet is told to end at the first whole nanosecond at which its last bit is out. What is
//! left of a packet when the rate changes is known to a billionth of a bit, which is the unit in which a rate
//! of r bits per second sends r each nanosecond.

use crate::time::Time;

const NANOBITS_PER_BYTE: u64 = 8_000_000_000;
/// The longest packet whose work fits 64 bits beside any rest.
const COMMON_BYTES: u64 = 1 << 30;

/// The wire, and until when it is busy.
#[derive(Debug)]
pub(crate) struct Serialiser {
    rate_bit_per_s: u64,
    free: Instant,
}

/// `floor` plus `rest` / rate nanoseconds; `rest` is less than the rate.
#[derive(Clone, Copy, Debug)]
struct Instant {
    floor: Time,
    rest: u64,
}

impl Serialiser {
    pub(crate) fn new(rate_bit_per_s: u64) -> Serialiser {
        Serialiser {
            rate_bit_per_s,
            free: Instant {
                floor: Time::ZERO,
                rest: 0,
            },
        }
    }

    /// Sends `bytes` that are ready at `ready`, once the wire is free; returns when they are out.
    pub(crate) fn send(&mut self, ready: Time, bytes: u64) -> Time {
        self.free = self.end(ready, bytes);
        self.free.ceil()
    }

    /// What [`Serialiser::send`] would return.
    pub(crate) fn preview(&self, ready: Time, bytes: u64) -> Time {
        self.end(ready, bytes).ceil()
    }

    /// Another rate from `at` on; returns when what is being sent is out. Whatever was out by `at` must have been told to end.
    pub(crate) fn set_rate(&mut self, at: Time, rate_bit_per_s: u64) -> Time {
        let before = u128::from(self.rate_bit_per_s);
        let rate = u128::from(rate_bit_per_s);
        self.rate_bit_per_s = rate_bit_per_s;
        match self.free.floor.0.checked_sub(at.0) {
            Some(busy_ns) => {
                let work = u128::from(busy_ns) * before + u128::from(self.free.rest);
                self.free = Instant {
                    floor: at.plus_nanos(u64::try_from(work / rate).unwrap_or(u64::MAX)),
                    rest: (work % rate) as u64,
                };
            }
            None => self.free.rest = 0,
        }
        self.free.ceil()
    }

    fn end(&self, ready: Time, bytes: u64) -> Instant {
        let start = if ready > self.free.floor {
            Instant {
                floor: ready,
                rest: 0,
            }
        } else {
            self.free
        };
        if bytes <= COMMON_BYTES {
            let work = bytes * NANOBITS_PER_BYTE + start.rest;
            return Instant {
                floor: start.floor.plus_nanos(work / self.rate_bit_per_s),
                rest: work % self.rate_bit_per_s,
            };
        }
        let rate = u128::from(self.rate_bit_per_s);
        let work = u128::from(bytes) * u128::from(NANOBITS_PER_BYTE) + u128::from(start.rest);
        let nanos = u64::try_from(work / rate).unwrap_or(u64::MAX);
        Instant {
            floor: start.floor.plus_nanos(nanos),
            rest: (work % rate) as u64,
        }
    }
}

impl Instant {
    fn ceil(self) -> Time {
        self.floor.plus_nanos(u64::from(self.rest > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_nanosecond_adds_up() {
        let mut wire = Serialiser::new(3_000_000_000);
        let ends: Vec<u64> = (0..3).map(|_| wire.send(Time::ZERO, 1).0).collect();
        assert_eq!(ends, [3, 6, 8], "8/3, 16/3 and 24/3 ns, rounded up");
    }

    #[test]
    fn an_idle_wire_starts_when_the_packet_is_ready() {
        let mut wire = Serialiser::new(8_000_000_000);
        assert_eq!(wire.send(Time(100), 10), Time(110));
        assert_eq!(wire.send(Time(105), 10), Time(120));
        assert_eq!(wire.send(Time(500), 10), Time(510));
    }

    #[test]
    fn a_packet_ready_within_the_wires_last_nanosecond_waits_for_its_fraction() {
        let mut wire = Serialiser::new(3_000_000_000);
        assert_eq!(wire.send(Time::ZERO, 1), Time(3), "free at 8/3 ns");
        assert_eq!(
            wire.send(Time(2), 1),
            Time(6),
            "not 2 + 8/3, which is 5 rounded up"
        );
    }

    #[test]
    fn previewing_sends_nothing() {
        let mut wire = Serialiser::new(8_000_000_000);
        assert_eq!(wire.preview(Time(7), 10), Time(17));
        assert_eq!(wire.send(Time(1), 10), Time(11));
    }

    #[test]
    fn absurd_lengths_saturate() {
        let mut wire = Serialiser::new(1);
        assert_eq!(wire.send(Time(1), u64::MAX), Time::MAX);
        assert_eq!(wire.send(Time(1), u64::MAX), Time::MAX);
    }

    #[test]
    fn a_new_rate_sends_what_is_left_to_the_bit() {
        let mut wire = Serialiser::new(3_000_000_000);
        assert_eq!(wire.send(Time::ZERO, 3), Time(8));
        assert_eq!(
            wire.set_rate(Time(5), 7_000_000_000),
            Time(7),
            "9 of 24 bits are left after 5 ns, which take 9/7 ns"
        );
        assert_eq!(wire.send(Time::ZERO, 1), Time(8), "5 + 17/7 ns, rounded up");
        assert_eq!(wire.send(Time::ZERO, 1), Time(9), "5 + 25/7 ns");
    }

    #[test]
    fn a_new_rate_of_an_idle_wire_is_that_of_its_next_packet() {
        let mut wire = Serialiser::new(3_000_000_000);
        assert_eq!(wire.send(Time::ZERO, 1), Time(3));
        wire.set_rate(Time(3), 8_000_000_000);
        assert_eq!(wire.send(Time(3), 1), Time(4));
    }
}
