//! When a link loses everything that enters it.

use crate::draws::{Draws, Instance};
use crate::spec::{self, Direction, Window};

/// Asked with times that don't decrease.
#[derive(Debug)]
pub(crate) enum Outage {
    Scheduled {
        windows: Vec<Window>,
        repeat_ns: Option<u64>,
    },
    /// As Mahimahi's `mm-onoff`: lengths are exponential, on and off in turn, on first.
    Random {
        on_mean_ns: u64,
        off_mean_ns: u64,
        on: bool,
        /// When the present length ends, in nanoseconds since the start.
        until_ns: u64,
        draws: Box<Draws>,
    },
}

impl Outage {
    pub(crate) fn new(spec: &spec::Outage, seed: u64, direction: Direction) -> Outage {
        match spec {
            spec::Outage::Scheduled { windows, repeat_ns } => Outage::Scheduled {
                windows: windows.clone(),
                repeat_ns: *repeat_ns,
            },
            spec::Outage::Random {
                on_mean_ns,
                off_mean_ns,
            } => {
                let mut draws = Box::new(Draws::new(seed, direction, "outage"));
                Outage::Random {
                    on_mean_ns: *on_mean_ns,
                    off_mean_ns: *off_mean_ns,
                    on: true,
                    until_ns: exponential(*on_mean_ns, &mut draws),
                    draws,
                }
            }
        }
    }

    /// Whether the link is out at `elapsed_ns` since the start.
    pub(crate) fn is_out(&mut self, elapsed_ns: u64) -> bool {
        match self {
            Outage::Scheduled { windows, repeat_ns } => {
                let offset = repeat_ns.map_or(elapsed_ns, |period| elapsed_ns % period);
                let begun = windows.partition_point(|window| window.at_ns <= offset);
                begun
                    .checked_sub(1)
                    .and_then(|last| windows.get(last))
                    .is_some_and(|window| offset - window.at_ns < window.for_ns)
            }
            Outage::Random {
                on_mean_ns,
                off_mean_ns,
                on,
                until_ns,
                draws,
            } => {
                while *until_ns <= elapsed_ns {
                    *on = !*on;
                    let mean_ns = if *on { *on_mean_ns } else { *off_mean_ns };
                    *until_ns = until_ns.saturating_add(exponential(mean_ns, draws));
                    if *until_ns == u64::MAX {
                        break;
                    }
                }
                !*on
            }
        }
    }
}

/// A length of this mean, of at least a nanosecond.
fn exponential(mean_ns: u64, draws: &mut Draws) -> u64 {
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    let uniform = ((draws.next(Instance::First) >> 11) as f64 + 0.5) * UNIT;
    ((-uniform.ln() * mean_ns as f64).round() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean is normal in the long run, 4.9 standard deviations a false alarm in a million; so is the share of those
    /// longer than the mean.
    #[test]
    fn lengths_are_exponential() {
        const N: u32 = 1_000_000;
        let mut draws = Draws::new(1, Direction::Down, "outage");
        let lengths: Vec<u64> = (0..N).map(|_| exponential(5_000_000, &mut draws)).collect();
        let n = f64::from(N);
        let mean = lengths.iter().sum::<u64>() as f64 / n;
        assert!((mean / 5e6 - 1.0).abs() < 4.9 / n.sqrt(), "{mean}");
        let longer = lengths.iter().filter(|ns| **ns > 5_000_000).count() as f64 / n;
        let share = (-1.0_f64).exp();
        let deviation = (share * (1.0 - share) / n).sqrt();
        assert!((longer - share).abs() < 4.9 * deviation, "{longer}");
    }
}
