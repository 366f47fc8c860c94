//! Loads in the client's host: awaited, or running on while other things are done.

use std::sync::mpsc;
use std::thread::JoinHandle;

use pronghorn_bench::{Side, in_guest};
use pronghorn_load::{Load, LoadError, LoadReport, LoadSpec, Stop};

use crate::answer::Fault;
use crate::hosts::Hosts;

/// A load that runs until it is over, or is dropped.
pub(crate) struct Generating {
    stop: Stop,
    thread: Option<JoinHandle<Result<LoadReport, LoadError>>>,
}

impl Generating {
    /// Starts it on a host; an address that isn't named is the server's.
    pub(crate) fn start(hosts: &Hosts, mut spec: LoadSpec) -> Result<Self, Fault> {
        let server = hosts.get(Side::Server).address();
        if spec.unix_socket.is_none() {
            spec.address = spec.address.or(Some(server));
        }
        // A guest's threads share one CPU whose work takes no time, and each look at the clock would.
        let round_trip = hosts.least_round_trip().filter(|_| !in_guest());
        let (ready, prepared) = mpsc::channel();
        let work = move || {
            let load = Load::new(&spec)?;
            let load = match round_trip {
                Some(round_trip) => load.across(round_trip),
                None => load,
            };
            // The other end waits for it.
            let _ = ready.send(load.stop());
            load.run(|_| {})
        };
        let thread = hosts
            .get(Side::Client)
            .thread("generate", work)
            .map_err(Fault::bench)?;
        match prepared.recv() {
            Ok(stop) => Ok(Generating {
                stop,
                thread: Some(thread),
            }),
            // It was refused.
            Err(_) => match join(thread) {
                Err(fault) => Err(fault),
                Ok(_) => Err(Fault::bench("the load ended before it began")),
            },
        }
    }

    /// Waits for its end, which `now` brings about; what was.
    pub(crate) fn finish(mut self, now: bool) -> Result<LoadReport, Fault> {
        if now {
            self.stop.now();
        }
        match self.thread.take() {
            Some(thread) => join(thread),
            None => Err(Fault::bench("the load is over")),
        }
    }
}

impl Drop for Generating {
    fn drop(&mut self) {
        self.stop.now();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn join(thread: JoinHandle<Result<LoadReport, LoadError>>) -> Result<LoadReport, Fault> {
    match thread.join() {
        Ok(result) => result.map_err(|error| Fault::load(&error)),
        Err(_) => Err(Fault::bench("the load panicked; its message is on stderr")),
    }
}
