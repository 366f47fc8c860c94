//! Clients: who shares a key with whom, and on which network each is when.

use crate::network::Network;
use crate::random::{Purpose, Random};
use crate::spec::Spec;

/// What makes a client hard to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hardness {
    /// Nothing does.
    Steady,
    /// Its UDP doesn't pass.
    Blocked,
    /// Its network is now one, now another.
    Flapping,
    /// It shares its key with others on other networks.
    Nat,
    /// Its network becomes another one.
    Drift,
}

impl Hardness {
    pub(crate) const ALL: [Hardness; 5] = [
        Hardness::Steady,
        Hardness::Blocked,
        Hardness::Flapping,
        Hardness::Nat,
        Hardness::Drift,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Hardness::Steady => "steady",
            Hardness::Blocked => "udp-blocked",
            Hardness::Flapping => "flapping",
            Hardness::Nat => "nat",
            Hardness::Drift => "drift",
        }
    }
}

/// One browser and its user.
#[derive(Debug)]
pub(crate) struct Client {
    /// Clients of one key have one address.
    pub(crate) key: u32,
    pub(crate) address: [u8; 4],
    pub(crate) hardness: Hardness,
    /// Which TCP congestion control serves it, of the specification's in their order.
    pub(crate) control: usize,
    /// The second one counts where the client flaps or drifts.
    pub(crate) networks: [Network; 2],
    /// By how many standard deviations its ln ratio is off that of its network.
    pub(crate) effect: f64,
    /// Sessions a day.
    pub(crate) sessions_per_day: f64,
}

impl Client {
    /// Its network, `part` of the simulation being over; `away` says of a flapping client that it is on its second
    /// one.
    pub(crate) fn network(&self, part: f64, away: bool) -> Network {
        let [first, second] = &self.networks;
        match self.hardness {
            Hardness::Flapping if away => *second,
            Hardness::Drift => first.towards(second, part),
            _ => *first,
        }
    }
}

/// Networks of a kind lie in prefixes of their own, as those of one provider do, with this probability; else anywhere.
const OWN_PREFIX: f64 = 0.8;

/// All clients, those of one key side by side.
pub(crate) fn clients(spec: &Spec) -> Vec<Client> {
    let controls: Vec<f64> = spec.tcp.values().copied().collect();
    let mut addresses = Addresses::new(spec.networks.len());
    let mut clients: Vec<Client> = Vec::with_capacity(spec.clients as usize);
    let (mut key, mut companions) = (0, 0);
    for number in 0..spec.clients {
        let mut random = Random::new(spec.seed, Purpose::Client, u64::from(number));
        let first = Network::any(&spec.networks, &mut random);
        let second = Network::any(&spec.networks, &mut random);
        let hard = &spec.hard;
        let steady = (1.0 - hard.flapping - hard.nat - hard.drift).max(0.0);
        // A share of clients: each NAT takes so many at once.
        let nats = hard.nat / f64::from(hard.nat_clients.max(1));
        let shares = [steady, hard.flapping, nats, hard.drift];
        let kind = random.by_share(shares.into_iter());
        let shared = companions > 0;
        let hardness = match kind {
            _ if shared => Hardness::Nat,
            1 => Hardness::Flapping,
            2 => Hardness::Nat,
            3 => Hardness::Drift,
            _ if first.udp_blocked => Hardness::Blocked,
            _ => Hardness::Steady,
        };
        let own = random.happens(OWN_PREFIX);
        let (address, control) = match clients.last() {
            Some(before) if shared => (before.address, before.control),
            _ => {
                key += 1;
                let control = random.by_share(controls.iter().copied());
                (addresses.next(own.then_some(first.kind)), control)
            }
        };
        companions = match (shared, hardness) {
            (true, _) => companions - 1,
            (false, Hardness::Nat) => hard.nat_clients - 1,
            _ => 0,
        };
        clients.push(Client {
            key: key - 1,
            address,
            hardness,
            control,
            networks: [first, second],
            effect: random.normal(),
            sessions_per_day: spec.traffic.sessions_per_day
                * (spec.traffic.sessions_sd * random.normal()).exp(),
        });
    }
    clients
}

/// Hands out every second /24, the even ones: of a /16 of a kind's own, or of one that kinds share.
#[derive(Debug)]
struct Addresses {
    /// Of each kind, and of all: the /16, and the /24 within.
    places: Vec<(u16, u8)>,
    next: u16,
}

impl Addresses {
    fn new(kinds: usize) -> Self {
        let places = (0..=kinds).map(|place| (first(place as u16), 0)).collect();
        Addresses {
            places,
            next: kinds as u16 + 1,
        }
    }

    fn next(&mut self, kind: Option<usize>) -> [u8; 4] {
        let shared = self.places.len() - 1;
        let (wide, narrow) = &mut self.places[kind.unwrap_or(shared)];
        let [a, b] = wide.to_be_bytes();
        let address = [a, b, *narrow, 1];
        *narrow = narrow.wrapping_add(2);
        if *narrow == 0 {
            *wide = first(self.next);
            self.next = self.next.wrapping_add(1);
        }
        address
    }
}

/// The `number`th /16, beginning with 1.0.0.0.
fn first(number: u16) -> u16 {
    number.wrapping_add(256)
}
