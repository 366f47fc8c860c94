//! The engine as the first process of a guest: a User Mode Linux kernel of its own, whose clock is virtual.
//!
//! The channel to the control plane is a device whose read stops the whole guest, clock and all, until a line is there
//! (`hostaudio` of the kernel, which hands reads and writes on to a file of the host as they are). So no time passes
//! in the guest while nobody asks anything, and what happens in it depends on what is asked alone.
//!
//! The first line that comes tells how programs are to be started; from then on the protocol is the engine's. The last
//! line that goes is `{"ended": STATUS}`, the exit status of the engine.
//!
//! With `run FILE` as its arguments the first process runs the one program that the file names instead, whose stdin is the
//! channel and whose stdout and stderr are the guest's two consoles.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use nix::mount::{MsFlags, mount};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::wait::{WaitStatus, wait};
use nix::time::{ClockId, clock_getres};
use nix::unistd::{ForkResult, Pid, fork};
use serde::Deserialize;
use serde_json::json;

use crate::{panic, session};

/// The device that stops the guest.
const CHANNEL: &str = "/dev/dsp";

/// The file system in memory that is the guest's own.
const PRIVATE: &str = "/dev/guest";

/// Where the machine may keep files in memory.
const SHARED: &str = "/dev/shm";

/// How many files a program of the guest may open.
const OPEN_FILES: u64 = 1 << 20;

/// The least time between two ticks of a kernel (`HZ=1000`).
const TICK: Duration = Duration::from_millis(1);

/// How many of them may pass until a kernel's timers are fine; with `HZ=100` it takes ten.
const TICKS_AWAITED: u32 = 100;

/// What is read from the channel at once: it is copied through the guest's kernel.
const READ_AT_ONCE: usize = 16 * 1024;

/// What is written to the channel at once, for the same reason.
const WRITTEN_AT_ONCE: usize = 64 * 1024;

/// The first line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Boot {
    /// Of the engine, and so of what it starts.
    environment: BTreeMap<String, String>,
    /// Where both work.
    directory: PathBuf,
}

/// One program that runs in a guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    argv: Vec<String>,
    environment: BTreeMap<String, String>,
    directory: PathBuf,
    /// Whether it has a stdin.
    stdin: bool,
    /// The file that takes its exit status.
    result: PathBuf,
}

/// Runs as the guest's first process, and switches the guest off in the end.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if std::process::id() != 1 {
        eprintln!("pronghorn-engine guest: this is for the first process of a guest's kernel");
        return ExitCode::from(2);
    }
    let ended = wait_for_fine_timers().and_then(|()| match arguments {
        [word, program, ..] if word == "run" => run_program(program),
        // The kernel may add words of its own.
        _ => start(),
    });
    if let Err(error) = ended {
        eprintln!("the guest broke: {error}");
    }
    // The kernel is all there is to go back to.
    // SAFETY: takes a number; nothing of this process is of use afterwards.
    unsafe { libc::reboot(libc::LINUX_REBOOT_CMD_POWER_OFF) };
    ExitCode::FAILURE
}

/// Makes of the machine's files the guest's own system.
fn prepare() -> io::Result<()> {
    let shares = Path::new(SHARED).is_dir();
    for (kind, at) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev")] {
        mount_at(kind, at, "")?;
    }
    fs::create_dir_all(PRIVATE)?;
    mount_at("tmpfs", PRIVATE, "mode=0755")?;
    // The guest's own devices hide what the machine has there.
    if shares {
        fs::create_dir_all(SHARED)?;
        mount_at("hostfs", SHARED, SHARED)?;
    }
    raise_loopback()?;
    let _ = setrlimit(Resource::RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES);
    Ok(())
}

/// Waits until timers end when they are due. Those of a kernel that has just started end on its first tick, up to 4 ms
/// (`HZ=250`) late, and so would a path's first packet.
fn wait_for_fine_timers() -> io::Result<()> {
    for _ in 0..TICKS_AWAITED {
        // The kernel tells here how finely its timers end.
        if Duration::from(clock_getres(ClockId::CLOCK_MONOTONIC)?) < TICK {
            return Ok(());
        }
        thread::sleep(TICK);
    }
    Err(io::Error::other(
        "its kernel's timers end on ticks: it lacks CONFIG_HIGH_RES_TIMERS",
    ))
}

fn start() -> io::Result<()> {
    prepare()?;
    let mut channel = BufReader::with_capacity(READ_AT_ONCE, File::open(CHANNEL)?);
    let mut answers = File::options().write(true).open(CHANNEL)?;
    let mut first = String::new();
    channel.read_line(&mut first)?;
    let boot: Boot = serde_json::from_str(&first)?;
    // SAFETY: the process has a single thread.
    unsafe { settle(&boot.environment) };
    std::env::set_current_dir(&boot.directory)?;
    // SAFETY: the process has a single thread, so the child may do anything.
    match unsafe { fork() }? {
        ForkResult::Child => serve(channel, answers),
        ForkResult::Parent { child } => {
            let status = reap_until(child)?;
            writeln!(answers, "{}", json!({ "ended": status }))
        }
    }
}

/// Gives this process an environment.
///
/// # Safety
/// The process has a single thread.
unsafe fn settle(environment: &BTreeMap<String, String>) {
    // SAFETY: as the caller says.
    unsafe {
        for (name, _) in std::env::vars_os() {
            std::env::remove_var(name);
        }
        for (name, value) in environment {
            std::env::set_var(name, value);
        }
        std::env::set_var("TMPDIR", PRIVATE);
    }
}

/// Runs the program that a file names, to its end.
fn run_program(file: &str) -> io::Result<()> {
    // The file is named by the machine's `/proc`, which the guest's own hides.
    let program: Program = serde_json::from_slice(&fs::read(file)?)?;
    prepare()?;
    let ended = spawn(&program).map_or_else(|error| error.to_string(), |status| status.to_string());
    fs::write(&program.result, ended)?;
    flush_files();
    Ok(())
}

/// Starts the program, and waits until it has ended: its exit status as a shell has it.
fn spawn(program: &Program) -> io::Result<i32> {
    // SAFETY: the process has a single thread.
    unsafe { settle(&program.environment) };
    let [name, arguments @ ..] = &program.argv[..] else {
        return Err(io::Error::other("no program is named"));
    };
    let input = if program.stdin { CHANNEL } else { "/dev/null" };
    let started = std::process::Command::new(name)
        .args(arguments)
        .current_dir(&program.directory)
        .stdin(File::open(input)?)
        .stdout(console("/dev/tty1")?)
        .stderr(console("/dev/tty2")?)
        .spawn();
    match started {
        Ok(child) => reap_until(Pid::from_raw(child.id() as i32)),
        Err(error) => Err(io::Error::other(format!("{name}: {error}"))),
    }
}

/// One of the guest's consoles, which hands on what is written as it is.
fn console(device: &str) -> io::Result<File> {
    let console = File::options()
        .write(true)
        .custom_flags(libc::O_NOCTTY)
        .open(device)?;
    // SAFETY: all-zero bytes are a valid termios, and both calls get one that outlives them.
    unsafe {
        let mut settings: libc::termios = std::mem::zeroed();
        if libc::tcgetattr(console.as_raw_fd(), &raw mut settings) == 0 {
            libc::cfmakeraw(&raw mut settings);
            libc::tcsetattr(console.as_raw_fd(), libc::TCSANOW, &raw const settings);
        }
    }
    Ok(console)
}

/// Answers lines until there are no more.
fn serve(mut channel: BufReader<File>, mut answers: File) -> ! {
    let isolation = pronghorn_bench::enter_guest();
    panic::end_on_panic();
    let mut session = session::Session::new(isolation);
    let mut line = String::new();
    loop {
        line.clear();
        match channel.read_line(&mut line) {
            Ok(1..) if line.ends_with('\n') => {}
            _ => std::process::exit(0),
        }
        let mut answer = session.answer(line.trim_end_matches('\n'));
        answer.push('\n');
        flush_files();
        for piece in answer.as_bytes().chunks(WRITTEN_AT_ONCE) {
            if answers.write_all(piece).is_err() {
                std::process::exit(0);
            }
        }
    }
}

/// Hands what programs have written on to the host, where the control plane reads it.
fn flush_files() {
    // SAFETY: takes nothing and can't fail.
    unsafe { libc::sync() }
}

/// Reaps whatever ends, until `engine` has: its exit status, or 128 and the signal that ended it.
fn reap_until(engine: Pid) -> io::Result<i32> {
    loop {
        match wait()? {
            WaitStatus::Exited(pid, status) if pid == engine => return Ok(status),
            WaitStatus::Signaled(pid, signal, _) if pid == engine => {
                return Ok(128 + signal as i32);
            }
            _ => {}
        }
    }
}

fn mount_at(kind: &str, at: &str, options: &str) -> io::Result<()> {
    let said = |errno: nix::errno::Errno| {
        io::Error::other(format!("{kind} can't be mounted at {at}: {}", errno.desc()))
    };
    mount(Some(kind), at, Some(kind), MsFlags::empty(), Some(options)).map_err(said)
}

/// For loads without an emulated path.
fn raise_loopback() -> io::Result<()> {
    // SAFETY: a plain system call; the descriptor it returns is ours alone.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    // SAFETY: all-zero bytes are a valid ifreq.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l' as libc::c_char;
    request.ifr_name[1] = b'o' as libc::c_char;
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: the kernel reads the request, which outlives the call.
    match unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
