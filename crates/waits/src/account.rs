//! What the scheduler tells of a thread.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// A thread's account with the scheduler (`schedstat` of proc(5)), read again and again. The file stays open, since a host
/// that runs out of files would hide it later.
#[derive(Debug, Default)]
pub struct Account {
    /// None where the kernel keeps no account.
    file: Option<File>,
}

/// A reading of an account, in nanoseconds since the thread began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// On a CPU.
    pub used_ns: u64,
    /// Ready to run, without a CPU.
    pub waited_ns: u64,
}

impl Account {
    /// Opens the account of the calling thread. Any thread of the process may read it.
    #[must_use]
    pub fn of_this_thread() -> Account {
        Account {
            file: File::open("/proc/thread-self/schedstat").ok(),
        }
    }

    /// None where the kernel keeps no account (no CONFIG_SCHED_INFO), or the thread has ended. Takes about a microsecond.
    #[must_use]
    pub fn read(&self) -> Option<Times> {
        let mut text = [0; 64];
        let length = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        parse(&text[..length])
    }
}

/// The first two of the three numbers.
fn parse(account: &[u8]) -> Option<Times> {
    let text = std::str::from_utf8(account).ok()?;
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    Some(Times {
        used_ns: next()?,
        waited_ns: next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_wait() {
        let read = Times {
            used_ns: 621_079,
            waited_ns: 93_068,
        };
        assert_eq!(parse(b"621079 93068 2\n"), Some(read));
        assert_eq!(parse(b"621079"), None);
        assert_eq!(parse(b"621079 x 2"), None);
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn without_an_account_nothing_is_known() {
        assert_eq!(Account::default().read(), None);
    }
}
