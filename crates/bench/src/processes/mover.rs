//! Changes the client's address when the path hands it over to another network.
//!
//! The links' drivers tell when; a thread of the client's host does it, since a driver must not wait for the kernel.

use std::net::IpAddr;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use pronghorn_path::Time;
use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::now;
use crate::clock::seconds;
use crate::error::BenchError;
use crate::network::setup::{self, Setup};
use crate::processes::host::Host;
use crate::processes::priority;
use crate::side::Side;

/// A handover that happened.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct HandoverReport {
    /// The client's address since.
    pub address: IpAddr,
    /// How long after the instant of the handover the client's kernel had that address alone, in seconds.
    pub late_s: f64,
}

/// Whom a driver tells that the client has left the first path, and when it did.
pub(crate) type Movement = Sender<Time>;

/// Which addresses the client has before and after.
#[derive(Clone, Debug)]
pub(crate) struct Addresses {
    pub(crate) setup: Setup,
}

impl Addresses {
    pub(crate) fn first(&self) -> IpAddr {
        self.setup.addressing.address(Side::Client)
    }

    pub(crate) fn second(&self) -> IpAddr {
        self.setup.addressing.address_after_handover()
    }

    fn change(&self, from: IpAddr, to: IpAddr) -> Result<(), BenchError> {
        setup::move_client(&self.setup, from, to)
    }
}

type Outcome = Arc<Mutex<Option<Result<HandoverReport, String>>>>;

/// A handle to the thread, which ends with it once the drivers don't hold its [`Movement`] any more.
pub(crate) struct Mover {
    addresses: Addresses,
    outcome: Outcome,
    thread: Option<JoinHandle<()>>,
}

impl Mover {
    /// Waits on the client's host for the first to tell of a movement. Fails where no thread can be had.
    pub(crate) fn start(
        client: &Host,
        addresses: Addresses,
    ) -> Result<(Mover, Movement), BenchError> {
        let (movement, told) = channel::<Time>();
        let outcome = Outcome::default();
        let (ours, result) = (addresses.clone(), Arc::clone(&outcome));
        let wait = move || {
            priority::raise();
            let Ok(moved) = told.recv() else {
                return;
            };
            let done = ours.change(ours.first(), ours.second());
            let late_ns = now().0.saturating_sub(moved.0);
            let report = done.map(|()| HandoverReport {
                address: ours.second(),
                late_s: seconds(late_ns),
            });
            *locked(&result) = Some(report.map_err(|error| error.to_string()));
        };
        let thread = client.thread("mover", wait).map_err(BenchError::Threads)?;
        let mover = Mover {
            addresses,
            outcome,
            thread: Some(thread),
        };
        Ok((mover, movement))
    }

    /// What has become of the handover, if it has been.
    pub(crate) fn outcome(&self) -> Option<Result<HandoverReport, String>> {
        locked(&self.outcome).clone()
    }

    /// Gives the client its first address again, once no driver holds the [`Movement`].
    pub(crate) fn undo(mut self, client: &Host) -> Result<(), BenchError> {
        self.join();
        match self.outcome() {
            Some(Ok(_)) => {
                let addresses = self.addresses.clone();
                client.within(move || addresses.change(addresses.second(), addresses.first()))
            }
            _ => Ok(()),
        }
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Mover {
    fn drop(&mut self) {
        self.join();
    }
}

fn locked(
    outcome: &Mutex<Option<Result<HandoverReport, String>>>,
) -> MutexGuard<'_, Option<Result<HandoverReport, String>>> {
    outcome.lock().unwrap_or_else(PoisonError::into_inner)
}
