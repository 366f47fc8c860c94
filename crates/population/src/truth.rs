//! What is true of a network: the ln ratio of h3's expected time to h2's, and how much pages scatter, which no rule is told.

use std::collections::BTreeMap;

use pronghorn_policy::SCATTER_MOST;

use crate::network::Network;
use crate::random::{Purpose, Random};
use crate::spec::{SpecError, TruthSpec};

/// Loss lies on a scale of log(1 + loss / this), as in a break-even map.
pub(crate) const LOSS_BEND: f64 = 0.001;

/// An axis by the scale on which a surface is even.
#[derive(Debug)]
struct Axis(Vec<f64>);

impl Axis {
    fn new(key: &str, values: &[f64], scale: impl Fn(f64) -> f64) -> Result<Self, SpecError> {
        let bent: Vec<f64> = values.iter().map(|value| scale(*value)).collect();
        if bent.is_empty()
            || !bent.iter().all(|value| value.is_finite())
            || !bent.windows(2).all(|pair| pair[0] < pair[1])
        {
            return Err(SpecError::figure(
                format!("truth.{key}"),
                "ascending values, at least one",
            ));
        }
        Ok(Axis(bent))
    }

    /// The node below, and how far the value lies towards the next one; beyond the ends it is the end.
    fn place(&self, value: f64) -> (usize, f64) {
        let last = self.0.len() - 1;
        let next = self.0.partition_point(|node| *node <= value);
        if next == 0 || last == 0 {
            return (0, 0.0);
        }
        if next > last {
            return (last - 1, 1.0);
        }
        let low = self.0[next - 1];
        (next - 1, (value - low) / (self.0[next] - low))
    }

    /// The node nearest.
    fn nearest(&self, value: f64) -> usize {
        let (below, part) = self.place(value);
        below + usize::from(part >= 0.5)
    }
}

/// The surfaces of one simulation.
#[derive(Debug)]
pub(crate) struct Truth {
    axes: [Axis; 3],
    /// By TCP congestion control; of a node (rtt, loss, rate), the last running fastest.
    surfaces: BTreeMap<String, Vec<f64>>,
    /// By TCP congestion control: standard deviations of ln(time) over h2 and over h3, of nodes of rate and loss.
    pages: BTreeMap<String, [Vec<Vec<f64>>; 2]>,
    between_clients: f64,
    between_clients_slope: f64,
}

impl Truth {
    /// The surfaces, their deviations drawn.
    pub(crate) fn new(spec: &TruthSpec, seed: u64) -> Result<Self, SpecError> {
        let axes = [
            Axis::new("rtt_ms", &spec.rtt_ms, f64::ln)?,
            Axis::new("loss", &spec.loss, bent_loss)?,
            Axis::new("rate_mbit", &spec.rate_mbit, f64::ln)?,
        ];
        let shape = [0, 1, 2].map(|axis: usize| axes[axis].0.len());
        let (mut surfaces, mut pages) = (BTreeMap::new(), BTreeMap::new());
        for (number, (control, surface)) in spec.surfaces.iter().enumerate() {
            let mut random = Random::new(seed, Purpose::Truth, number as u64);
            let means = flat(control, "ln_ratio", &surface.ln_ratio, shape)?;
            let sds = flat(control, "sd", &surface.sd, shape)?;
            let drawn = means.iter().zip(&sds);
            let values = drawn
                .map(|(mean, sd)| mean + sd * random.normal())
                .collect();
            surfaces.insert(control.clone(), values);
            if let Some(scatter) = &surface.pages {
                if !scatter.iter().all(|rows| is_scatter(rows, shape)) {
                    return Err(SpecError::figure(
                        format!("truth.surfaces.{control}.pages"),
                        format!(
                            "twice numbers from 0 to {SCATTER_MOST}, {} by {}",
                            shape[2], shape[1]
                        ),
                    ));
                }
                pages.insert(control.clone(), scatter.clone());
            }
        }
        Ok(Truth {
            axes,
            surfaces,
            pages,
            between_clients: spec.between_clients,
            between_clients_slope: spec.between_clients_slope,
        })
    }

    /// How much a page's ln(time) scatters over h2 and over h3, linear between nodes of rate and loss; none where the specification doesn't say.
    pub(crate) fn page_sds(&self, control: &str, network: &Network) -> Option<[f64; 2]> {
        let [_, loss, rate] = &self.axes;
        let [_, at_loss, at_rate] = self.scaled(network);
        let (loss, rate) = (loss.place(at_loss), rate.place(at_rate));
        let at = |rows: &Vec<Vec<f64>>| between(rows, rate, |row| between(row, loss, |sd| *sd));
        self.pages.get(control).map(|both| both.each_ref().map(at))
    }

    /// The ln ratio of what is typical of a network, linear between nodes; 0 of a control without a surface.
    pub(crate) fn ln_ratio(&self, control: &str, network: &Network) -> f64 {
        let Some(values) = self.surfaces.get(control) else {
            return 0.0;
        };
        let [rtt, loss, rate] = self.scaled(network);
        let places = [
            self.axes[0].place(rtt),
            self.axes[1].place(loss),
            self.axes[2].place(rate),
        ];
        let mut sum = 0.0;
        for corner in 0..8usize {
            let (mut index, mut weight) = (0, 1.0);
            for (axis, (below, part)) in places.into_iter().enumerate() {
                let above = corner >> axis & 1;
                weight *= if above == 1 { part } else { 1.0 - part };
                index = index * self.axes[axis].0.len()
                    + (below + above).min(self.axes[axis].0.len() - 1);
            }
            sum += weight * values[index];
        }
        sum
    }

    /// The ln ratio of a client that is off its network's by so many standard deviations.
    pub(crate) fn of_client(&self, control: &str, network: &Network, sds: f64) -> f64 {
        let ln_ratio = self.ln_ratio(control, network);
        ln_ratio
            + sds
                * self
                    .between_clients
                    .hypot(self.between_clients_slope * ln_ratio)
    }

    /// The nearest node of round trip, loss and rate.
    pub(crate) fn cell(&self, network: &Network) -> [usize; 3] {
        let [rtt, loss, rate] = self.scaled(network);
        [
            self.axes[0].nearest(rtt),
            self.axes[1].nearest(loss),
            self.axes[2].nearest(rate),
        ]
    }

    fn scaled(&self, network: &Network) -> [f64; 3] {
        [
            network.rtt_ms.ln(),
            bent_loss(network.loss),
            network.rate_mbit.ln(),
        ]
    }
}

/// Loss on its scale.
pub(crate) fn bent_loss(loss: f64) -> f64 {
    (loss / LOSS_BEND).ln_1p()
}

/// Linear between the two that a place lies between.
fn between<T>(values: &[T], (below, part): (usize, f64), of: impl Fn(&T) -> f64) -> f64 {
    let above = (below + 1).min(values.len() - 1);
    of(&values[below]) * (1.0 - part) + of(&values[above]) * part
}

fn is_scatter(rows: &[Vec<f64>], [_, losses, rates]: [usize; 3]) -> bool {
    let is_sd = |sd: &f64| (0.0..=SCATTER_MOST).contains(sd);
    rows.len() == rates
        && rows
            .iter()
            .all(|row| row.len() == losses && row.iter().all(is_sd))
}

fn flat(
    control: &str,
    what: &str,
    values: &[Vec<Vec<f64>>],
    shape: [usize; 3],
) -> Result<Vec<f64>, SpecError> {
    let shaped = values.len() == shape[0]
        && values
            .iter()
            .all(|rows| rows.len() == shape[1] && rows.iter().all(|row| row.len() == shape[2]));
    let found: Vec<f64> = values.iter().flatten().flatten().copied().collect();
    if !shaped || !found.iter().all(|value| value.is_finite()) {
        return Err(SpecError::figure(
            format!("truth.surfaces.{control}.{what}"),
            format!("numbers, {} by {} by {}", shape[0], shape[1], shape[2]),
        ));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::SurfaceSpec;

    fn spec(sd: f64) -> TruthSpec {
        let surface = SurfaceSpec {
            ln_ratio: vec![
                vec![vec![0.0, 1.0], vec![0.0, 1.0]],
                vec![vec![2.0, 3.0], vec![2.0, 3.0]],
            ],
            sd: vec![vec![vec![sd; 2]; 2]; 2],
            pages: Some([
                vec![vec![0.0, 0.4], vec![0.0, 0.8]],
                vec![vec![0.1, 0.1]; 2],
            ]),
        };
        TruthSpec {
            rtt_ms: vec![10.0, 1000.0],
            loss: vec![0.0, 0.1],
            rate_mbit: vec![1.0, 100.0],
            surfaces: BTreeMap::from([("cubic".to_owned(), surface)]),
            between_clients: 0.3,
            between_clients_slope: 0.2,
            first: 0.0,
        }
    }

    fn network(rtt_ms: f64, rate_mbit: f64) -> Network {
        Network {
            rtt_ms,
            loss: 0.02,
            rate_mbit,
            ..Network::default()
        }
    }

    #[test]
    fn clients_differ_the_more_the_more_the_protocols_do() {
        let truth = Truth::new(&spec(0.0), 1).unwrap();
        let of = |network, sds| truth.of_client("cubic", &network, sds);
        assert!((of(network(10.0, 1.0), 2.0) - 0.6).abs() < 1e-12);
        assert!((of(network(1000.0, 1.0), -1.0) - (2.0 - 0.5)).abs() < 1e-12);
    }

    #[test]
    fn between_nodes_it_is_linear_in_the_logarithms_and_beyond_them_it_is_the_end() {
        let truth = Truth::new(&spec(0.0), 1).unwrap();
        let at = |rtt_ms, rate_mbit| truth.ln_ratio("cubic", &network(rtt_ms, rate_mbit));
        assert!((at(10.0, 1.0) - 0.0).abs() < 1e-12);
        assert!((at(100.0, 10.0) - 1.5).abs() < 1e-12);
        assert!((at(1.0, 1e4) - 1.0).abs() < 1e-12);
        assert!((at(1e5, 1e4) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn pages_scatter_as_their_loss_and_rate_have_it() {
        let truth = Truth::new(&spec(0.0), 1).unwrap();
        let at = |loss, rate_mbit| {
            let network = Network {
                loss,
                ..network(10.0, rate_mbit)
            };
            truth.page_sds("cubic", &network).unwrap()
        };
        assert_eq!((at(0.0, 1.0), at(0.1, 1.0)), ([0.0, 0.1], [0.4, 0.1]));
        let [between_rates, _] = at(0.1, 10.0);
        assert!((between_rates - 0.6).abs() < 1e-12);
        let between_losses = (bent_loss(0.1) / 2.0).exp_m1() * LOSS_BEND;
        assert!((at(between_losses, 100.0)[0] - 0.4).abs() < 1e-12);
        assert_eq!(truth.page_sds("bbr", &network(10.0, 1.0)), None);
    }

    #[test]
    fn deviations_are_drawn_once_and_depend_on_the_seed() {
        let at = |seed| {
            let truth = Truth::new(&spec(0.1), seed).unwrap();
            truth.ln_ratio("cubic", &network(10.0, 1.0))
        };
        assert_eq!(at(1), at(1));
        assert_ne!(at(1), at(2));
    }

    #[test]
    fn a_surface_of_another_shape_is_refused() {
        let mut wrong = spec(0.0);
        wrong.loss.push(0.2);
        let refused = Truth::new(&wrong, 1).unwrap_err().to_string();
        assert!(refused.contains("2 by 3 by 2"), "{refused}");

        let mut wrong = spec(0.0);
        let surface = wrong.surfaces.get_mut("cubic").unwrap();
        surface.pages = Some([vec![vec![0.1; 2]; 2], vec![vec![0.1, -0.1]; 2]]);
        let refused = Truth::new(&wrong, 1).unwrap_err().to_string();
        assert!(
            refused.contains("twice numbers from 0 to 3, 2 by 2"),
            "{refused}"
        );
    }
}
