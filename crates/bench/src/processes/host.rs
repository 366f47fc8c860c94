//! One of a bench's two hosts: a network namespace and what runs in it.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{BenchError, SpawnError};
use crate::network::addressing::Addressing;
use crate::network::connections::{Connection, connections_here};
use crate::processes::evict;
use crate::processes::keeper::Keeper;
use crate::processes::listening::Port;
use crate::processes::names;
use crate::processes::process::{Process, Program};
use crate::side::Side;

/// A place with a network of its own, in which threads and processes run.
///
/// Sockets belong to the host in whose threads they are made, and stay there wherever they are used.
pub struct Host {
    address: IpAddr,
    isolated: bool,
    keeper: Keeper,
    processes: Mutex<Vec<Process>>,
    names: Names,
}

/// Where a host's programs look up names if they are to do so at the bench's server.
struct Names {
    /// The server's address; `None` where there is no bench.
    server: Option<IpAddr>,
    /// Starts such programs, from the first one on.
    keeper: Mutex<Option<Keeper>>,
}

impl Host {
    /// A host with a new, empty network namespace.
    pub(crate) fn isolated(side: Side, addressing: Addressing) -> Result<Host, BenchError> {
        let keeper = Keeper::in_new_namespace(&format!("{}-host", side.name()))?;
        Ok(Host {
            address: addressing.address(side),
            isolated: true,
            keeper,
            processes: Mutex::default(),
            names: Names {
                server: Some(addressing.address(Side::Server)),
                keeper: Mutex::default(),
            },
        })
    }

    /// The machine itself as a host, reached over loopback: for loads without an emulated path.
    /// Fails where no thread can be started.
    pub fn local() -> io::Result<Host> {
        Ok(Host {
            address: Ipv4Addr::LOCALHOST.into(),
            isolated: false,
            keeper: Keeper::here("local-host")?,
            processes: Mutex::default(),
            names: Names {
                server: None,
                keeper: Mutex::default(),
            },
        })
    }

    /// The address by which the other host reaches this one.
    #[must_use]
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Starts a thread on this host. Threads that it starts are on the host as well.
    ///
    /// A host's network lives until its last thread, process and socket are gone, beyond the end
    /// of the bench. Fails where the machine denies another thread.
    pub fn thread<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        let builder = Builder::new().name(name.to_owned());
        self.keeper.run(move || builder.spawn(work))
    }

    /// Does something short on this host and waits for it, such as binding a socket.
    pub fn within<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        self.keeper.run(work)
    }

    /// Starts a program on this host. It is killed, with all that it has started, when the bench
    /// closes.
    pub fn spawn(&self, program: Program) -> Result<Process, SpawnError> {
        let process = if program.resolver {
            self.names.start(program, &self.keeper)?
        } else {
            self.keeper.run(move || Process::start(&program))?
        };
        self.started().push(process.clone());
        Ok(process)
    }

    /// Waits until something is bound to `port` on this host, `process` has ended or `timeout` has passed; whether
    /// something is. Whose socket it is isn't asked. Fails where the kernel's tables can't be read.
    pub fn wait_bound(
        &self,
        port: Port,
        process: Option<&Process>,
        timeout: Duration,
    ) -> io::Result<bool> {
        let asked = Instant::now();
        loop {
            let ended = match process {
                Some(process) => process.wait(Some(Duration::ZERO))?.is_some(),
                None => false,
            };
            if self.keeper.run(move || port.is_bound_here())? {
                return Ok(true);
            }
            let left = timeout.saturating_sub(asked.elapsed());
            if ended || left.is_zero() {
                return Ok(false);
            }
            let pause = left.min(BETWEEN_LOOKS);
            match process {
                Some(process) => drop(process.wait(Some(pause))?),
                None => std::thread::sleep(pause),
            }
        }
    }

    /// The TCP connections that this host has now. Fails where the kernel doesn't tell.
    pub fn connections(&self) -> io::Result<Vec<Connection>> {
        self.keeper.run(connections_here).map_err(io::Error::from)
    }

    /// Kills and reaps every program that was started here, and, in a network of its own, whatever
    /// else runs in it outside of this process.
    pub(crate) fn evict(&self) {
        let processes = std::mem::take(&mut *self.started());
        for process in &processes {
            let _ = process.signal(libc::SIGKILL);
        }
        if self.isolated {
            self.keeper.run(evict::evict_strangers);
        }
        for process in &processes {
            let _ = process.wait(Some(Duration::from_secs(1)));
        }
    }

    fn started(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Names {
    /// Starts a program that looks up names at the server, in the network namespace of `host`.
    fn start(&self, program: Program, host: &Keeper) -> Result<Process, SpawnError> {
        let server = self.server.ok_or(SpawnError::MachinesResolver)?;
        let mut ready = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let keeper = match ready.take() {
            Some(keeper) => keeper,
            None => {
                let keeper = host.run(|| Keeper::here("host-names"));
                let keeper = keeper.map_err(|source| SpawnError::Resolver {
                    doing: "start a thread".to_owned(),
                    source,
                })?;
                keeper.run(move || names::look_up_at(server))?;
                keeper
            }
        };
        ready.insert(keeper).run(move || Process::start(&program))
    }
}

/// How long a port is left alone before it is looked at again: little beside a server's start, and much beside the
/// tenth of a millisecond that a look costs.
const BETWEEN_LOOKS: Duration = Duration::from_millis(4);

impl Drop for Host {
    fn drop(&mut self) {
        self.evict();
    }
}
