//! What the memory holds: layout only. What is kept of a key, of the table and of its arms, how it fades and what of it makes sense; how
//! entries are found, displaced and mended. What any of it says of a client is `estimate/`'s, what is done about it `rules/`'s.

mod entry;
mod guard;
mod head;
mod index;
mod mend;
mod network;
mod outcomes;
mod part;
mod table;
mod tally;
mod told;
mod votes;

pub(crate) use entry::{
    BLOCKED, CHANGED, EXPECTED, Entry, KNOWN, ON, OWN, PARENT, WORTH_H2, WORTH_H3,
};
pub use head::ABI;
pub(crate) use head::Head;
pub(crate) use network::{Network, Remembered, Spread};
pub(crate) use outcomes::{Outcomes, Transport, Visit};
pub(crate) use part::Part;
pub use table::{Table, TableError};
pub(crate) use tally::Tally;
pub(crate) use told::{COUNT, SILENT, STRIKE, STRIKES, Told};
pub(crate) use votes::Votes;
