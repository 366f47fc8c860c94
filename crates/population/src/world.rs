//! Clients, their page visits and what is true of them: all that doesn't depend on a rule.

use crate::client::{self, Client};
use crate::network::Network;
use crate::outcome::{self, Capacity};
use crate::random::{Purpose, Random};
use crate::spec::{Event, Measured, Spec, SpecError};
use crate::traffic::{self, Page};
use crate::truth::Truth;

/// One simulated population.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) spec: &'a Spec,
    /// The TCP congestion controls, in their order.
    pub(crate) controls: Vec<&'a str>,
    pub(crate) clients: Vec<Client>,
    pub(crate) pages: Vec<Page>,
    truth: Truth,
    end_ms: f64,
}

/// What a page meets, whichever protocol it comes by.
#[derive(Debug)]
pub(crate) struct Met {
    pub(crate) network: Network,
    pub(crate) capacity: Capacity,
    /// Bytes of each response.
    pub(crate) responses: Vec<f64>,
    /// Of h3's expected time to h2's, but for what a connection's first response has beside it.
    pub(crate) ln_ratio: f64,
    /// What this page's times are beside what is expected, over h2 and over h3.
    pub(crate) factors: [f64; 2],
    /// The means of such factors' logarithms, but for what both have in common.
    pub(crate) typical: [f64; 2],
    pub(crate) min_rtt_us: u32,
}

/// Bytes of the smallest and of the largest response.
const BYTES: (f64, f64) = (200.0, 2e7);

impl<'a> World<'a> {
    /// All of it, drawn.
    pub(crate) fn new(spec: &'a Spec) -> Result<Self, SpecError> {
        spec.check()?;
        let truth = Truth::new(&spec.truth, spec.seed)?;
        let clients = client::clients(spec);
        let pages = traffic::pages(spec, &clients);
        Ok(World {
            spec,
            controls: spec.tcp.keys().map(String::as_str).collect(),
            clients,
            pages,
            truth,
            end_ms: spec.days * 86_400e3,
        })
    }

    /// What the `number`th page meets, and the generator for its responses: the same for every rule.
    pub(crate) fn met(&self, number: usize) -> (Met, Random) {
        let page = &self.pages[number];
        let client = &self.clients[page.client as usize];
        let mut random = Random::new(self.spec.seed, Purpose::Page, number as u64);
        let part = page.at_ms as f64 / self.end_ms;
        let network = client.network(part, page.away);
        let control = self.controls[client.control];
        let traffic = &self.spec.traffic;
        let count = random.exponential(traffic.responses).round().max(1.0) as usize;
        let responses: Vec<f64> = (0..count)
            .map(|_| {
                let drawn = traffic.bytes * (traffic.bytes_sd * random.normal()).exp();
                drawn.clamp(BYTES.0, BYTES.1)
            })
            .collect();
        let mood = page.mood.exp();
        let shared = random.normal();
        let mut truth = match self.measured(&network, control) {
            Some(measured) => of_measured(measured, &mut random),
            None => self.unmeasured(control, client, &network, shared),
        };
        if let Some(Event::Upgrade { ln_ratio: more }) = self.spec.event {
            truth.ln_ratio += if part >= 0.5 { more } else { 0.0 };
        }
        let met = Met {
            network,
            capacity: Capacity::of(&network, control != "bbr"),
            ln_ratio: truth.ln_ratio,
            responses,
            factors: truth.factors.map(|factor| mood * factor),
            typical: truth.typical,
            min_rtt_us: outcome::min_rtt_us(&network, &mut random),
        };
        (met, random)
    }

    /// The node nearest to a client's first network.
    pub(crate) fn cell(&self, client: &Client) -> [usize; 3] {
        self.truth.cell(&client.networks[0])
    }

    /// By the surface, of a page that is `shared` standard deviations from what is typical.
    fn unmeasured(&self, control: &str, client: &Client, network: &Network, shared: f64) -> Drawn {
        let ln_ratio = self.truth.of_client(control, network, client.effect);
        let Some(sds) = self.truth.page_sds(control, network) else {
            return Drawn {
                ln_ratio,
                factors: [(self.spec.noise.page * shared).exp(); 2],
                typical: [0.0; 2],
            };
        };
        // The mean of a lognormal time lies above its median.
        let typical = sds.map(|sd| -sd * sd / 2.0);
        let [h2, h3] = typical;
        Drawn {
            ln_ratio: ln_ratio + h2 - h3,
            factors: sds.map(|sd| (sd * shared - sd * sd / 2.0).exp()),
            typical,
        }
    }

    fn measured(&self, network: &Network, control: &str) -> Option<&Measured> {
        self.spec.networks[network.kind].measured.get(control)
    }
}

/// The truth of one page, but for its visit's mood: as [`Met`] has it.
struct Drawn {
    ln_ratio: f64,
    factors: [f64; 2],
    typical: [f64; 2],
}

fn of_measured(measured: &Measured, random: &mut Random) -> Drawn {
    let both = [&measured.h2_s, &measured.h3_s];
    let [h2_s, h3_s] = both.map(|times| mean(times));
    Drawn {
        ln_ratio: (h3_s / h2_s).ln(),
        factors: both.map(|times| times[random.one_of(times.len())] / mean(times)),
        typical: both.map(|times| {
            let logarithms: Vec<f64> = times.iter().map(|time| time.ln()).collect();
            mean(&logarithms) - mean(times).ln()
        }),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
