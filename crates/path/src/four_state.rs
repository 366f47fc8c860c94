//! Loss in bursts with pauses and alone, by a chain of four states.
//!
//! S. Salsano, F. Ludovici, A. Ordine, "Definition of a general and intuitive loss model for packet
//! networks and its implementation in the Netem module in the Linux kernel". The transitions are those
//! of netem's `loss_4state`: the chain starts as after a packet received in a gap, it moves once a
//! packet, and the packet's fate is the state to which it moves. A copy that duplication makes moves
//! the same chain.
//!
//! In the long run the states 1 to 4 hold shares of the packets in the proportion of
//! `1 : p13 p32 / (p31 p23) : p13 / p31 : p14`.

use crate::draws::{Draws, Instance, Probability};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// 1: received, in a gap between bursts.
    GapReceived,
    /// 2: received, within a burst.
    BurstReceived,
    /// 3: lost, within a burst.
    BurstLost,
    /// 4: lost alone, in a gap.
    GapLost,
}

/// The chain and its position.
#[derive(Debug)]
pub(crate) struct FourState {
    p14: Probability,
    p14_or_p13: Probability,
    p23: Probability,
    p32: Probability,
    p32_or_p31: Probability,
    state: State,
    draws: Draws,
}

impl FourState {
    /// `probabilities`: p13, p31, p32, p23, p14, of which p13 + p14 and p31 + p32 are at most 1.
    pub(crate) fn new(probabilities: [f64; 5], draws: Draws) -> FourState {
        let [p13, p31, p32, p23, p14] = probabilities;
        FourState {
            p14: Probability::new(p14),
            p14_or_p13: Probability::new(p14 + p13),
            p23: Probability::new(p23),
            p32: Probability::new(p32),
            p32_or_p31: Probability::new(p32 + p31),
            state: State::GapReceived,
            draws,
        }
    }

    pub(crate) fn decide(&mut self, instance: Instance) -> bool {
        let draw = self.draws.next(instance);
        self.state = match self.state {
            State::GapReceived if self.p14.hits(draw) => State::GapLost,
            State::GapReceived if self.p14_or_p13.hits(draw) => State::BurstLost,
            State::BurstReceived if self.p23.hits(draw) => State::BurstLost,
            State::BurstLost if self.p32.hits(draw) => State::BurstReceived,
            State::BurstLost if self.p32_or_p31.hits(draw) => State::GapReceived,
            State::GapLost => State::GapReceived,
            stays => stays,
        };
        matches!(self.state, State::BurstLost | State::GapLost)
    }

    /// Uses up a copy's draw; the chain doesn't move.
    pub(crate) fn skip_copy(&mut self) {
        self.draws.next(Instance::Copy);
    }
}
