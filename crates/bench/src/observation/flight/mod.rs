//! The flight recorder's TCP: every connection of both hosts, whoever's they are, as their kernels tell of them.
//!
//! One thread looks at both hosts, through sockets that belong to their network namespaces.

mod handshakes;
mod sockets;
mod tcp_info;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use pronghorn_flight::{End, Pace, Recorder, thread_cpu_time};
use pronghorn_path::Family;

use crate::error::BenchError;
use crate::processes::host::Host;
use sockets::Sockets;

/// A sampler of the hosts' TCP connections, which ends when this is dropped. It looks from when its recorder has begun.
pub(crate) struct Sampler {
    /// Gone when it is to end.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    /// Starts it; from now on it learns of connections.
    pub(crate) fn start(
        client: &Host,
        server: &Host,
        recorder: Arc<Recorder>,
    ) -> Result<Sampler, BenchError> {
        let of = |host: &Host, end| {
            let family = Family::from(host.address());
            let sockets = host.within(move || Sockets::here(end, family));
            sockets.map_err(|source| BenchError::Network {
                doing: "watch TCP connections",
                source,
            })
        };
        let mut hosts = [of(client, End::Client)?, of(server, End::Server)?];
        let (stop, stopped) = channel();
        let thread = Builder::new()
            .name("flight".into())
            .spawn(move || sample(&mut hosts, &recorder, &stopped))
            .map_err(BenchError::Threads)?;
        Ok(Sampler {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sample(hosts: &mut [Sockets], recorder: &Recorder, stopped: &Receiver<()>) {
    let mut pace = Pace::new(recorder.interval(), Instant::now());
    let mut used = thread_cpu_time();
    loop {
        let until = pace.due().saturating_duration_since(Instant::now());
        match stopped.recv_timeout(until) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
        let late = pace.look(Instant::now());
        for host in &mut *hosts {
            // Where a list failed, for want of memory, more handshakes than it was to make up for are rare.
            let _ = host.learn(Instant::now());
            if recorder.has_begun() {
                host.look(recorder);
            }
        }
        let now_used = thread_cpu_time();
        recorder.looked(now_used.saturating_sub(used), late);
        used = now_used;
    }
}
