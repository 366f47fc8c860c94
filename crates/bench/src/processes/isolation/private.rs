//! A folder for what must not outlive the engine, such as the secrets of programs on the hosts.
//!
//! Its name is chosen before the process is split, so that the supervisor knows what to remove when the engine has
//! ended, however it did. Where the supervisor is killed as well, the next start of `pronghorn` sweeps it
//! (`host/temporary_folders.py`): the folder has the prefix that is swept, and nobody holds its lock (flock(2)) any more.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::fcntl::{Flock, FlockArg};

const PREFIX: &str = "pronghorn-work-";
/// A file system in memory: what lies there is never on a disk. Root's alone, since of others systemd-logind may
/// remove what lies there when they log out.
const MEMORY: &str = "/dev/shm";

static NAME: OnceLock<PathBuf> = OnceLock::new();
static HELD: Mutex<Option<Flock<File>>> = Mutex::new(None);

/// The folder, which its owner alone can read. It is made when it is first asked for, and goes with the engine.
///
/// # Errors
/// It can't be made, or something else has its name.
pub fn private_folder() -> io::Result<&'static Path> {
    let name = name();
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    // A start may sweep the folder between its making and its locking.
    while held.is_none() {
        DirBuilder::new().mode(0o700).create(name)?;
        let locked = File::open(name).and_then(|file| {
            Ok(Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, no)| no)?)
        });
        *held = locked.ok().filter(|_| name.is_dir());
    }
    Ok(name)
}

/// Chooses the name, or tells the one chosen before.
pub(super) fn name() -> &'static Path {
    NAME.get_or_init(|| {
        let folder = match std::env::var_os("TMPDIR") {
            None if nix::unistd::geteuid().is_root() && Path::new(MEMORY).is_dir() => MEMORY.into(),
            _ => std::env::temp_dir(),
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_nanos());
        folder.join(format!("{PREFIX}{}-{now:x}", std::process::id()))
    })
}

/// Removes the folder, where there is one; called when the engine has ended.
pub(super) fn remove() {
    if let Some(name) = NAME.get() {
        let _ = fs::remove_dir_all(name);
    }
}
