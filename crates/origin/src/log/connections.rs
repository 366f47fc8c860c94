//! Which connections were made, and how the origin's end of each is set up.

use std::collections::HashMap;
use std::fmt;

use pronghorn_http::{Protocol, QuicCongestionControl, QuicSettings, Settings};
use schemars::JsonSchema;
use serde::Serialize;

/// Connections that are entered one by one where the log is bounded.
const BOUND: usize = 100;

/// One connection as the origin saw it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "ServedConnection")]
pub struct ConnectionEntry {
    /// The protocol that ALPN chose, or in the clear the client's first bytes.
    pub protocol: Protocol,
    /// Whether it runs over TLS. False in the clear.
    pub tls: bool,
    /// The congestion controller of the origin's end, read back. Null where it can't be.
    pub congestion_controller: Option<String>,
    /// Bytes of the socket's receive buffer as SO_RCVBUF tells, twice those asked for. Null over TCP.
    pub udp_receive_buffer: Option<usize>,
    /// How the origin's end is set up.
    pub settings: Settings,
}

/// How many connections there were of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ConnectionCount {
    /// Their protocol.
    pub protocol: Protocol,
    /// Whether they ran over TLS.
    pub tls: bool,
    /// How many they were.
    pub connections: u64,
}

/// A connection of which more can be learnt as long as it is open.
pub(crate) struct Open {
    /// The stack's own number of it.
    pub(crate) number: u64,
    /// Reads back which controller it runs, and how it is set up now.
    pub(crate) read: Box<dyn Fn() -> (Option<QuicCongestionControl>, QuicSettings) + Send>,
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// A connection's entry, and what can be learnt of it yet.
#[derive(Debug)]
struct Connected {
    entry: ConnectionEntry,
    open: Option<Open>,
}

impl Connected {
    fn look(&mut self) -> &ConnectionEntry {
        if let Some(open) = &self.open {
            let (control, settings) = (open.read)();
            self.entry.congestion_controller = control.map(|name| name.to_string());
            self.entry.settings = Settings::Quic(settings);
        }
        &self.entry
    }
}

/// The connections so far whose handshake was finished.
#[derive(Debug)]
pub(super) struct Connections {
    bound: usize,
    entered: Vec<Connected>,
    /// Where those stand of which more can be learnt, by the stack's number.
    open: HashMap<u64, usize>,
    counts: Vec<ConnectionCount>,
}

impl Connections {
    /// None yet; all are to be entered, or the first ones.
    pub(super) fn new(bounded: bool) -> Connections {
        Connections {
            bound: if bounded { BOUND } else { usize::MAX },
            entered: Vec::new(),
            open: HashMap::new(),
            counts: Vec::new(),
        }
    }

    /// Enters a connection, which is held open, if it is one of which more can be learnt, until [`Connections::ended`].
    pub(super) fn enter(&mut self, entry: ConnectionEntry, open: Option<Open>) {
        let alike = |count: &&mut ConnectionCount| {
            count.protocol == entry.protocol && count.tls == entry.tls
        };
        match self.counts.iter_mut().find(alike) {
            Some(count) => count.connections += 1,
            None => self.counts.push(ConnectionCount {
                protocol: entry.protocol,
                tls: entry.tls,
                connections: 1,
            }),
        }
        if self.entered.len() >= self.bound {
            return;
        }
        if let Some(open) = &open {
            self.open.insert(open.number, self.entered.len());
        }
        self.entered.push(Connected { entry, open });
    }

    /// Looks at a connection for the last time, and lets go of it.
    pub(super) fn ended(&mut self, number: u64) {
        let place = self.open.remove(&number);
        if let Some(connected) = place.and_then(|place| self.entered.get_mut(place)) {
            connected.look();
            connected.open = None;
        }
    }

    pub(super) fn entries(&mut self) -> Vec<ConnectionEntry> {
        let entered = self.entered.iter_mut();
        entered.map(|connected| connected.look().clone()).collect()
    }

    pub(super) fn counts(&self) -> Vec<ConnectionCount> {
        self.counts.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(protocol: Protocol) -> ConnectionEntry {
        ConnectionEntry {
            protocol,
            tls: true,
            congestion_controller: None,
            udp_receive_buffer: None,
            settings: Settings::default(),
        }
    }

    #[test]
    fn a_bounded_log_counts_all_and_enters_the_first() {
        for (bounded, entered) in [(false, 1500), (true, BOUND)] {
            let mut connections = Connections::new(bounded);
            for _ in 0..500 {
                connections.enter(entry(Protocol::H1), None);
                connections.enter(entry(Protocol::H2), None);
                connections.enter(entry(Protocol::H2), None);
            }
            assert_eq!(connections.entries().len(), entered);
            let counts = connections.counts();
            let told: Vec<_> = counts.iter().map(|c| (c.protocol, c.connections)).collect();
            assert_eq!(told, [(Protocol::H1, 500), (Protocol::H2, 1000)]);
        }
    }
}
