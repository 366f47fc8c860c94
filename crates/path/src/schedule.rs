//! Schedules: CSV of a link's values over time.
//!
//! The first line names the columns: `time`, then any of `delay`, `jitter` (the spread), `loss`, `duplicate`,
//! `corrupt`, `reorder` (probabilities), `rate` and `queue`. Each further line is a time since the
//! start of the path, later than the one before, and the values that hold from then on, with their units; an
//! empty cell changes nothing. Blank lines and lines that begin with `#` say nothing.
//!
//! A value of a schedule takes the place of the specification's: what else the specification says of the same stage
//! (correlation, distribution, order, gap, discipline) stays. Refused is `loss` beside a loss model other than the
//! independent one, `rate` beside a trace, `rate` without a rate of the specification unless the schedule sets it at 0,
//! and `queue` without a bottleneck.

use crate::spec::{LinkSpec, Loss, Queue, Schedule};
use crate::spec_error::SpecError;
use crate::text::{bounded, lines, shown, wrong};
use crate::timetable::{Timetable, Values};
use crate::units;

const KEY: &str = "schedule.text";
const ALLOWED: &str = "delay, jitter, loss, duplicate, corrupt, reorder, rate, queue";

/// Values of the stages that a packet meets when it enters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EntryValues {
    pub(crate) delay_ns: Option<u64>,
    pub(crate) jitter_ns: Option<u64>,
    pub(crate) loss: Option<f64>,
    pub(crate) duplicate: Option<f64>,
    pub(crate) corrupt: Option<f64>,
    pub(crate) reorder: Option<f64>,
}

impl Values for EntryValues {
    fn or(self, others: Self) -> Self {
        EntryValues {
            delay_ns: self.delay_ns.or(others.delay_ns),
            jitter_ns: self.jitter_ns.or(others.jitter_ns),
            loss: self.loss.or(others.loss),
            duplicate: self.duplicate.or(others.duplicate),
            corrupt: self.corrupt.or(others.corrupt),
            reorder: self.reorder.or(others.reorder),
        }
    }

    fn is_empty(&self) -> bool {
        *self == EntryValues::default()
    }
}

/// Values of the bottleneck.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BottleneckValues {
    pub(crate) rate_bit_per_s: Option<u64>,
    pub(crate) queue: Option<Queue>,
}

impl Values for BottleneckValues {
    fn or(self, others: Self) -> Self {
        BottleneckValues {
            rate_bit_per_s: self.rate_bit_per_s.or(others.rate_bit_per_s),
            queue: self.queue.or(others.queue),
        }
    }

    fn is_empty(&self) -> bool {
        *self == BottleneckValues::default()
    }
}

/// One line, and when it begins to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) at_ns: u64,
    pub(crate) entry: EntryValues,
    pub(crate) bottleneck: BottleneckValues,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Delay,
    Jitter,
    Loss,
    Duplicate,
    Corrupt,
    Reorder,
    Rate,
    Queue,
}

const COLUMNS: [(&str, Column); 8] = [
    ("delay", Column::Delay),
    ("jitter", Column::Jitter),
    ("loss", Column::Loss),
    ("duplicate", Column::Duplicate),
    ("corrupt", Column::Corrupt),
    ("reorder", Column::Reorder),
    ("rate", Column::Rate),
    ("queue", Column::Queue),
];

/// A schedule that has been read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) rows: Vec<Row>,
    repeat_ns: Option<u64>,
}

impl Changes {
    /// The changes of a link, none where it has no schedule.
    ///
    /// # Errors
    /// The first line that can't be read, or that the rest of the link doesn't allow.
    pub(crate) fn of(spec: &LinkSpec) -> Result<Changes, SpecError> {
        let Some(schedule) = &spec.schedule else {
            return Ok(Changes::default());
        };
        let rows = parse(&schedule.text, spec)?;
        validate_repeat(schedule, &rows)?;
        Ok(Changes {
            rows,
            repeat_ns: schedule.repeat_ns,
        })
    }

    pub(crate) fn entry(&self) -> Option<Timetable<EntryValues>> {
        let rows = self.rows.iter().map(|row| (row.at_ns, row.entry));
        Timetable::new(rows, self.repeat_ns)
    }

    pub(crate) fn bottleneck(&self) -> Option<Timetable<BottleneckValues>> {
        let rows = self.rows.iter().map(|row| (row.at_ns, row.bottleneck));
        Timetable::new(rows, self.repeat_ns)
    }

    pub(crate) fn repeat_ns(&self) -> Option<u64> {
        self.repeat_ns
    }

    /// Whether any line sets a value.
    pub(crate) fn sets<T>(&self, value: impl Fn(&EntryValues) -> Option<T>) -> bool {
        self.rows.iter().any(|row| value(&row.entry).is_some())
    }

    /// The rate at the start of a link, by specification or schedule.
    pub(crate) fn first_rate_bit_per_s(&self, spec: &LinkSpec) -> Option<u64> {
        let first = self.rows.first().filter(|row| row.at_ns == 0);
        first
            .and_then(|row| row.bottleneck.rate_bit_per_s)
            .or(spec.rate_bit_per_s)
    }
}

fn parse(text: &str, spec: &LinkSpec) -> Result<Vec<Row>, SpecError> {
    bounded(KEY, text)?;
    let mut contents = (1..)
        .zip(lines(text))
        .map(|(line, content)| (line, content.trim()))
        .filter(|(_, content)| !content.is_empty() && !content.starts_with('#'));
    let Some((header_line, header)) = contents.next() else {
        return Err(wrong(KEY, 1, "no header; allowed is time,PARAMETER…"));
    };
    let columns = parse_header(header).map_err(|problem| wrong(KEY, header_line, problem))?;
    let mut rows: Vec<Row> = Vec::new();
    for (line, content) in contents {
        let row = parse_row(content, &columns).map_err(|problem| wrong(KEY, line, problem))?;
        let before = rows.last().map(|row| row.at_ns);
        if before.is_some_and(|before| row.at_ns <= before) {
            let problem = "column time: no later than the line before; allowed is a later time";
            return Err(wrong(KEY, line, problem));
        }
        if let Err(problem) = suits(&row, &columns, spec) {
            return Err(wrong(KEY, line, problem));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        let problem = "no line after the header; allowed is at least one";
        return Err(wrong(KEY, header_line, problem));
    }
    if columns.contains(&Column::Rate) && !starts_with_rate(&rows, spec) {
        let problem = "column rate: no rate at the start; allowed is one beside the schedule, or a first line at 0s with a rate";
        return Err(wrong(KEY, header_line, problem));
    }
    Ok(rows)
}

fn starts_with_rate(rows: &[Row], spec: &LinkSpec) -> bool {
    let at_start = rows.first().filter(|row| row.at_ns == 0);
    spec.rate_bit_per_s.is_some()
        || at_start.is_some_and(|row| row.bottleneck.rate_bit_per_s.is_some())
}

fn parse_header(header: &str) -> Result<Vec<Column>, String> {
    let mut names = header.split(',').map(str::trim);
    match names.next() {
        Some("time") => {}
        other => {
            let other = shown(other.unwrap_or_default());
            return Err(format!("the first column is {other}; allowed is time"));
        }
    }
    let mut columns = Vec::new();
    for name in names {
        let Some((_, column)) = COLUMNS.iter().find(|(known, _)| *known == name) else {
            let name = shown(name);
            return Err(format!("column {name} is unknown; allowed are {ALLOWED}"));
        };
        if columns.contains(column) {
            return Err(format!("column {name} comes twice; allowed is once"));
        }
        columns.push(*column);
    }
    if columns.is_empty() {
        return Err(format!("no column but time; allowed are {ALLOWED}"));
    }
    Ok(columns)
}

fn parse_row(content: &str, columns: &[Column]) -> Result<Row, String> {
    let found = content.split(',').count();
    if found != columns.len() + 1 {
        let expected = columns.len() + 1;
        return Err(format!(
            "{found} cells; allowed are {expected}, as in the header"
        ));
    }
    let mut cells = content.split(',').map(str::trim);
    let time = cells.next().unwrap_or_default();
    let mut row = Row {
        at_ns: units::moment_ns(time).map_err(|problem| format!("column time: {problem}"))?,
        ..Row::default()
    };
    for (column, cell) in columns.iter().zip(cells) {
        if !cell.is_empty() {
            row.set(*column, cell).map_err(|problem| {
                let name = COLUMNS.iter().find(|(_, known)| known == column);
                format!("column {}: {problem}", name.map_or("", |(name, _)| name))
            })?;
        }
    }
    Ok(row)
}

impl Row {
    fn set(&mut self, column: Column, cell: &str) -> Result<(), String> {
        let Row {
            entry, bottleneck, ..
        } = self;
        match column {
            Column::Delay => entry.delay_ns = Some(units::time_ns(cell)?),
            Column::Jitter => entry.jitter_ns = Some(units::time_ns(cell)?),
            Column::Loss => entry.loss = Some(units::share(cell)?),
            Column::Duplicate => entry.duplicate = Some(units::share(cell)?),
            Column::Corrupt => entry.corrupt = Some(units::share(cell)?),
            Column::Reorder => entry.reorder = Some(units::share(cell)?),
            Column::Rate => bottleneck.rate_bit_per_s = Some(units::rate(cell)?),
            Column::Queue => bottleneck.queue = Some(units::queue(cell)?),
        }
        Ok(())
    }
}

/// Whether a line can be meant, given the rest of the link.
fn suits(row: &Row, columns: &[Column], spec: &LinkSpec) -> Result<(), String> {
    let sets_rate = row.bottleneck.rate_bit_per_s.is_some();
    if row.entry.loss.is_some() && !matches!(spec.loss, None | Some(Loss::Independent { .. })) {
        return Err(
            "column loss: beside another loss model; allowed is beside none or the independent one"
                .to_owned(),
        );
    }
    if sets_rate && spec.trace.is_some() {
        return Err("column rate: beside a trace; allowed is a rate or a trace".to_owned());
    }
    let paced =
        spec.rate_bit_per_s.is_some() || spec.trace.is_some() || columns.contains(&Column::Rate);
    if row.bottleneck.queue.is_some() && !paced {
        return Err("column queue: without a rate; allowed is beside a rate or a trace".to_owned());
    }
    Ok(())
}

fn validate_repeat(schedule: &Schedule, rows: &[Row]) -> Result<(), SpecError> {
    const MOST: u64 = 1_000_000_000_000_000;
    let last = rows.last().map_or(0, |row| row.at_ns);
    match schedule.repeat_ns {
        Some(repeat_ns) if repeat_ns <= last || !(1_000_000..=MOST).contains(&repeat_ns) => {
            Err(SpecError::OutOfRange {
                key: "schedule.repeat_ns".to_owned(),
                value: repeat_ns.to_string(),
                allowed: format!(
                    "more than the last line's time, {last}, and 1000000 (a millisecond) to {MOST} (a million seconds)"
                ),
            })
        }
        _ => Ok(()),
    }
}
