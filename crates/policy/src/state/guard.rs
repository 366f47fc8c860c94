//! What if a process dies inside: a mark stands in the memory while somebody works on the table.

use core::ptr;
use core::sync::atomic::{Ordering, compiler_fence};

use super::index::Damaged;
use super::table::Table;

impl Table<'_> {
    /// Runs an operation, which finds its entries before it changes any. Where the last one was broken off, or links make no sense, they are
    /// mended first; where that is of no use, the table is emptied. None: not even that helped.
    pub(crate) fn guarded<T>(
        &mut self,
        operation: impl Fn(&mut Self) -> Result<T, Damaged>,
    ) -> Option<T> {
        let broken_off = self.head.busy != 0;
        self.mark_busy(1);
        if broken_off {
            self.mend();
        }
        let mut result = operation(self);
        if result.is_err() {
            self.mend();
            result = operation(self);
        }
        if result.is_err() {
            self.empty();
            let emptied = &mut self.head.counters.emptied;
            *emptied = emptied.saturating_add(1);
            result = operation(self);
        }
        self.mark_busy(0);
        result.ok()
    }

    /// No other access to the memory moves across the mark: it has to stand there if the process is killed in between.
    fn mark_busy(&mut self, busy: u32) {
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the pointer is made from a reference to a u32 that nobody else holds.
        unsafe { ptr::write_volatile(&mut self.head.busy, busy) };
        compiler_fence(Ordering::SeqCst);
    }
}
