//! The programs that were started on the hosts, by the numbers that requests name them with.

use std::collections::HashMap;
use std::process::ExitStatus;
use std::time::Duration;

use pronghorn_bench::{Port, Process, Program, SpawnError};

use crate::answer::Fault;
use crate::answers::{Listened, Spawned, Waited};
use crate::hosts::Hosts;
use crate::recording::Recording;
use crate::{request, secrets};

/// All that were started since the engine began, but for those of benches that are closed.
#[derive(Default)]
pub(crate) struct Processes {
    running: HashMap<u64, Process>,
    started: u64,
}

impl Processes {
    /// Starts a program; where the path is recorded it is asked for its TLS secrets.
    pub(crate) fn spawn(
        &mut self,
        request: request::Spawn,
        hosts: &Hosts,
        recording: Option<&mut Recording>,
    ) -> Result<Spawned, Fault> {
        let host = hosts.get(request.host.into());
        let mut program = Program {
            argv: request.argv.into_iter().map(Into::into).collect(),
            env: request
                .env
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            env_alone: !request.inherit,
            stdout: request.stdout,
            stderr: request.stderr,
            directory: request.directory,
            resolver: request.resolver,
            ..Program::default()
        };
        if let Some(recording) = recording {
            let named = program
                .env
                .iter()
                .rev()
                .find(|(name, _)| name == secrets::VARIABLE)
                .map(|(_, file)| file.clone())
                .or_else(|| request.inherit.then(secrets::named_by_ours).flatten());
            let added = recording.instruct(named).map_err(Fault::bench)?;
            program.env.push(added);
        }
        let process = host.spawn(program).map_err(|error| match error {
            SpawnError::Resolver { .. } => Fault::host(error, None),
            error => Fault::input(error),
        })?;
        self.started += 1;
        let spawned = Spawned {
            process: self.started,
            pid: process.pid(),
        };
        self.running.insert(self.started, process);
        Ok(spawned)
    }

    pub(crate) fn wait(&self, process: u64, timeout_s: f64) -> Result<Waited, Fault> {
        let timeout = timeout(timeout_s)?;
        let status = self
            .get(process)?
            .wait(Some(timeout))
            .map_err(Fault::bench)?;
        let status = status.map(exit_status);
        Ok(Waited { status })
    }

    pub(crate) fn kill(&self, process: u64, signal: Option<i32>) -> Result<(), Fault> {
        let signal = signal.unwrap_or(libc::SIGKILL);
        self.get(process)?.signal(signal).map_err(Fault::bench)
    }

    /// Waits until something is bound to a port, or a process that should do so has ended.
    pub(crate) fn await_port(
        &self,
        request: request::Listening,
        hosts: &Hosts,
    ) -> Result<Listened, Fault> {
        if !request.tcp && !request.udp {
            return Err(Fault::input(
                "neither tcp nor udp is to be listened to; ask for one of them",
            ));
        }
        let port = Port {
            number: request.port,
            tcp: request.tcp,
            udp: request.udp,
        };
        let process = request.process.map(|number| self.get(number)).transpose()?;
        let listening = hosts
            .get(request.host.into())
            .wait_bound(port, process, timeout(request.timeout_s)?)
            .map_err(Fault::bench)?;
        let status = match process {
            Some(process) => process.wait(Some(Duration::ZERO)).map_err(Fault::bench)?,
            None => None,
        };
        let status = status.map(exit_status);
        Ok(Listened { listening, status })
    }

    /// Forgets all of them; their numbers aren't given again.
    pub(crate) fn forget(&mut self) {
        self.running.clear();
    }

    fn get(&self, number: u64) -> Result<&Process, Fault> {
        let unknown = || Fault::input(format!("no process {number} was spawned in this bench"));
        self.running.get(&number).ok_or_else(unknown)
    }
}

fn timeout(timeout_s: f64) -> Result<Duration, Fault> {
    Duration::try_from_secs_f64(timeout_s)
        .map_err(|error| Fault::input(format!("timeout_s = {timeout_s}: {error}")))
}

/// An exit code, or the negative number of the signal that ended it.
fn exit_status(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status
        .code()
        .unwrap_or_else(|| -status.signal().unwrap_or(0))
}
