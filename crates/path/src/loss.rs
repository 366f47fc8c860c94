//! Whether a packet is lost.

use crate::draws::{Draws, Passage, Probability};
use crate::gilbert_elliott::GilbertElliott;
use crate::spec::{self, Direction};

const STAGE: &str = "loss";

/// The second stage, by either model.
#[derive(Debug)]
pub(crate) enum Loss {
    Independent {
        probability: Probability,
        draws: Draws,
    },
    GilbertElliott(GilbertElliott),
}

impl Loss {
    pub(crate) fn new(model: &spec::Loss, seed: u64, direction: Direction) -> Loss {
        let draws = Draws::new(seed, direction, STAGE);
        match *model {
            spec::Loss::Independent { probability, .. } => Loss::Independent {
                probability: Probability::new(probability),
                draws,
            },
            spec::Loss::GilbertElliott {
                enter,
                leave,
                loss_bad,
                loss_good,
            } => Loss::GilbertElliott(GilbertElliott::new(
                [enter, leave, loss_bad, loss_good],
                draws,
            )),
            spec::Loss::FourState { .. } | spec::Loss::Packets { .. } => todo!(),
        }
    }

    pub(crate) fn decide(&mut self, passage: Passage) -> bool {
        match self {
            Loss::Independent { probability, draws } => probability.hits(draws.next(passage)),
            Loss::GilbertElliott(chain) => chain.decide(passage),
        }
    }

    /// Uses up the draws of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, passage: Passage) {
        match self {
            Loss::Independent { draws, .. } => {
                draws.next(passage);
            }
            Loss::GilbertElliott(chain) => chain.skip(passage),
        }
    }
}
