//! How long a thread was ready to run and had no CPU.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::processes::isolation::in_guest;

/// The calling thread's account with the scheduler (`schedstat` of proc(5)), read again and again.
pub(crate) struct RunDelay {
    /// None where the kernel keeps no account.
    account: Option<File>,
    seen_ns: u64,
}

impl RunDelay {
    /// Opens the account of the calling thread; only that thread's time counts from now on.
    pub(crate) fn of_this_thread() -> RunDelay {
        let account = match in_guest() {
            true => None,
            false => File::open("/proc/thread-self/schedstat").ok(),
        };
        let mut delay = RunDelay {
            account,
            seen_ns: 0,
        };
        delay.take_ns();
        delay
    }

    /// Nanoseconds since the last call during which the thread waited for a CPU; zero where the
    /// kernel doesn't tell.
    pub(crate) fn take_ns(&mut self) -> u64 {
        let mut text = [0; 64];
        let total = self
            .account
            .as_ref()
            .and_then(|file| file.read_at(&mut text, 0).ok())
            .and_then(|length| waited_ns(&text[..length]))
            .unwrap_or(self.seen_ns);
        let waited = total.saturating_sub(self.seen_ns);
        self.seen_ns = total;
        waited
    }
}

/// The second of the three numbers.
fn waited_ns(account: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(account).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_wait() {
        assert_eq!(waited_ns(b"621079 93068 2\n"), Some(93_068));
        assert_eq!(waited_ns(b"621079"), None);
        assert_eq!(waited_ns(b""), None);
    }

    #[test]
    fn each_wait_is_taken_once() {
        let mut delay = RunDelay {
            account: None,
            seen_ns: 5,
        };
        assert_eq!(delay.take_ns(), 0);
        assert_eq!(delay.seen_ns, 5);
    }
}
