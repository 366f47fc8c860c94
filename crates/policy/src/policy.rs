//! What a policy file says, ready for decisions.

use crate::axis::{AXIS_MOST, Axis, Place};
use crate::math;
use crate::sample::TcpControl;
use crate::steering::Steering;

/// The surface's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// Milliseconds, above 0.
    pub rtt_ms: Axis,
    /// Share of packets, 0 to below 1.
    pub loss: Axis,
    /// Mbit/s, above 0.
    pub rate_mbit: Axis,
    /// How often each loss is met: the mixture's weights before any packet was seen. All above 0; their sum doesn't matter.
    pub loss_share: [f64; AXIS_MOST],
}

/// How much outcomes scatter: standard deviations of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Of ln(time to last byte) between responses of one visit, one arm, one stratum.
    pub response: f64,
    /// Of what all responses of one visit share, by one arm.
    pub visit: f64,
    /// Of the ln ratio between clients whose networks look alike.
    pub between_clients: BetweenClients,
    /// Of what the surface can't follow.
    pub surface: f64,
}

/// How much the ln ratio differs between clients whose networks look alike. What hides of a network makes a protocol's losses and delays weigh more or
/// less, so that clients differ the more, the more the protocols do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BetweenClients {
    /// Its standard deviation where both protocols are as fast.
    pub sd: f64,
    /// What is to be added for each unit by which the surface's ln ratio is off 0: as variances are added.
    pub slope: f64,
}

impl BetweenClients {
    /// Of clients on networks of which the surface says this: its own doubt makes them differ the more, too.
    fn variance(self, ln_ratio: Normal) -> f64 {
        math::square(self.sd)
            + math::square(self.slope) * (math::square(ln_ratio.mean) + ln_ratio.variance)
    }
}

/// A row for each round trip, a column for each loss: (h3's load time / h2's, sd of its logarithm).
pub type Plane = [[(f64, f64); AXIS_MOST]; AXIS_MOST];

/// What the laboratory measured at one rate with one congestion control of TCP's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Not `Unknown`.
    pub tcp: TcpControl,
    /// Its index on the axis.
    pub rate: usize,
    /// Only rows and columns on the axes count.
    pub plane: Plane,
}

/// A row for each rate, a column for each loss.
pub type Pages = [[f64; AXIS_MOST]; AXIS_MOST];

/// The most that a logarithm's standard deviation may be of a policy's scatter: more is a mistake, such as a percentage.
pub const SCATTER_MOST: f64 = 3.0;

/// How much the laboratory's page loads scattered with one congestion control of TCP's: standard deviations of ln(time). And how much its clients
/// differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatter {
    /// Not `Unknown`.
    pub tcp: TcpControl,
    /// Over TCP and over QUIC; only rows and columns on the axes count.
    pub pages: [Pages; 2],
    /// As [`Noise::between_clients`], which counts where there is none.
    pub between_clients: Option<BetweenClients>,
}

/// All that makes up a policy.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The surface's axes.
    pub axes: Axes,
    /// Scatter.
    pub noise: Noise,
    /// When to change.
    pub steering: Steering,
    /// Differences below count as none, a share; for whoever shows the policy.
    pub margin: f64,
    /// One for each congestion control that was mapped, and rate on the axis.
    pub priors: &'a [Prior],
    /// At most one for each congestion control that was mapped; where there is none, pages don't scatter, and clients differ as `noise` has it.
    pub scatters: &'a [Scatter],
}

/// A policy: immutable, and of one size whatever the file's.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) axes: Axes,
    pub(crate) noise: Noise,
    pub(crate) steering: Steering,
    margin: f64,
    surfaces: [Option<Surface>; 3],
    /// ln p and ln(1 − p) of each loss node, and ln of its share.
    pub(crate) loss_logarithms: [(f64, f64, f64); AXIS_MOST],
}

/// One congestion control's surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// By rate, round trip, loss.
    cells: [[[Normal; AXIS_MOST]; AXIS_MOST]; AXIS_MOST],
    /// By round trip and loss, where the rate is unknown.
    any_rate: [[Normal; AXIS_MOST]; AXIS_MOST],
    /// Variances of ln(page load time) by TCP and by QUIC.
    pages: [Pages; 2],
    /// The same where the rate is unknown: their means over all rates.
    pages_any_rate: [[f64; AXIS_MOST]; 2],
    between_clients: BetweenClients,
}

/// Mean and variance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Normal {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// No node is taken for free of loss: on a path that loses nothing of its own, a queue may still overflow.
const LOSS_LEAST: f64 = 1e-4;

impl Policy {
    /// Errors: why the parts don't make a policy.
    pub fn new(parts: &Parts<'_>) -> Result<Policy, &'static str> {
        let axes = parts.axes;
        let least = |value: f64, least: f64| value.is_finite() && value >= least;
        let noise = &parts.noise;
        if !least(noise.response, 1e-3)
            || !least(noise.visit, 0.0)
            || !least(noise.between_clients.sd, 0.0)
            || !(0.0..=SCATTER_MOST).contains(&noise.between_clients.slope)
            || !least(noise.surface, 0.0)
            || !least(parts.steering.half_life_s, 1.0)
        {
            return Err("noise or half-life is out of range");
        }
        let mut surfaces = [None; 3];
        for (control, surface) in [TcpControl::Cubic, TcpControl::Bbr, TcpControl::Reno]
            .into_iter()
            .zip(&mut surfaces)
        {
            if parts.priors.iter().any(|prior| prior.tcp == control) {
                let mut mapped = Surface::new(&axes, parts.priors, control)?;
                mapped.between_clients = noise.between_clients;
                for scatter in parts.scatters.iter().filter(|one| one.tcp == control) {
                    mapped.take_scatter(scatter, axes.rate_mbit.values().len())?;
                }
                *surface = Some(mapped);
            }
        }
        if surfaces.iter().all(Option::is_none) {
            return Err("there is no prior");
        }
        let scatters = parts.scatters.iter();
        let mut controls = scatters.map(|scatter| scatter.tcp as usize);
        let mut seen = [false; 4];
        let fits = controls.all(|control| {
            let mapped = parts.priors.iter().any(|one| one.tcp as usize == control);
            let again = seen
                .get_mut(control)
                .map(|seen| core::mem::replace(seen, true));
            mapped && again == Some(false)
        });
        if !fits {
            return Err("a scatter is of no prior's congestion control, or of another scatter's");
        }
        let mut policy = Policy {
            axes,
            noise: parts.noise,
            steering: parts.steering,
            margin: parts.margin,
            surfaces,
            loss_logarithms: [(0.0, 0.0, 0.0); AXIS_MOST],
        };
        let shares = axes.loss_share;
        for ((logarithms, loss), share) in policy
            .loss_logarithms
            .iter_mut()
            .zip(axes.loss.values())
            .zip(shares)
        {
            let p = loss.clamp(LOSS_LEAST, 1.0 - LOSS_LEAST);
            *logarithms = (math::ln(p), math::ln(1.0 - p), math::ln(share));
        }
        Ok(policy)
    }

    /// The surface's axes.
    pub fn axes(&self) -> &Axes {
        &self.axes
    }

    /// How much outcomes scatter.
    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    /// When to change.
    pub fn steering(&self) -> &Steering {
        &self.steering
    }

    /// The same policy with other thresholds and times, as directives override them.
    pub fn with_steering(mut self, steering: Steering) -> Policy {
        self.steering = steering;
        self
    }

    /// Differences below count as none: a share.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The variance by which a key differs from a surface that says `ln_ratio`: as clients differ whose networks look alike, and by what the surface
    /// can't follow.
    pub(crate) fn unlike(&self, surface: &Surface, ln_ratio: Normal) -> f64 {
        surface.between_clients.variance(ln_ratio) + math::square(self.noise.surface)
    }

    /// The surface for a congestion control; one that wasn't mapped uses cubic's, else the first.
    pub(crate) fn surface(&self, control: TcpControl) -> Option<&Surface> {
        let [cubic, bbr, reno] = &self.surfaces;
        let own = match control {
            TcpControl::Unknown | TcpControl::Cubic => cubic,
            TcpControl::Bbr => bbr,
            TcpControl::Reno => reno,
        };
        own.as_ref()
            .or(cubic.as_ref())
            .or(bbr.as_ref())
            .or(reno.as_ref())
    }
}

impl Surface {
    fn new(axes: &Axes, priors: &[Prior], control: TcpControl) -> Result<Surface, &'static str> {
        let mut surface = Surface {
            cells: Default::default(),
            any_rate: Default::default(),
            pages: Default::default(),
            pages_any_rate: Default::default(),
            between_clients: BetweenClients::default(),
        };
        let (rtts, losses) = (axes.rtt_ms.values().len(), axes.loss.values().len());
        for rate in 0..axes.rate_mbit.values().len() {
            let prior = priors
                .iter()
                .find(|prior| prior.tcp == control && prior.rate == rate)
                .ok_or("a rate on the axis has no prior")?;
            let Some(cells) = surface.cells.get_mut(rate) else {
                return Err("there are too many rates");
            };
            for (row, given) in cells.iter_mut().zip(&prior.plane).take(rtts) {
                for (cell, (ratio, sd)) in row.iter_mut().zip(given).take(losses) {
                    let sound = |value: f64| value.is_finite() && value > 0.0;
                    if !sound(*ratio) || !sound(*sd) {
                        return Err("a ratio or its sd isn't a finite number above 0");
                    }
                    *cell = Normal {
                        mean: math::ln(*ratio),
                        variance: math::square(*sd),
                    };
                }
            }
        }
        surface.average_rates(axes);
        Ok(surface)
    }

    fn take_scatter(&mut self, scatter: &Scatter, rates: usize) -> Result<(), &'static str> {
        let is_sd = |sd: f64| (0.0..=SCATTER_MOST).contains(&sd);
        let sds = scatter.pages.iter().flatten().flatten().copied();
        let between = scatter.between_clients.map(|one| [one.sd, one.slope]);
        if !sds.chain(between.into_iter().flatten()).all(is_sd) {
            return Err("a scatter isn't a number from 0 to 3");
        }
        if let Some(between) = scatter.between_clients {
            self.between_clients = between;
        }
        self.pages = scatter
            .pages
            .map(|rows| rows.map(|row| row.map(math::square)));
        for (any, rows) in self.pages_any_rate.iter_mut().zip(&self.pages) {
            for row in rows.iter().take(rates) {
                for (mean, variance) in any.iter_mut().zip(row) {
                    *mean += variance / rates as f64;
                }
            }
        }
        Ok(())
    }

    /// Variances of ln(page load time) by TCP and by QUIC at a loss node and a rate (between nodes; none: of unknown rate).
    pub(crate) fn pages_at(&self, loss: usize, rate: Option<Place>) -> [f64; 2] {
        let at = |row: Option<&[f64; AXIS_MOST]>| {
            row.and_then(|row| row.get(loss))
                .copied()
                .unwrap_or_default()
        };
        let mut found = [0.0; 2];
        let both = self.pages.iter().zip(&self.pages_any_rate);
        for (to, (rows, any_rate)) in found.iter_mut().zip(both) {
            *to = match rate {
                None => at(Some(any_rate)),
                Some(rate) => rate
                    .weights()
                    .map(|(row, share)| share * at(rows.get(row)))
                    .sum(),
            };
        }
        found
    }

    /// The cell at a round trip (between nodes), a loss node and a rate (between nodes; none: of unknown rate).
    pub(crate) fn at(&self, rtt: Place, loss: usize, rate: Option<Place>) -> Normal {
        let mut sum = Normal::default();
        let mut add = |plane: &[[Normal; AXIS_MOST]; AXIS_MOST], share: f64| {
            for (row, weight) in rtt.weights() {
                let cell = plane.get(row).and_then(|row| row.get(loss));
                let cell = cell.copied().unwrap_or_default();
                sum.mean += share * weight * cell.mean;
                sum.variance += share * weight * cell.variance;
            }
        };
        match rate {
            None => add(&self.any_rate, 1.0),
            Some(rate) => {
                for (index, share) in rate.weights() {
                    if let Some(plane) = self.cells.get(index) {
                        add(plane, share);
                    }
                }
            }
        }
        sum
    }

    fn average_rates(&mut self, axes: &Axes) {
        let rates = axes.rate_mbit.values().len();
        for (i, row) in self.any_rate.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                let over = self.cells.iter().take(rates);
                *cell = mixture(over.filter_map(|plane| Some((1.0, *plane.get(i)?.get(j)?))));
            }
        }
    }
}

/// The mean and variance of a mixture of normal distributions; their weights need no sum.
pub(crate) fn mixture(parts: impl Iterator<Item = (f64, Normal)>) -> Normal {
    let (mut whole, mut mean, mut square) = (0.0, 0.0, 0.0);
    for (weight, part) in parts {
        whole += weight;
        mean += weight * part.mean;
        square += weight * (part.variance + part.mean * part.mean);
    }
    if whole <= 0.0 {
        return Normal::default();
    }
    let mean = mean / whole;
    Normal {
        mean,
        variance: (square / whole - mean * mean).max(0.0),
    }
}
