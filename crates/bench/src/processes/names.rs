//! A thread's own view of `/etc`, in which names are looked up at one name server and nowhere else.
//!
//! The thread gets a mount namespace of its own, and in it a new `/etc` in memory: all entries of the machine's one,
//! but for the files that decide how the C library looks up a host's name (`resolv.conf(5)`, `nsswitch.conf(5)`,
//! `hosts(5)`). A new directory rather than new files mounted over the old ones, for on some systems
//! `/etc/resolv.conf` is missing, or a link to a file that is.
//!
//! What a program asks elsewhere stays as it is: a resolver that it reaches by an address or a socket of its own
//! choice, and the `/etc` of another root directory that it changes to.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::fcntl::{OFlag, open};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::stat::Mode;

use crate::error::SpawnError;

/// Variables by which a person changes how the C library looks up names (`resolv.conf(5)`, `hostname(7)`,
/// `host.conf(5)`).
pub(crate) const VARIABLES: [&str; 4] = [
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
];

const ETC: &str = "/etc";

/// Where the name service cache daemon listens, which would answer from the machine's view.
const CACHES: [&str; 2] = ["/run/nscd", "/var/run/nscd"];

/// Has the calling thread, and the processes that it starts from now on, look up names at `server`. Fails where the
/// kernel denies a mount namespace, or a mount in it.
pub(crate) fn look_up_at(server: IpAddr) -> Result<(), SpawnError> {
    let denied = |doing: &'static str| {
        move |source: io::Error| SpawnError::Resolver {
            doing: doing.to_owned(),
            source,
        }
    };
    unshare(CloneFlags::CLONE_NEWNS)
        .map_err(io::Error::from)
        .map_err(denied("make a mount namespace"))?;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount_over(Path::new("/"), None, None, private).map_err(denied("keep mounts private"))?;
    for cache in CACHES {
        if Path::new(cache).is_dir() {
            in_memory(Path::new(cache)).map_err(denied("hide the name service's cache"))?;
        }
    }
    let files = [
        ("resolv.conf", format!("nameserver {server}\n")),
        ("nsswitch.conf", by_files_and_dns()),
        ("hosts", "127.0.0.1 localhost\n::1 localhost\n".to_owned()),
    ];
    renew_etc(&files)
}

/// Puts a new directory over `/etc` with the same entries, but for `files`: names and contents.
fn renew_etc(files: &[(&str, String)]) -> Result<(), SpawnError> {
    let denied = |doing: &'static str| {
        move |source: io::Error| SpawnError::Resolver {
            doing: format!("{doing} {ETC}"),
            source,
        }
    };
    let entries = fs::read_dir(ETC)
        .and_then(|entries| entries.collect::<io::Result<Vec<_>>>())
        .map_err(denied("list"))?;
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let machines = open(ETC, flags, Mode::empty())
        .map_err(io::Error::from)
        .map_err(denied("open"))?;
    in_memory(Path::new(ETC)).map_err(denied("mount memory over"))?;
    let beneath = format!("/proc/self/fd/{}", machines.as_raw_fd());
    for entry in entries {
        let name = entry.file_name();
        if files.iter().any(|(file, _)| OsStr::new(file) == name) {
            continue;
        }
        let (from, to) = (Path::new(&beneath).join(&name), Path::new(ETC).join(&name));
        show(&from, &to).map_err(|source| SpawnError::Resolver {
            doing: format!("keep {} in", to.display()),
            source,
        })?;
    }
    for (name, content) in files {
        fs::write(Path::new(ETC).join(name), content).map_err(denied("write to"))?;
    }
    Ok(())
}

/// Shows at `to`, where nothing is yet, what is at `from`; nothing where that has just gone.
fn show(from: &Path, to: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(from) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if kind.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if kind.is_dir() {
        fs::create_dir(to)?;
    } else {
        File::create(to)?;
    }
    // With what is mounted below, as is required where the mounts are another user namespace's.
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount_over(to, Some(from), None, flags)
}

fn in_memory(directory: &Path) -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount_over(directory, None, Some("tmpfs"), flags)?;
    fs::set_permissions(
        directory,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
}

fn mount_over(
    target: &Path,
    source: Option<&Path>,
    kind: Option<&str>,
    flags: MsFlags,
) -> io::Result<()> {
    mount(source, target, kind, flags, None::<&str>).map_err(io::Error::from)
}

/// The machine's `nsswitch.conf` with no other sources of hosts' names than `/etc/hosts` and DNS.
fn by_files_and_dns() -> String {
    let machines = fs::read_to_string("/etc/nsswitch.conf").unwrap_or_default();
    let is_of_hosts =
        |line: &str| matches!(line.split_once(':'), Some((name, _)) if name.trim() == "hosts");
    machines
        .lines()
        .filter(|line| !is_of_hosts(line))
        .chain(["hosts: files dns"])
        .flat_map(|line| [line, "\n"])
        .collect()
}
