//! Loss of known packets.

use crate::draws::Instance;

/// The list, and how many packets have come.
#[derive(Debug)]
pub(crate) struct PacketList {
    /// Ascending.
    numbers: Vec<u64>,
    /// The place in the list of the first number that hasn't come.
    next: usize,
    come: u64,
}

impl PacketList {
    /// `numbers` ascend from 1 at least.
    pub(crate) fn new(numbers: Vec<u64>) -> PacketList {
        PacketList {
            numbers,
            next: 0,
            come: 0,
        }
    }

    /// Call it also for a packet that doesn't come this far, which has a number too. A copy has none.
    pub(crate) fn decide(&mut self, instance: Instance) -> bool {
        if instance == Instance::Copy {
            return false;
        }
        self.come += 1;
        let listed = self.numbers.get(self.next) == Some(&self.come);
        self.next += usize::from(listed);
        listed
    }
}
