//! Texts that a specification holds: how long they may be, and their lines.

use crate::spec_error::SpecError;

/// The longest text, in bytes.
const LONGEST: usize = 16 << 20;
/// The most lines of one.
const MOST_LINES: usize = 1_000_000;

/// Refuses a text that is too long.
///
/// # Errors
/// [`SpecError::OutOfRange`] with the text's `key`.
pub(crate) fn bounded(key: &str, text: &str) -> Result<(), SpecError> {
    let lines = text.lines().take(MOST_LINES + 1).count();
    let (value, allowed) = if text.len() > LONGEST {
        (
            format!("{} bytes long", text.len()),
            "a text of at most 16 MiB",
        )
    } else if lines > MOST_LINES {
        (
            format!("more than {MOST_LINES} lines long"),
            "a text of at most 1000000 lines",
        )
    } else {
        return Ok(());
    };
    Err(SpecError::OutOfRange {
        key: key.to_owned(),
        value,
        allowed: allowed.to_owned(),
    })
}

/// A text's lines, without the byte-order mark that some editors put before the first.
pub(crate) fn lines(text: &str) -> std::str::Lines<'_> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines()
}

/// What is wrong with a line; the first line is 1.
pub(crate) fn wrong(key: &str, line: usize, problem: impl Into<String>) -> SpecError {
    SpecError::Text {
        key: key.to_owned(),
        line,
        problem: problem.into(),
    }
}

/// A foreign value as it is shown in a message: quoted, and not at any length.
pub(crate) fn shown(value: &str) -> String {
    const MOST: usize = 40;
    match value.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &value[..end]),
        None => format!("{value:?}"),
    }
}
