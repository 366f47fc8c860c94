//! Times in which this thread itself stood still: it was stopped (SIGSTOP), its machine slept, or it had no CPU.
//!
//! Whatever came meanwhile waited for us, so that it mustn't be said of the server. A thread looks up every now and then
//! whatever its sockets do; where it does so much later, it stood still.

use std::time::{Duration, Instant};

use super::Worker;
use crate::thread_cpu::ThreadCpu;

/// A thread looks up at least so often.
pub(super) const LOOKS_UP: Duration = Duration::from_millis(500);
/// It is as late as this where it stood still; busy hosts are late by less.
const LATE: Duration = Duration::from_secs(1);

/// When a thread's CPU time was read last, and what it was.
#[derive(Debug)]
pub(super) struct Seen {
    at: Instant,
    cpu: Duration,
}

impl Seen {
    pub(super) fn new(at: Instant, account: &ThreadCpu) -> Seen {
        let cpu = account.read();
        Seen {
            at,
            cpu: Duration::from_secs_f64(cpu.user + cpu.system),
        }
    }
}

impl Worker {
    /// Notes that it is `now`, where the thread was to look up by `due` at the latest. Requests and connections that wait are
    /// given the time that was lost, once: `noted` is until when it was. A thread that is late because it computes doesn't stand
    /// still.
    pub(super) fn look_up(&mut self, due: Instant, now: Instant) {
        let mut late = now.saturating_duration_since(due.max(self.noted));
        if late >= LATE || now.saturating_duration_since(self.seen.at) >= LOOKS_UP {
            let seen = Seen::new(now, &self.phase.account);
            late = late.saturating_sub(seen.cpu.saturating_sub(self.seen.cpu));
            self.seen = seen;
        }
        if late < LATE {
            return;
        }
        self.noted = now;
        self.tally.stood_still += late;
        self.flights.postpone(late, now);
        for index in 0..self.slots.len() {
            if let Some(link) = &mut self.slots[index].link {
                link.made_by += late;
            }
            self.rank(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::super::flights::Purpose;
    use super::*;
    use crate::plan::Plan;
    use crate::shared::Shared;
    use crate::spec::LoadSpec;

    fn worker() -> Worker {
        let spec = json!({
            "targets": [{"url": "http://127.0.0.1:9/"}], "protocol": "h1", "congestion_control": {},
            "stop": {"requests": 1}, "request_timeout_s": 1.0,
        });
        let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
        let plan = Arc::new(Plan::new(&spec).expect("a plan"));
        Worker::new(&plan, &Arc::new(Shared::new(1)), 0, None).expect("a worker")
    }

    #[test]
    fn a_thread_that_stood_still_gives_what_waits_the_time_that_was_lost() {
        let mut worker = worker();
        let start = Instant::now();
        let ticket = worker.flights.begin(0, 0, Purpose::Measure, start, start);
        let back = start + Duration::from_secs(4);
        worker.look_up(start + LOOKS_UP, back);
        let lost = worker.tally.stood_still;
        // But for what this test itself computed.
        assert!(
            lost > Duration::from_secs(2) && lost <= Duration::from_millis(3500),
            "{lost:?}"
        );
        let due = start + Duration::from_secs(1) + lost;
        assert_eq!(worker.oldest_timeout(), Some(due));
        worker.flights.end(ticket);
    }

    #[test]
    fn a_stop_in_the_midst_of_a_turn_is_noted_before_requests_expire_and_only_once() {
        let mut worker = worker();
        let start = Instant::now();
        worker.looked = start;
        let ticket = worker.flights.begin(0, 0, Purpose::Measure, start, start);
        let back = start + Duration::from_secs(4);
        worker.end_turn(back);
        let lost = worker.tally.stood_still;
        assert!(lost > Duration::from_secs(2), "{lost:?}");
        assert_eq!(
            worker.flights.oldest().map(|(oldest, _)| oldest),
            Some(ticket)
        );
        worker.look_up(worker.looked, back + Duration::from_millis(1));
        assert_eq!(worker.tally.stood_still, lost);
        worker.flights.end(ticket);
    }

    #[test]
    fn a_request_that_was_sent_after_the_stop_is_given_no_more_than_it_lost() {
        let mut worker = worker();
        let start = Instant::now();
        let back = start + Duration::from_secs(4);
        let ticket = worker.flights.begin(0, 0, Purpose::Measure, back, back);
        worker.look_up(start, back);
        assert_eq!(
            worker.oldest_timeout(),
            Some(back + Duration::from_secs(1))
        );
        worker.flights.end(ticket);
    }

    #[test]
    fn a_thread_that_is_as_late_as_busy_hosts_make_it_does_not_stand_still() {
        let mut worker = worker();
        let start = Instant::now();
        worker.look_up(start, start + Duration::from_millis(999));
        worker.look_up(start + LOOKS_UP, start);
        assert_eq!(worker.tally.stood_still, Duration::ZERO);
    }

    #[test]
    fn a_thread_that_computes_for_long_does_not_stand_still() {
        let mut worker = worker();
        let start = Instant::now();
        let spent = |worker: &Worker| Seen::new(start, &worker.phase.account).cpu;
        // Kernels tell of it in ticks.
        while spent(&worker).is_zero() {
            std::hint::spin_loop();
        }
        worker.seen.cpu = Duration::ZERO;
        let computed = spent(&worker);
        worker.look_up(start, start + LATE + computed / 2);
        assert_eq!(worker.tally.stood_still, Duration::ZERO);
    }
}
