//! Virtual time: from one deadline to the next.

use std::time::{Duration, Instant};

use pronghorn_path::{Link, Time};

use crate::application::{Reader, Writer};
use crate::clock::Clock;
use crate::datagram::Datagram;
use crate::error::TransferError;
use crate::host::Host;
use crate::record::Record;
use crate::watch::Notes;

/// Rounds without a packet in which time may stand still. Each of quinn's timers may ask for one.
const IDLE_ROUNDS: u32 = 100;

/// Two hosts and the path between them.
pub(crate) struct EventLoop {
    pub(crate) clock: Clock,
    pub(crate) now: Time,
    pub(crate) limit: Duration,
    pub(crate) timer_granularity: Duration,
    pub(crate) down: Link<Datagram>,
    pub(crate) up: Link<Datagram>,
    pub(crate) client: Host,
    pub(crate) server: Host,
}

impl EventLoop {
    /// Goes on until the client has all of the response.
    pub(crate) fn run(mut self, bytes: u64, notes: &Notes) -> Result<Record, TransferError> {
        self.up.start(self.now);
        self.down.start(self.now);
        let mut reader = Reader::default();
        let mut writer = Writer::new(bytes);
        let mut idle_rounds = 0;
        loop {
            let packets = self.round(&mut reader, &mut writer)?;
            if reader.last_byte.is_some() {
                return self.record(bytes, &reader, notes);
            }
            let Some(next) = self.next_event() else {
                return Err(self.standstill(bytes, &reader));
            };
            let idle = packets == 0 && next <= self.now;
            idle_rounds = if idle { idle_rounds + 1 } else { 0 };
            if idle_rounds > IDLE_ROUNDS {
                return Err(self.standstill(bytes, &reader));
            }
            self.now = self.now.max(next);
            if self.elapsed() > self.limit {
                return Err(TransferError::Unfinished {
                    received: reader.received,
                    bytes,
                    limit: self.limit,
                });
            }
        }
    }

    /// Lets everything happen that is due by now; gives how many packets moved.
    fn round(&mut self, reader: &mut Reader, writer: &mut Writer) -> Result<usize, TransferError> {
        let (now, instant) = (self.now, self.instant());
        let mut packets = 0;
        while let Some(departure) = self.up.pop(now) {
            packets += 1;
            self.server.receive(instant, departure.packet)?;
        }
        while let Some(departure) = self.down.pop(now) {
            packets += 1;
            self.client.receive(instant, departure.packet)?;
        }
        for host in [&mut self.client, &mut self.server] {
            let due = host.due().map(|due| self.clock.time(due));
            if due.is_some_and(|due| goes_off(due, self.timer_granularity) <= now) {
                host.wake(instant);
            }
        }
        let at = self.elapsed();
        if let Some(connection) = self.client.connection() {
            reader.attend(connection, at)?;
        }
        if let Some(connection) = self.server.connection() {
            writer.attend(connection, at)?;
        }
        packets += self
            .client
            .send(instant, |packet| self.up.push(now, packet));
        packets += self
            .server
            .send(instant, |packet| self.down.push(now, packet));
        Ok(packets)
    }

    fn next_event(&mut self) -> Option<Time> {
        let granularity = self.timer_granularity;
        let timers = [self.client.due(), self.server.due()]
            .into_iter()
            .flatten()
            .map(|due| goes_off(self.clock.time(due), granularity));
        let links = [self.up.next_due(), self.down.next_due()];
        timers.chain(links.into_iter().flatten()).min()
    }

    fn instant(&self) -> Instant {
        self.clock.instant(self.now)
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.now.0)
    }

    fn standstill(&self, bytes: u64, reader: &Reader) -> TransferError {
        TransferError::Standstill {
            at: self.elapsed(),
            received: reader.received,
            bytes,
        }
    }

    fn record(
        mut self,
        bytes: u64,
        reader: &Reader,
        notes: &Notes,
    ) -> Result<Record, TransferError> {
        let standstill = self.standstill(bytes, reader);
        let ends = (self.client.connection(), self.server.connection());
        let times = (reader.requested, reader.first_byte, reader.last_byte);
        let ((Some(client), Some(server)), (Some(requested), Some(first_byte), Some(last_byte))) =
            (ends, times)
        else {
            return Err(standstill);
        };
        Ok(Record {
            bytes: reader.received,
            requested,
            first_byte,
            last_byte,
            samples: notes.take(),
            client: client.stats(),
            server: server.stats(),
            down: self.down.counters().clone(),
            up: self.up.counters().clone(),
        })
    }
}

/// When a timer goes off that is due then.
fn goes_off(due: Time, granularity: Duration) -> Time {
    let grain = u64::try_from(granularity.as_nanos()).unwrap_or(u64::MAX);
    match grain {
        0 => due,
        grain => Time(due.0.div_ceil(grain).saturating_mul(grain)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_goes_off_at_the_first_grain_that_is_not_before_it_is_due() {
        let ms = Duration::from_millis(1);
        assert_eq!(goes_off(Time(1_000_001), ms), Time(2_000_000));
        assert_eq!(goes_off(Time(1_000_000), ms), Time(1_000_000));
        assert_eq!(goes_off(Time(1_000_001), Duration::ZERO), Time(1_000_001));
    }
}
