//! Rules that learn nothing.

use super::{Action, Contact, Rule};

/// As long as most sites that offer h3 to all do so: a day.
pub(crate) const MAX_AGE_S: u32 = 86_400;

/// All clients, or none.
#[derive(Debug)]
pub(crate) enum Always {
    H2,
    H3,
}

impl Rule for Always {
    const LEARNS: bool = false;

    fn answer(&mut self, _: &Contact) -> Action {
        match self {
            Always::H2 => Action::Nothing,
            Always::H3 => Action::Advertise {
                max_age_s: MAX_AGE_S,
            },
        }
    }
}

/// Knows the truth, and has only `Alt-Svc` to act on it: what a gateway could do at best.
#[derive(Debug)]
pub(crate) struct Informed;

impl Rule for Informed {
    const LEARNS: bool = false;

    fn answer(&mut self, contact: &Contact) -> Action {
        if contact.h3_is_better {
            Action::Advertise {
                max_age_s: MAX_AGE_S,
            }
        } else {
            Action::Clear
        }
    }
}
