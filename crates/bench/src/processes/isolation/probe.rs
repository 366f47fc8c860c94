//! Tries for real, in a child process, whether this host lets a bench be made.

use std::ffi::c_int;
use std::fs;
use std::io::{Read, Write};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork, getegid, geteuid, pipe2};

use crate::network::tun::{Offloads, Tun};

/// How the right to make namespaces is had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By being root already.
    Root,
    /// By becoming root of a new user namespace.
    User,
}

/// What was being tried when the host refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Starting a child process or reading its answer.
    Fork,
    /// `unshare(CLONE_NEWUSER)`.
    UserNamespace,
    /// Writing the user namespace's uid and gid maps.
    IdentityMap,
    /// `unshare` of network, PID and mount namespaces.
    Namespaces,
    /// Opening `/dev/net/tun`.
    OpenTun,
    /// Creating a TUN device.
    CreateDevice,
}

const STEPS: [Step; 6] = [
    Step::Fork,
    Step::UserNamespace,
    Step::IdentityMap,
    Step::Namespaces,
    Step::OpenTun,
    Step::CreateDevice,
];

/// A step that the host refused, and with which error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) way: Way,
    pub(super) step: Step,
    pub(super) errno: Errno,
}

/// Goes the whole way up to a TUN device in a child process; this one stays as it is.
pub(super) fn probe(way: Way) -> Result<(), Refusal> {
    let refused = |errno| Refusal {
        way,
        step: Step::Fork,
        errno,
    };
    let (reader, writer) = pipe2(OFlag::O_CLOEXEC).map_err(refused)?;
    // SAFETY: the process is single-threaded (see `enter`), so the child may do anything.
    match unsafe { fork() }.map_err(refused)? {
        ForkResult::Child => {
            let answer = match attempt(way) {
                Ok(()) => [u8::MAX, 0, 0, 0, 0],
                Err(Refusal { step, errno, .. }) => {
                    let [a, b, c, d] = (errno as i32).to_ne_bytes();
                    [
                        STEPS.iter().position(|s| *s == step).unwrap_or(0) as u8,
                        a,
                        b,
                        c,
                        d,
                    ]
                }
            };
            let sent = fs::File::from(writer).write_all(&answer).is_err();
            // SAFETY: ends the process without running the parent's exit handlers.
            unsafe { libc::_exit(c_int::from(sent)) }
        }
        ForkResult::Parent { child } => {
            drop(writer);
            let mut answer = [0; 5];
            let read = fs::File::from(reader).read_exact(&mut answer);
            waitpid(child, None).map_err(refused)?;
            if read.is_err() {
                return Err(refused(Errno::EIO));
            }
            let [step, errno @ ..] = answer;
            match STEPS.get(usize::from(step)) {
                None => Ok(()),
                Some(step) => Err(Refusal {
                    way,
                    step: *step,
                    errno: Errno::from_raw(i32::from_ne_bytes(errno)),
                }),
            }
        }
    }
}

/// Gives this process the rights of `way`: for [`Way::User`], a user namespace in which it is root.
pub(super) fn assume(way: Way) -> Result<(), Refusal> {
    if way == Way::Root {
        return Ok(());
    }
    let refused = |step| move |errno| Refusal { way, step, errno };
    let (uid, gid) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(refused(Step::UserNamespace))?;
    for (file, map) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("0 {uid} 1")),
        ("gid_map", format!("0 {gid} 1")),
    ] {
        fs::write(format!("/proc/self/{file}"), map)
            .map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO)))
            .map_err(refused(Step::IdentityMap))?;
    }
    Ok(())
}

fn attempt(way: Way) -> Result<(), Refusal> {
    let refused = |step| move |errno| Refusal { way, step, errno };
    assume(way)?;
    unshare(CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS)
        .map_err(refused(Step::Namespaces))?;
    let tun = Tun::open().map_err(refused(Step::OpenTun))?;
    tun.create("probe", Offloads::Datagrams)
        .map(drop)
        .map_err(refused(Step::CreateDevice))
}
