//! A program that runs on a host.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::SigSet;

use crate::error::SpawnError;
use crate::processes::names;

/// What to run, and with which surroundings.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The command line; the program is looked for along PATH.
    pub argv: Vec<OsString>,
    /// Variables added to the engine's own environment, or all that it has.
    pub env: Vec<(OsString, OsString)>,
    /// Whether it has nothing of the engine's own environment, in which may be what is no business of it.
    pub env_alone: bool,
    /// The file that stdout is appended to; `None` discards it.
    pub stdout: Option<PathBuf>,
    /// The file that stderr is appended to, maybe the same; `None` discards it.
    pub stderr: Option<PathBuf>,
    /// The working directory; `None` is the engine's.
    pub directory: Option<PathBuf>,
    /// Whether it looks up names at the bench's server (port 53, UDP and TCP) and nowhere else, as far as the C
    /// library or `/etc/resolv.conf` decide.
    pub resolver: bool,
    /// What it shares with the engine.
    pub attached: Attached,
}

/// What a program shares with the engine that starts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attached {
    /// Nothing: its stdin is empty, its output goes where [`Program`] says.
    #[default]
    Apart,
    /// The engine's stderr takes both of its outputs.
    Stderr,
    /// Stdin, stdout, stderr and the process group, so that the terminal's signals reach it.
    Terminal,
}

/// A running program, the leader of a process group of its own unless it is attached to the engine's
/// terminal. Handles can be cloned; dropping
/// them ends nothing, closing the bench does.
#[derive(Clone, Debug)]
pub struct Process(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pid: i32,
    leader: bool,
    pidfd: Option<OwnedFd>,
    child: Mutex<Child>,
}

impl Process {
    /// Starts a program in the namespaces of the calling thread, with whose end it is killed.
    pub(crate) fn start(program: &Program) -> Result<Process, SpawnError> {
        let (name, arguments) = program.argv.split_first().ok_or(SpawnError::Empty)?;
        let mut command = Command::new(name);
        if program.env_alone {
            command.env_clear();
        }
        if program.resolver {
            for variable in names::VARIABLES {
                command.env_remove(variable);
            }
        }
        command
            .args(arguments)
            .envs(program.env.iter().map(|(key, value)| (key, value)));
        match program.attached {
            Attached::Apart => command
                .stdin(Stdio::null())
                .stdout(output(program.stdout.as_deref())?)
                .stderr(output(program.stderr.as_deref())?),
            Attached::Stderr => command
                .stdin(Stdio::null())
                .stdout(std::io::stderr())
                .stderr(Stdio::inherit()),
            Attached::Terminal => &mut command,
        };
        let leader = program.attached != Attached::Terminal;
        if leader {
            command.process_group(0);
        }
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let engine = std::process::id() as i32;
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            command.pre_exec(move || {
                SigSet::empty().thread_set_mask()?;
                Errno::result(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
                // An engine that ended before that sends no signal any more.
                if libc::getppid() == engine {
                    Ok(())
                } else {
                    Err(Errno::ESRCH.into())
                }
            });
        }
        let child = command.spawn().map_err(|source| SpawnError::Start {
            program: name.to_string_lossy().into_owned(),
            source,
        })?;
        let pid = child.id() as i32;
        // SAFETY: a plain system call; the descriptor it returns is ours alone.
        let pidfd = unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
            (fd >= 0).then(|| OwnedFd::from_raw_fd(fd as i32))
        };
        Ok(Process(Arc::new(Inner {
            pid,
            leader,
            pidfd,
            child: Mutex::new(child),
        })))
    }

    /// The process number, as seen in the engine's PID namespace.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.0.pid as u32
    }

    /// Waits until the program ends, at most `timeout` (`None`: without limit). `Ok(None)`: it still
    /// runs. Asked again, an ended program gives the same status.
    pub fn wait(&self, timeout: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            if let Some(status) = self.child().try_wait()? {
                return Ok(Some(status));
            }
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            self.sleep_until_end(left)?;
        }
    }

    /// Sends a signal to the program while it runs; SIGKILL goes to its whole process group,
    /// if that is its own.
    /// `ESRCH` where it has ended, `EINVAL` for a number that is no signal.
    pub fn signal(&self, number: i32) -> io::Result<()> {
        let mut child = self.child();
        if child.try_wait()?.is_some() {
            return Err(Errno::ESRCH.into());
        }
        let whom = if number == libc::SIGKILL && self.0.leader {
            -self.0.pid
        } else {
            self.0.pid
        };
        // SAFETY: a plain system call; the child is not reaped, so the number is still its own.
        let done = unsafe { libc::kill(whom, number) };
        Errno::result(done).map(drop).map_err(io::Error::from)
    }

    fn sleep_until_end(&self, at_most: Option<Duration>) -> io::Result<()> {
        let Some(pidfd) = &self.0.pidfd else {
            std::thread::sleep(at_most.unwrap_or(POLLING).min(POLLING));
            return Ok(());
        };
        let rounded_up = |left: Duration| {
            let millis = left.as_nanos().div_ceil(1_000_000);
            PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
        };
        let timeout = at_most.map_or(PollTimeout::NONE, rounded_up);
        match poll(
            &mut [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)],
            timeout,
        ) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.0.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often a process is looked at where the kernel has no pidfd (before Linux 5.3).
const POLLING: Duration = Duration::from_millis(2);

fn output(path: Option<&Path>) -> Result<Stdio, SpawnError> {
    let open = |path: &Path| -> io::Result<File> {
        OpenOptions::new().append(true).create(true).open(path)
    };
    path.map_or(Ok(Stdio::null()), |path| {
        open(path)
            .map(Stdio::from)
            .map_err(|source| SpawnError::Output {
                path: path.to_owned(),
                source,
            })
    })
}
