//! A thread that lives in a host's network namespace and does there what others ask of it.
//!
//! What it starts (threads, processes) and opens (sockets) belongs to its namespace without any
//! `setns`, and the namespace lives at least as long as it does. Since PDEATHSIG follows the
//! *thread* that forked, processes which it starts end with it, not with some passing worker.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use nix::sched::{CloneFlags, unshare};

use crate::error::BenchError;

type Job = Box<dyn FnOnce() + Send>;

pub(crate) struct Keeper {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// A keeper in a new network namespace.
    pub(crate) fn in_new_namespace(name: &str) -> Result<Keeper, BenchError> {
        let keeper = Keeper::here(name).map_err(BenchError::Threads)?;
        keeper
            .run(|| unshare(CloneFlags::CLONE_NEWNET))
            .map_err(BenchError::Namespace)?;
        Ok(keeper)
    }

    /// A keeper in the network namespace of the caller.
    pub(crate) fn here(name: &str) -> io::Result<Keeper> {
        let (jobs, queue) = channel::<Job>();
        let thread = Builder::new().name(name.to_owned()).spawn(move || {
            for job in queue {
                job();
            }
        })?;
        Ok(Keeper {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Runs `work` in the keeper's thread and waits for what it returns; it should be short. A
    /// panic in it is the caller's.
    pub(crate) fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, receiver) = channel();
        let job = Box::new(move || {
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        });
        let asked = self
            .jobs
            .as_ref()
            .is_some_and(|jobs| jobs.send(job).is_ok());
        match receiver.recv() {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => unreachable!("a keeper lives until it is dropped (asked: {asked})"),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
