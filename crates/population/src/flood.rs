//! Strangers who tell a gateway of splendid h3 and dreadful h2, and programs beside the clients that don't heed what they are offered.

use crate::outcome::Seen;
use crate::random::Random;
use crate::rules::{Contact, Rule};
use crate::spec::Event;
use crate::world::World;

/// The strangers that come with one page of a client, whose address is `own`, where there are any.
pub(crate) fn strangers(
    world: &World<'_>,
    own: [u8; 4],
    now_ms: u64,
    rule: &mut impl Rule,
    random: &mut Random,
) {
    match world.spec.event {
        Some(Event::Flood { per_page, beside }) => {
            for _ in 0..per_page {
                visit(address(world, beside, random), now_ms, rule);
            }
        }
        Some(Event::Ignoring { per_page }) => {
            let [a, b, c, _] = own;
            for program in 0..per_page {
                // Each at an address of its own, other than the client's.
                let address = [a, b, c, 100 + (program % 100) as u8];
                rule.answer(&contact(address, false, now_ms));
            }
        }
        _ => {}
    }
}

fn contact(address: [u8; 4], quic: bool, now_ms: u64) -> Contact {
    Contact {
        client: u32::MAX,
        address,
        control: None,
        quic,
        now_ms,
        new_connection: true,
        idle_ms: 0,
        h3_is_better: false,
    }
}

/// Any, or one beside a client's, but never of a client's own /24, which are the even ones.
fn address(world: &World<'_>, beside: f64, random: &mut Random) -> [u8; 4] {
    let mut address = [0; 4].map(|_: u8| random.one_of(256) as u8);
    if random.happens(beside) {
        let client = world.clients[random.one_of(world.clients.len())].address;
        address[..2].copy_from_slice(&client[..2]);
    }
    address[2] |= 1;
    address
}

/// Over both protocols.
fn visit(address: [u8; 4], now_ms: u64, rule: &mut impl Rule) {
    for (quic, time_us) in [(false, 60_000_000), (true, 1_000)] {
        let contact = contact(address, quic, now_ms);
        rule.answer(&contact);
        let seen = Seen {
            bytes: 100_000,
            time_us,
            min_rtt_us: 1_000,
            sent: 100,
            lost: if quic { 0 } else { 50 },
            ..Seen::default()
        };
        rule.learn(&contact, &seen);
    }
}
