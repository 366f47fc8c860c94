//! Values that hold from a time on.

/// Some of a link's values; those that aren't set stay as they were.
pub(crate) trait Values: Copy + Default {
    /// These values, and for those that aren't set `others`.
    #[must_use]
    fn or(self, others: Self) -> Self;
    /// Whether none is set.
    fn is_empty(&self) -> bool;
}

/// Rows of values, each with the nanoseconds since the start from which it holds; ascending.
#[derive(Clone, Debug)]
pub(crate) struct Timetable<V> {
    /// What no row of the first round sets before is set by none of these.
    rows: Vec<(u64, V)>,
    repeat_ns: Option<u64>,
}

impl<V: Values> Timetable<V> {
    /// Of `rows` in which each says only what it changes. None where none changes anything.
    pub(crate) fn new(
        rows: impl Iterator<Item = (u64, V)>,
        repeat_ns: Option<u64>,
    ) -> Option<Timetable<V>> {
        let mut before = V::default();
        let rows: Vec<(u64, V)> = rows
            .filter(|(_, values)| !values.is_empty())
            .map(|(at_ns, values)| {
                before = values.or(before);
                (at_ns, before)
            })
            .collect();
        (!rows.is_empty()).then_some(Timetable { rows, repeat_ns })
    }

    /// What has been set by `elapsed_ns` after the start.
    pub(crate) fn at(&self, elapsed_ns: u64) -> V {
        let (round, offset) = self.place(elapsed_ns);
        let first = V::default();
        let last = self.rows.last().map_or(first, |(_, values)| *values);
        let before = if round > 0 { last } else { first };
        match self.passed(offset).checked_sub(1) {
            Some(row) => self.rows[row].1.or(before),
            None => before,
        }
    }

    /// The first time after `elapsed_ns` at which a row begins to hold.
    pub(crate) fn next_after(&self, elapsed_ns: u64) -> Option<u64> {
        let (_, offset) = self.place(elapsed_ns);
        let round_start = elapsed_ns - offset;
        match self.rows.get(self.passed(offset)) {
            Some((at_ns, _)) => round_start.checked_add(*at_ns),
            None => round_start
                .checked_add(self.repeat_ns?)?
                .checked_add(self.rows[0].0),
        }
    }

    fn place(&self, elapsed_ns: u64) -> (u64, u64) {
        match self.repeat_ns {
            Some(period) => (elapsed_ns / period, elapsed_ns % period),
            None => (0, elapsed_ns),
        }
    }

    /// How many rows hold or have held by `offset` in a round.
    fn passed(&self, offset: u64) -> usize {
        self.rows.partition_point(|(at_ns, _)| *at_ns <= offset)
    }
}

/// A timetable that is followed.
#[derive(Debug)]
pub(crate) struct Follower<V> {
    timetable: Timetable<V>,
    /// When values change next; none: never again.
    next_ns: Option<u64>,
}

impl<V: Values> Follower<V> {
    pub(crate) fn new(timetable: Timetable<V>) -> Follower<V> {
        Follower {
            next_ns: timetable.next_after(0),
            timetable,
        }
    }

    /// What holds at the start.
    pub(crate) fn first(&self) -> V {
        self.timetable.at(0)
    }

    /// When values change next, in nanoseconds since the start.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.next_ns
    }

    /// What has been set by `elapsed_ns`, if that is news.
    pub(crate) fn news(&mut self, elapsed_ns: u64) -> Option<V> {
        self.next_ns.filter(|next| *next <= elapsed_ns)?;
        self.next_ns = self.timetable.next_after(elapsed_ns);
        Some(self.timetable.at(elapsed_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Pair(Option<u8>, Option<u8>);

    impl Values for Pair {
        fn or(self, others: Self) -> Self {
            Pair(self.0.or(others.0), self.1.or(others.1))
        }

        fn is_empty(&self) -> bool {
            *self == Pair::default()
        }
    }

    fn timetable(repeat_ns: Option<u64>) -> Timetable<Pair> {
        let rows = [
            (10, Pair(Some(1), None)),
            (20, Pair(None, None)),
            (30, Pair(None, Some(2))),
            (40, Pair(Some(3), None)),
        ];
        Timetable::new(rows.into_iter(), repeat_ns).expect("rows that say something")
    }

    #[test]
    fn values_hold_from_their_row_on() {
        let timetable = timetable(None);
        assert_eq!(timetable.at(9), Pair(None, None));
        assert_eq!(timetable.at(10), Pair(Some(1), None));
        assert_eq!(timetable.at(39), Pair(Some(1), Some(2)));
        assert_eq!(timetable.at(u64::MAX), Pair(Some(3), Some(2)));
        let nexts = [0, 10, 39, 40].map(|at| timetable.next_after(at));
        assert_eq!(nexts, [Some(10), Some(30), Some(40), None]);
    }

    #[test]
    fn a_round_begins_with_what_the_one_before_left() {
        let timetable = timetable(Some(100));
        assert_eq!(timetable.at(105), Pair(Some(3), Some(2)));
        assert_eq!(timetable.at(110), Pair(Some(1), Some(2)));
        assert_eq!(timetable.next_after(40), Some(110));
        assert_eq!(timetable.next_after(u64::MAX), None);
    }

    #[test]
    fn a_follower_passes_over_what_it_missed() {
        let mut follower = Follower::new(timetable(Some(100)));
        assert_eq!(follower.news(9), None);
        assert_eq!(follower.news(1035), Some(Pair(Some(1), Some(2))));
        assert_eq!(follower.next_ns(), Some(1040));
        assert_eq!(follower.news(1039), None);
    }
}
