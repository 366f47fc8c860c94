//! Whether a packet is lost.

use crate::draws::{Draws, Instance};
use crate::four_state::FourState;
use crate::gilbert_elliott::GilbertElliott;
use crate::independent::Independent;
use crate::packet_list::PacketList;
use crate::spec::{self, Direction};

const STAGE: &str = "loss";

/// The stage after duplication, by one of the models.
#[derive(Debug)]
pub(crate) enum Loss {
    Independent(Independent),
    GilbertElliott(GilbertElliott),
    FourState(FourState),
    Packets(PacketList),
}

impl Loss {
    pub(crate) fn new(model: &spec::Loss, seed: u64, direction: Direction) -> Loss {
        let draws = Draws::new(seed, direction, STAGE);
        match model {
            spec::Loss::Independent {
                probability,
                correlation,
                longest_burst,
            } => Loss::Independent(Independent::new(
                *probability,
                *correlation,
                *longest_burst,
                draws,
            )),
            spec::Loss::GilbertElliott {
                enter,
                leave,
                loss_bad,
                loss_good,
            } => Loss::GilbertElliott(GilbertElliott::new(
                [*enter, *leave, *loss_bad, *loss_good],
                draws,
            )),
            spec::Loss::FourState {
                p13,
                p31,
                p32,
                p23,
                p14,
            } => Loss::FourState(FourState::new([*p13, *p31, *p32, *p23, *p14], draws)),
            spec::Loss::Packets { numbers } => Loss::Packets(PacketList::new(numbers.clone())),
        }
    }

    /// Another probability of the independent model; the others have none.
    pub(crate) fn set(&mut self, probability: f64) {
        if let Loss::Independent(chance) = self {
            chance.set(probability);
        }
    }

    pub(crate) fn decide(&mut self, instance: Instance) -> bool {
        match self {
            Loss::Independent(chance) => chance.decide(instance),
            Loss::GilbertElliott(chain) => chain.decide(instance),
            Loss::FourState(chain) => chain.decide(instance),
            Loss::Packets(list) => list.decide(instance),
        }
    }

    /// Uses up the draws of a copy whose original was lost; chains, which it shares, don't move.
    pub(crate) fn skip_copy(&mut self) {
        match self {
            Loss::GilbertElliott(chain) => chain.skip_copy(),
            Loss::FourState(chain) => chain.skip_copy(),
            Loss::Independent(_) | Loss::Packets(_) => {
                self.decide(Instance::Copy);
            }
        }
    }
}
