//! Loss in bursts, by a chain of two states.
//!
//! E. N. Gilbert, "Capacity of a burst-noise channel" (1960); E. O. Elliott, "Estimates of error
//! rates for codes on burst-noise channels" (1963). The order of events is netem's
//! (`loss_gilb_ell`): the chain starts in the good state; a packet is lost or not by the state
//! that it finds, and the chain then stands where its next packet will find it. A copy that
//! duplication makes moves the same chain.
//!
//! In the long run the bad state holds a share `enter / (enter + leave)` of the packets, and a
//! stay in it lasts `1 / leave` packets on average.

use crate::draws::{Draws, Instance, Probability};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Good,
    Bad,
}

/// The chain and its position.
#[derive(Debug)]
pub(crate) struct GilbertElliott {
    enter: Probability,
    leave: Probability,
    loss_bad: Probability,
    loss_good: Probability,
    state: State,
    draws: Draws,
}

impl GilbertElliott {
    /// `probabilities`: enter, leave, loss_bad, loss_good.
    pub(crate) fn new(probabilities: [f64; 4], draws: Draws) -> GilbertElliott {
        let [enter, leave, loss_bad, loss_good] = probabilities.map(Probability::new);
        GilbertElliott {
            enter,
            leave,
            loss_bad,
            loss_good,
            state: State::Good,
            draws,
        }
    }

    pub(crate) fn decide(&mut self, instance: Instance) -> bool {
        let (moves, other, loses) = match self.state {
            State::Good => (self.enter, State::Bad, self.loss_good),
            State::Bad => (self.leave, State::Good, self.loss_bad),
        };
        if moves.hits(self.draws.next(instance)) {
            self.state = other;
        }
        loses.hits(self.draws.next(instance))
    }

    /// Uses up a copy's draws; the chain doesn't move.
    pub(crate) fn skip_copy(&mut self) {
        self.draws.next(Instance::Copy);
        self.draws.next(Instance::Copy);
    }
}
