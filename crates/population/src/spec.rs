//! What is simulated. Shares lie in 0..1; standard deviations are of natural logarithms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

/// A simulation of a population behind the gateway. Shares are 0 to 1; standard deviations are of natural logarithms.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[schemars(rename = "Simulation")]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The seed of every random draw.
    pub seed: u64,
    /// The policy file's text.
    pub policy: String,
    /// How many clients there are.
    pub clients: u32,
    /// How many days they are watched.
    pub days: f64,
    /// What is true of h3's times and h2's.
    pub truth: TruthSpec,
    /// The networks that clients are on.
    pub networks: Vec<NetworkSpec>,
    /// Shares of clients by the TCP congestion control that serves them: `cubic`, `bbr`, `reno`.
    pub tcp: BTreeMap<String, f64>,
    /// Shares of clients that are hard to judge; the rest stays on one network.
    #[serde(default)]
    pub hard: HardShares,
    /// What clients ask for, and when.
    pub traffic: TrafficSpec,
    /// How times scatter.
    pub noise: NoiseSpec,
    /// How the gateway is set up.
    #[serde(default)]
    pub gateway: GatewaySpec,
    /// Something that happens to all clients at once. Null: nothing.
    #[serde(default)]
    pub event: Option<Event>,
}

/// The ln ratio of h3's time to h2's over round trip, loss and rate.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruthSpec {
    /// Nodes of the round trip, in milliseconds, ascending.
    pub rtt_ms: Vec<f64>,
    /// Nodes of the share of packets lost, ascending.
    pub loss: Vec<f64>,
    /// Nodes of the rate, in Mbit/s, ascending.
    pub rate_mbit: Vec<f64>,
    /// By TCP congestion control, indexed by round trip, loss and rate.
    pub surfaces: BTreeMap<String, SurfaceSpec>,
    /// The standard deviation of a client's own deviation where the ln ratio is 0.
    pub between_clients: f64,
    /// What each unit of the ln ratio adds to it, as variances are added.
    #[serde(default)]
    pub between_clients_slope: f64,
    /// What the ln ratio of a connection's first response, whose window is cold, has beside that of the later ones.
    #[serde(default)]
    pub first: f64,
}

/// One surface.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurfaceSpec {
    /// ln(typical time over h3 / typical time over h2), indexed by round trip, loss and rate.
    pub ln_ratio: Vec<Vec<Vec<f64>>>,
    /// How much a page's times scatter over h2 and over h3, indexed by rate and loss, in place of `page` of the noise. Null:
    /// as the noise has it.
    #[serde(default)]
    pub pages: Option<[Vec<Vec<f64>>; 2]>,
    /// By how much the truth deviates at each node, drawn once and shared by all clients near it.
    pub sd: Vec<Vec<Vec<f64>>>,
}

/// A kind of network; a client's own is drawn between the bounds, round trip and rate by their logarithms, loss by
/// log(1 + loss / 0.1 %).
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// What it is called.
    pub name: String,
    /// The share of clients, relative to the others'.
    pub share: f64,
    /// Bounds of the round trip, in milliseconds.
    pub rtt_ms: [f64; 2],
    /// Bounds of the share of packets lost.
    pub loss: [f64; 2],
    /// Bounds of the rate, in Mbit/s.
    pub rate_mbit: [f64; 2],
    /// The share of its clients whose UDP doesn't pass.
    #[serde(default)]
    pub udp_blocked: f64,
    /// Measured page loads in place of the surface, by TCP congestion control.
    #[serde(default)]
    pub measured: BTreeMap<String, Measured>,
}

/// Measured load times of one place, in seconds.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Times over h2, in seconds.
    pub h2_s: Vec<f64>,
    /// Times over h3, in seconds.
    pub h3_s: Vec<f64>,
}

/// Shares of clients that are hard to judge.
#[derive(Debug, Clone, Default, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HardShares {
    /// The share of clients whose network keeps changing.
    pub flapping: f64,
    /// The share of clients that share their key with others on other networks.
    pub nat: f64,
    /// How many clients share such a key.
    pub nat_clients: u32,
    /// The share of clients whose network becomes another one during the simulation.
    pub drift: f64,
    /// How long a flapping client stays on a network on average, in seconds.
    pub flap_s: f64,
}

/// Sessions come as a Poisson process; each is some page visits, a page some responses.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficSpec {
    /// Mean sessions of a client a day.
    pub sessions_per_day: f64,
    /// The standard deviation of ln(sessions a day) between clients.
    pub sessions_sd: f64,
    /// Mean pages a session.
    pub pages: f64,
    /// Mean seconds between two pages.
    pub pause_s: f64,
    /// Mean responses a page.
    pub responses: f64,
    /// The median of a response's bytes.
    pub bytes: f64,
    /// The standard deviation of ln(bytes).
    pub bytes_sd: f64,
    /// How many times as long as told browsers keep an offer. Above 1 they ignore `clear` too: a planted fault, to test what
    /// should notice it.
    #[serde(default = "as_told")]
    pub overstay: f64,
}

fn as_told() -> f64 {
    1.0
}

/// How times scatter about what is expected.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseSpec {
    /// Scatter of single responses.
    pub response: f64,
    /// Scatter shared by a page's responses.
    pub page: f64,
    /// Scatter shared by the pages of a session, in addition.
    #[serde(default)]
    pub visit: f64,
    /// The share of packets that a sender loses to queues that it fills itself, on bulk responses.
    pub own_loss: f64,
}

/// How the gateway is set up.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GatewaySpec {
    /// Bytes of the key table's memory.
    pub zone_bytes: usize,
    /// `ma` of `Alt-Svc` in seconds. Null: the policy file's.
    pub max_age_s: Option<u32>,
    /// How a client is moved back to h2.
    pub downgrade: Downgrade,
    /// The pinned share of each arm. Null: the policy file's.
    pub holdout: Option<f64>,
    /// The length of the parent's IPv4 prefix. 0: the decision core's. 24: no key learns from its neighbours.
    pub parent_bits: u8,
    /// Whether the policy is only asked, and browsers aren't told.
    pub dry_run: bool,
}

impl Default for GatewaySpec {
    fn default() -> Self {
        GatewaySpec {
            zone_bytes: 32 << 20,
            max_age_s: None,
            downgrade: Downgrade::Lease,
            holdout: None,
            parent_bits: 0,
            dry_run: false,
        }
    }
}

/// How a client is moved back to h2.
#[derive(Debug, Clone, Copy, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Downgrade {
    /// It isn't.
    Off,
    /// Its lease lapses.
    Lease,
    /// It is told by `clear`.
    Clear,
}

/// Something that happens to all clients at once.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[schemars(rename = "SimulationEvent")]
#[serde(deny_unknown_fields, rename_all = "lowercase", tag = "kind")]
pub enum Event {
    /// From half of the time on h3's ln ratio is another one: a server was upgraded.
    Upgrade {
        /// What is added to it.
        ln_ratio: f64,
    },
    /// Strangers, each from a prefix of its own, tell of splendid h3 and dreadful h2.
    Flood {
        /// How many for each page of the clients.
        per_page: u32,
        /// The share of them whose prefix lies in the same /16 as a client's.
        beside: f64,
    },
    /// Programs in each client's own prefix, beside it, ask over TCP whatever they are offered.
    Ignoring {
        /// How many ask with each page of the client.
        per_page: u32,
    },
}

/// Why a simulation can't be.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The policy file is refused.
    #[error("policy: line {line}: {reason}")]
    Policy {
        /// From 1; 0 where it is about the whole file.
        line: u32,
        /// What is wrong.
        reason: String,
    },
    /// A figure is none that can be.
    #[error("{key}: {problem}")]
    Figure {
        /// Which one.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl SpecError {
    pub(crate) fn figure(key: impl Into<String>, problem: impl Into<String>) -> Self {
        SpecError::Figure {
            key: key.into(),
            problem: problem.into(),
        }
    }
}

/// The most page visits of a simulation, by their mean.
const MOST_PAGES: f64 = 5e7;

impl Spec {
    /// Whether the figures can be; the truth's and the policy's own are looked at where they are read.
    pub(crate) fn check(&self) -> Result<(), SpecError> {
        if self.clients == 0 {
            return Err(SpecError::figure("clients", "at least 1"));
        }
        if self.networks.is_empty() {
            return Err(SpecError::figure("networks", "at least one"));
        }
        for network in &self.networks {
            network.check()?;
        }
        some_share("networks' share", self.networks.iter().map(|one| one.share))?;
        some_share("tcp", self.tcp.values().copied())?;
        for (control, _) in self.tcp.iter().filter(|(_, share)| **share > 0.0) {
            let measured = |one: &NetworkSpec| one.measured.contains_key(control);
            if !self.truth.surfaces.contains_key(control) && !self.networks.iter().all(measured) {
                return Err(SpecError::figure(
                    "tcp",
                    format!("nothing is known of '{control}'"),
                ));
            }
        }
        let hard = &self.hard;
        let shares = [hard.flapping, hard.nat, hard.drift];
        if !shares.iter().all(|share| *share >= 0.0) || shares.iter().sum::<f64>() > 1.0 {
            return Err(SpecError::figure("hard", "shares from 0 to 1 in all"));
        }
        if hard.nat > 0.0 && hard.nat_clients < 2 {
            return Err(SpecError::figure("hard.nat_clients", "at least 2"));
        }
        if hard.flapping > 0.0 {
            positive("hard.flap_s", hard.flap_s)?;
        }
        let traffic = &self.traffic;
        for (key, value) in [
            ("days", self.days),
            ("traffic.sessions_per_day", traffic.sessions_per_day),
            ("traffic.pages", traffic.pages),
            ("traffic.pause_s", traffic.pause_s),
            ("traffic.responses", traffic.responses),
            ("traffic.bytes", traffic.bytes),
            ("traffic.overstay", traffic.overstay),
        ] {
            positive(key, value)?;
        }
        for (key, value) in [
            ("traffic.sessions_sd", traffic.sessions_sd),
            ("traffic.bytes_sd", traffic.bytes_sd),
            ("noise.response", self.noise.response),
            ("noise.page", self.noise.page),
            ("noise.visit", self.noise.visit),
            ("noise.own_loss", self.noise.own_loss),
            ("truth.between_clients", self.truth.between_clients),
            (
                "truth.between_clients_slope",
                self.truth.between_clients_slope,
            ),
        ] {
            if !(0.0..=3.0).contains(&value) {
                return Err(SpecError::figure(key, "from 0 to 3"));
            }
        }
        if !(-3.0..=3.0).contains(&self.truth.first) {
            return Err(SpecError::figure("truth.first", "from -3 to 3"));
        }
        let pages = f64::from(self.clients) * self.days * traffic.sessions_per_day * traffic.pages;
        if pages > MOST_PAGES {
            return Err(SpecError::figure(
                "clients, days, traffic",
                format!(
                    "{pages:.0} page visits are more than a simulation takes ({MOST_PAGES:.0})"
                ),
            ));
        }
        if let Some(Event::Flood { beside, .. }) = self.event {
            if !(0.0..=1.0).contains(&beside) {
                return Err(SpecError::figure("event.beside", "a share from 0 to 1"));
            }
        }
        Ok(())
    }
}

impl NetworkSpec {
    fn check(&self) -> Result<(), SpecError> {
        let ranges = [
            ("rtt_ms", self.rtt_ms, 1e-3, 1e5),
            ("loss", self.loss, 0.0, 0.9),
            ("rate_mbit", self.rate_mbit, 1e-3, 1e6),
            ("udp_blocked", [self.udp_blocked; 2], 0.0, 1.0),
        ];
        for (key, [low, high], least, most) in ranges {
            if !(least <= low && low <= high && high <= most) {
                return Err(SpecError::figure(
                    format!("network '{}', {key}", self.name),
                    format!("from {least} to {most}, the lower bound first"),
                ));
            }
        }
        for measured in self.measured.values() {
            for times in [&measured.h2_s, &measured.h3_s] {
                if times.is_empty() || !times.iter().all(|one| one.is_finite() && *one > 0.0) {
                    return Err(SpecError::figure(
                        format!("network '{}', measured", self.name),
                        "load times greater than zero of both protocols",
                    ));
                }
            }
        }
        Ok(())
    }
}

fn positive(key: &str, value: f64) -> Result<(), SpecError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(SpecError::figure(key, "greater than zero"))
}

fn some_share(key: &str, shares: impl Iterator<Item = f64> + Clone) -> Result<(), SpecError> {
    if shares
        .clone()
        .all(|share| share.is_finite() && share >= 0.0)
        && shares.sum::<f64>() > 0.0
    {
        return Ok(());
    }
    Err(SpecError::figure(key, "shares, none below 0 and one above"))
}
