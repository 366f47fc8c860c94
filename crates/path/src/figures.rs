//! What a link is on the whole.

use schemars::JsonSchema;
use serde::Serialize;

use crate::schedule::Changes;
use crate::spec::{LinkSpec, PathSpec, Queue};
use crate::spec_error::SpecError;
use crate::trace::Deliveries;

/// What follows from a link's specification. Rates count bytes on the wire.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize)]
pub struct LinkFigures {
    /// The rate in bits per second: a trace's mean, the mean of a schedule that repeats, the last rate of one that doesn't.
    /// Null without a bottleneck.
    pub mean_rate_bit_per_s: Option<f64>,
    /// The lowest rate in bits per second; for a trace 0. Null without a bottleneck.
    pub min_rate_bit_per_s: Option<f64>,
    /// The highest rate in bits per second: a trace's is that of its fullest millisecond. Null without a bottleneck.
    pub max_rate_bit_per_s: Option<f64>,
    /// The buffer's bound at the start. Null without a bottleneck.
    pub queue: Option<Queue>,
    /// How long the buffer takes to empty at the mean rate, in nanoseconds. Null without a bottleneck, or where the bound is in
    /// packets.
    pub queue_ns: Option<f64>,
    /// The smallest constant delay, in nanoseconds, jitter and reordering left out.
    pub min_delay_ns: u64,
    /// The largest constant delay, in nanoseconds, jitter left out.
    pub max_delay_ns: u64,
    /// Deliveries in the trace's period. Null without a trace.
    pub trace_deliveries: Option<u64>,
    /// The trace's period, in nanoseconds. Null without a trace.
    pub trace_period_ns: Option<u64>,
    /// Changes in the schedule. Null without one.
    pub schedule_changes: Option<u64>,
}

impl LinkSpec {
    /// Reads what the link's texts say, and sums it up.
    ///
    /// # Errors
    /// The first value of the specification that isn't allowed.
    pub fn figures(&self) -> Result<LinkFigures, SpecError> {
        self.validate()?;
        let changes = Changes::of(self)?;
        let mut figures = LinkFigures {
            schedule_changes: self.schedule.as_ref().map(|_| changes.rows.len() as u64),
            ..LinkFigures::default()
        };
        figures.delays(self, &changes);
        if let Some(trace) = &self.trace {
            let deliveries = Deliveries::parse(trace)?;
            figures.mean_rate_bit_per_s = Some(deliveries.mean_rate_bit_per_s());
            figures.min_rate_bit_per_s = Some(0.0);
            figures.max_rate_bit_per_s = Some(deliveries.peak_rate_bit_per_s());
            figures.trace_deliveries = Some(deliveries.millis().len() as u64);
            figures.trace_period_ns = Some(deliveries.period_ms() * 1_000_000);
        } else if let Some(first) = changes.first_rate_bit_per_s(self) {
            figures.rates(first, &changes);
        }
        if figures.max_rate_bit_per_s.is_some() {
            let first = changes.rows.first().filter(|row| row.at_ns == 0);
            let bound = first
                .and_then(|row| row.bottleneck.queue)
                .or(self.queue)
                .unwrap_or(Queue::DEFAULT);
            figures.queue = Some(bound);
            figures.queue_ns = match bound {
                Queue::Bytes(bytes) => figures
                    .mean_rate_bit_per_s
                    .map(|rate| bytes as f64 * 8e9 / rate),
                Queue::TimeNs(nanos) => Some(nanos as f64),
                Queue::Packets(_) => None,
            };
        }
        Ok(figures)
    }
}

impl PathSpec {
    /// The shortest time in nanoseconds in which something crosses the path and something else comes back, before a handover or
    /// after it: constant delays less the jitter's spread, but no less than half of them. Reordered packets are left out.
    ///
    /// # Errors
    /// The first value of the specification that isn't allowed.
    pub fn least_round_trip_ns(&self) -> Result<u64, SpecError> {
        let least = |link: &LinkSpec| -> Result<u64, SpecError> {
            let delay_ns = link.figures()?.min_delay_ns;
            let spread_ns = link.jitter.as_ref().map_or(0, |jitter| jitter.spread_ns);
            Ok(delay_ns.saturating_sub(spread_ns).max(delay_ns / 2))
        };
        let before = least(&self.down)? + least(&self.up)?;
        match &self.handover {
            Some(handover) => Ok(before.min(handover.path.least_round_trip_ns()?)),
            None => Ok(before),
        }
    }
}

impl LinkFigures {
    fn delays(&mut self, spec: &LinkSpec, changes: &Changes) {
        let at_start = changes.rows.first().filter(|row| row.at_ns == 0);
        let overridden = at_start.is_some_and(|row| row.entry.delay_ns.is_some());
        let own = (!overridden).then_some(spec.delay_ns);
        let all = || {
            let scheduled = changes.rows.iter().filter_map(|row| row.entry.delay_ns);
            own.into_iter().chain(scheduled)
        };
        self.min_delay_ns = all().min().unwrap_or_default();
        self.max_delay_ns = all().max().unwrap_or_default();
    }

    fn rates(&mut self, first: u64, changes: &Changes) {
        let scheduled: Vec<(u64, u64)> = changes
            .rows
            .iter()
            .filter_map(|row| Some((row.at_ns, row.bottleneck.rate_bit_per_s?)))
            .collect();
        let all = || {
            let scheduled = scheduled.iter().map(|(_, rate)| *rate);
            std::iter::once(first).chain(scheduled)
        };
        self.min_rate_bit_per_s = all().min().map(|rate| rate as f64);
        self.max_rate_bit_per_s = all().max().map(|rate| rate as f64);
        self.mean_rate_bit_per_s = match (scheduled.as_slice(), changes.repeat_ns()) {
            ([], _) => Some(first as f64),
            ([.., (_, last)], Some(period)) => {
                let ends = scheduled.iter().skip(1).map(|(at, _)| *at);
                let held: f64 = scheduled
                    .iter()
                    .zip(ends.chain([period]))
                    .map(|((at, rate), end)| (end - at) as f64 * *rate as f64)
                    .sum();
                let before = scheduled[0].0 as f64 * *last as f64;
                Some((before + held) / period as f64)
            }
            ([.., (_, last)], None) => Some(*last as f64),
        };
    }
}
