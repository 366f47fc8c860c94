//! How long a thread was ready to run and had no CPU.

use pronghorn_waits::Account;

use crate::processes::isolation::in_guest;

/// The calling thread's account with the scheduler, read again and again.
pub(crate) struct RunDelay {
    account: Account,
    seen_ns: u64,
}

impl RunDelay {
    /// Opens the account of the calling thread; only that thread's time counts from now on.
    pub(crate) fn of_this_thread() -> RunDelay {
        let account = match in_guest() {
            true => Account::default(),
            false => Account::of_this_thread(),
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
        let read = self.account.read();
        let total = read.map_or(self.seen_ns, |times| times.waited_ns);
        let waited = total.saturating_sub(self.seen_ns);
        self.seen_ns = total;
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_kernel_tells_nothing_nothing_was_waited() {
        let mut delay = RunDelay {
            account: Account::default(),
            seen_ns: 5,
        };
        assert_eq!(delay.take_ns(), 0);
        assert_eq!(delay.seen_ns, 5);
    }
}
