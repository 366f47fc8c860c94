//! The public module's rule, as the h2load study's author describes it: a client whose TCP connection ever had a
//! retransmission is on a bad network and gets h3; a QUIC connection that lay idle has delivered little since the last
//! look, which is taken for a bad path, and its next request is answered with 505 and the client sent back to TCP. What it
//! decided last is in a cookie, so it is of the client and not of its address.

use super::always::MAX_AGE_S;
use super::{Action, Contact, Rule};
use crate::outcome::Seen;

/// From how long on idleness is taken for a bad path: a guess, the module looks at rates between requests.
const IDLE_MS: u64 = 10_000;

/// By client.
#[derive(Debug)]
pub(crate) struct PublicModule(Vec<State>);

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// What the cookie says.
    upgraded: bool,
    /// Whether this TCP connection had a retransmission.
    retransmitted: bool,
}

impl PublicModule {
    pub(crate) fn new(clients: usize) -> Self {
        PublicModule(vec![State::default(); clients])
    }
}

impl Rule for PublicModule {
    fn answer(&mut self, contact: &Contact) -> Action {
        let Some(state) = self.0.get_mut(contact.client as usize) else {
            return Action::Nothing;
        };
        if contact.quic && contact.idle_ms > IDLE_MS {
            state.upgraded = false;
            return Action::Refuse;
        }
        if !contact.quic && contact.new_connection {
            state.retransmitted = false;
        }
        state.upgraded |= state.retransmitted || contact.quic;
        if state.upgraded {
            Action::Advertise {
                max_age_s: MAX_AGE_S,
            }
        } else {
            Action::Nothing
        }
    }

    fn learn(&mut self, contact: &Contact, seen: &Seen) {
        if let Some(state) = self.0.get_mut(contact.client as usize) {
            state.retransmitted |= !contact.quic && seen.lost > 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(quic: bool, idle_ms: u64, new_connection: bool) -> Contact {
        Contact {
            client: 0,
            address: [1, 0, 0, 1],
            control: None,
            quic,
            now_ms: 0,
            new_connection,
            idle_ms,
            h3_is_better: false,
        }
    }

    fn seen(lost: u32) -> Seen {
        Seen {
            lost,
            ..Seen::default()
        }
    }

    #[test]
    fn one_lost_packet_brings_a_client_to_h3_for_good() {
        let mut rule = PublicModule::new(1);
        let tcp = contact(false, 0, true);
        assert_eq!(rule.answer(&tcp), Action::Nothing);
        rule.learn(&tcp, &seen(1));
        assert!(matches!(
            rule.answer(&contact(false, 0, false)),
            Action::Advertise { .. }
        ));
        assert!(matches!(rule.answer(&tcp), Action::Advertise { .. }));
    }

    #[test]
    fn idleness_fails_a_request_and_takes_the_client_back() {
        let mut rule = PublicModule::new(1);
        let tcp = contact(false, 0, true);
        rule.learn(&tcp, &seen(1));
        rule.answer(&contact(false, 0, false));
        assert_eq!(
            rule.answer(&contact(true, IDLE_MS + 1, false)),
            Action::Refuse
        );
        assert_eq!(rule.answer(&tcp), Action::Nothing);
    }
}
