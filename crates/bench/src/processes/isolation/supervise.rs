//! The two small processes above the engine: the supervisor outside, init inside the PID namespace.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, pthread_sigmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{ForkResult, Pid, fork, getppid, pipe2};

use super::private;

/// What the supervisor, sent by others, hands on to the engine.
pub const FORWARDED_SIGNALS: [Signal; 6] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// A `wait(2)` status as the kernel gives it.
type RawStatus = i32;

/// Puts the engine under a supervisor and, with `pid_namespace`, under an init in a new PID
/// namespace. Returns in the engine only; the other processes end when it ends.
///
/// Fails, in the calling process and with nothing changed but its signal mask, where the PID
/// namespace or the first child can't be had.
pub(super) fn split(pid_namespace: bool) -> Result<(), Errno> {
    let parent = getppid();
    let parent_alive = pidfd(parent);
    let mut watched = SigSet::from_iter(FORWARDED_SIGNALS);
    watched.add(Signal::SIGCHLD);
    let mut before = SigSet::empty();
    pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&watched), Some(&mut before))?;
    let (status_reader, status_writer) = pipe2(OFlag::O_CLOEXEC)?;
    if pid_namespace {
        unshare(CloneFlags::CLONE_NEWPID)?;
    }
    // SAFETY: the process is single-threaded (see `enter`), so the child may do anything.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => {
            drop(status_writer);
            supervise(child, parent, parent_alive, &watched, status_reader)
        }
        ForkResult::Child => {
            drop((parent_alive, status_reader));
            die_with_parent(status_writer.as_fd());
            if pid_namespace {
                private_proc();
                // SAFETY: as above.
                match unsafe { fork() } {
                    Ok(ForkResult::Parent { child }) => init(child, &watched, status_writer),
                    Ok(ForkResult::Child) => {}
                    Err(errno) => {
                        eprintln!("the engine could not be started: {}", errno.desc());
                        std::process::exit(3);
                    }
                }
            }
            drop(status_writer);
            pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&before), None)
        }
    }
}

/// Forwards signals to `child` and ends as the engine ended.
fn supervise(
    child: Pid,
    parent: Pid,
    parent_alive: Option<OwnedFd>,
    watched: &SigSet,
    status: OwnedFd,
) -> ! {
    retire_to("pronghorn-super");
    // A parent's *thread* that ends would fire PDEATHSIG too, so the pidfd is preferred; a parent
    // outside our PID namespace (0) has none.
    if parent_alive.is_none() {
        let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    }
    let _ = prctl::set_child_subreaper(true);
    let parent_gone = || getppid() != parent;
    let direct = if parent_gone() {
        None
    } else {
        let alive = parent_alive
            .as_ref()
            .map(|fd| (fd.as_fd(), PollFlags::POLLIN));
        oversee(child, watched, alive)
    };
    if direct.is_none() {
        let _ = kill(child, Signal::SIGKILL);
    }
    sweep();
    private::remove();
    let mut told = [0; size_of::<RawStatus>()];
    let reported = fs::File::from(status).read_exact(&mut told);
    end_as(match (reported, direct) {
        (Ok(()), _) => RawStatus::from_ne_bytes(told),
        (Err(_), Some(status)) => status,
        (Err(_), None) => libc::SIGKILL,
    })
}

/// PID 1 of the namespace: reaps orphans until the engine has ended, and takes all else with it.
fn init(engine: Pid, watched: &SigSet, status: OwnedFd) -> ! {
    retire_to("pronghorn-init");
    let supervisor_alive = (status.as_fd(), PollFlags::empty());
    if let Some(raw) = oversee(engine, watched, Some(supervisor_alive)) {
        let _ = fs::File::from(status).write_all(&raw.to_ne_bytes());
    }
    std::process::exit(0)
}

/// Forwards signals to `child` and reaps whatever ends, until `child` has ended (its status) or
/// `alive` reports that the process above is gone (`None`).
fn oversee(
    child: Pid,
    watched: &SigSet,
    alive: Option<(BorrowedFd<'_>, PollFlags)>,
) -> Option<RawStatus> {
    let signals =
        SignalFd::with_flags(watched, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK).ok()?;
    loop {
        let mut fds = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        fds.extend(alive.map(|(fd, events)| PollFd::new(fd, events)));
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
        if fds.get(1).and_then(PollFd::any) == Some(true) {
            return None;
        }
        while let Ok(Some(signal)) = signals.read_signal() {
            match Signal::try_from(signal.ssi_signo as i32) {
                Ok(Signal::SIGCHLD) => {
                    if let Some(status) = reap(child) {
                        return Some(status);
                    }
                }
                // What a terminal sends (SI_KERNEL), the whole process group has got already.
                Ok(other) if signal.ssi_code != libc::SI_KERNEL => {
                    let _ = kill(child, other);
                }
                _ => {}
            }
        }
    }
}

/// Reaps all that has ended; the status of `child` where it is among them.
fn reap(child: Pid) -> Option<RawStatus> {
    let mut found = None;
    loop {
        let mut status: RawStatus = 0;
        // SAFETY: `status` outlives the call.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
        if pid <= 0 {
            return found;
        }
        if pid == child.as_raw() {
            found = Some(status);
        }
    }
}

/// Kills and reaps what is left below this process, which as subreaper inherits every orphan.
fn sweep() {
    loop {
        // Absent in kernels without CONFIG_PROC_CHILDREN: then PDEATHSIG alone has to do.
        let children = fs::read_to_string("/proc/thread-self/children");
        let patience = if children.is_ok() { 0 } else { libc::WNOHANG };
        for pid in children
            .iter()
            .flat_map(|pids| pids.split_ascii_whitespace())
        {
            if let Ok(pid) = pid.parse() {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
        // SAFETY: no status is asked for.
        let waited = unsafe { libc::waitpid(-1, std::ptr::null_mut(), patience) };
        if waited == 0 || (waited < 0 && Errno::last() != Errno::EINTR) {
            return;
        }
    }
}

/// Has the kernel kill this process when its parent ends, also where that has happened already:
/// `pipe` is the writing end of a pipe of which the parent alone holds the reading one.
fn die_with_parent(pipe: BorrowedFd<'_>) {
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    let mut fds = [PollFd::new(pipe, PollFlags::empty())];
    if poll(&mut fds, PollTimeout::ZERO).is_ok() && fds[0].any() == Some(true) {
        std::process::exit(1);
    }
}

/// Mounts a `/proc` that shows the new PID namespace, in a mount namespace of its own. Where that
/// is refused (masked `/proc` in a container) the old one stays and shows outer process numbers.
fn private_proc() {
    if unshare(CloneFlags::CLONE_NEWNS).is_err() {
        return;
    }
    let nothing = None::<&str>;
    if mount(
        nothing,
        "/",
        nothing,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        nothing,
    )
    .is_ok()
    {
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        let _ = mount(Some("proc"), "/proc", Some("proc"), flags, nothing);
    }
}

/// Names this process and lets go of the engine's stdin, stdout and stderr, whose other ends must
/// see them closed as soon as the engine closes them.
fn retire_to(name: &str) {
    if let Ok(name) = std::ffi::CString::new(name) {
        let _ = prctl::set_name(&name);
    }
    if let Ok(null) = fs::File::options().read(true).write(true).open("/dev/null") {
        let _ = nix::unistd::dup2_stdin(&null);
        let _ = nix::unistd::dup2_stdout(&null);
        let _ = nix::unistd::dup2_stderr(&null);
    }
}

/// Ends this process as the one with this status ended: same exit code, or same signal.
fn end_as(status: RawStatus) -> ! {
    if libc::WIFSIGNALED(status) {
        let number = libc::WTERMSIG(status);
        let no_core = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: plain system calls on this single-threaded process's own state.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core);
            libc::signal(number, libc::SIG_DFL);
            let mut all = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::sigprocmask(libc::SIG_UNBLOCK, &raw const all, std::ptr::null_mut());
            libc::raise(number);
        }
        std::process::exit(128 + number);
    }
    std::process::exit(libc::WEXITSTATUS(status))
}

/// A descriptor that becomes readable when the process ends; `None` where the kernel has none.
fn pidfd(pid: Pid) -> Option<OwnedFd> {
    // SAFETY: a plain system call; the descriptor it returns is ours alone.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd as i32))
    }
}
