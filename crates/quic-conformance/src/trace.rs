//! What is seen of a run.

use std::time::Duration;

use crate::datagram::Kind;
use crate::scenario::Fate;

/// Which way a datagram goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

/// A datagram where it is sent.
#[derive(Debug, Clone)]
pub struct Sighting {
    /// Which way.
    pub direction: Direction,
    /// How many went the same way before it.
    pub index: usize,
    /// When it is sent.
    pub at: Duration,
    /// Bytes of UDP payload.
    pub size: usize,
    /// Its packets.
    pub packets: Vec<Kind>,
    /// What the script did to it.
    pub fate: Fate,
}

impl Sighting {
    /// Whether it holds a packet of that kind.
    #[must_use]
    pub fn holds(&self, kind: Kind) -> bool {
        self.packets.contains(&kind)
    }

    /// Whether nothing of it arrives.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match self.fate {
            Fate::Drop => true,
            Fate::Without(kind) => self.packets.iter().all(|packet| *packet == kind),
            Fate::Pass | Fate::Late(_) => false,
        }
    }
}

/// What a stack reports of one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Observation {
    /// The congestion window in bytes; none before there is a connection.
    pub window: Option<u64>,
    /// The smoothed round trip; none before there is a connection.
    pub smoothed_rtt: Option<Duration>,
}

/// What one end reported from a moment on.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// When.
    pub at: Duration,
    /// The end that sends in this direction.
    pub sender: Direction,
    /// What.
    pub seen: Observation,
}

/// A run.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Every datagram, in the order of sending.
    pub datagrams: Vec<Sighting>,
    /// Every change of what the ends report.
    pub samples: Vec<Sample>,
    /// When each response had arrived whole, in the order in which they did.
    pub answered: Vec<Duration>,
    /// Why a connection ended, where one did.
    pub failed: Option<String>,
}

impl Trace {
    /// The datagrams of one direction, sent from `from` on.
    pub fn sent(&self, direction: Direction, from: Duration) -> impl Iterator<Item = &Sighting> {
        self.datagrams
            .iter()
            .filter(move |seen| seen.direction == direction && seen.at >= from)
    }

    /// The moments from `from` on at which datagrams were sent that `is` asks for, and how many were sent then.
    pub fn bursts(
        &self,
        direction: Direction,
        from: Duration,
        is: impl Fn(&Sighting) -> bool,
    ) -> Vec<(Duration, usize)> {
        let mut bursts: Vec<(Duration, usize)> = Vec::new();
        for seen in self.sent(direction, from).filter(|seen| is(seen)) {
            match bursts.last_mut() {
                // Pacing may part what one event let go.
                Some((at, count)) if seen.at - *at < BURST => *count += 1,
                _ => bursts.push((seen.at, 1)),
            }
        }
        bursts
    }

    /// The windows that an end reported from `from` on, the one at that moment included.
    #[must_use]
    pub fn windows(&self, sender: Direction, from: Duration) -> Vec<(Duration, u64)> {
        let of = |sample: &&Sample| sample.sender == sender;
        let window = |sample: &Sample| Some((sample.at, sample.seen.window?));
        let before = self.samples.iter().filter(of);
        let before = before.take_while(|sample| sample.at < from).last();
        let since = self.samples.iter().filter(of);
        let since = since.filter(|sample| sample.at >= from);
        before.into_iter().chain(since).filter_map(window).collect()
    }

    /// The smoothed round trip that an end reported at a moment.
    #[must_use]
    pub fn smoothed_rtt(&self, sender: Direction, at: Duration) -> Option<Duration> {
        let known = self.samples.iter().filter(|sample| sample.sender == sender);
        let known = known.take_while(|sample| sample.at <= at).last();
        known.and_then(|sample| sample.seen.smoothed_rtt)
    }
}

/// Datagrams less apart than this belong together.
const BURST: Duration = Duration::from_millis(4);
