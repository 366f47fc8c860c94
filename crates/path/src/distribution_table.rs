//! netem's distribution files: whole numbers of 16 bits between white space, each as likely as the
//! others. `#` begins a comment that ends with its line.

use crate::spec_error::SpecError;
use crate::text::lines;

const KEY: &str = "jitter.table";
const LONGEST_TEXT: usize = 1 << 20;
/// netem's `NETEM_DIST_MAX`.
const MOST_NUMBERS: usize = 16384;

/// The numbers of a table, ascending; at least one.
///
/// # Errors
/// The first line that isn't numbers of -32768 to 32767 or has more than 16384 with those before; the last
/// line, where none has any; a text of more than a mebibyte.
pub(crate) fn parse(text: &str) -> Result<Vec<i16>, SpecError> {
    if text.len() > LONGEST_TEXT {
        return Err(SpecError::OutOfRange {
            key: KEY.to_owned(),
            value: format!("a text of {} bytes", text.len()),
            allowed: format!("{LONGEST_TEXT} bytes at most"),
        });
    }
    let mut numbers = Vec::new();
    let mut last = 1;
    for (number, line) in (1..).zip(lines(text)) {
        last = number;
        let values = line.split('#').next().unwrap_or_default();
        for word in values.split_ascii_whitespace() {
            let Ok(value) = word.parse() else {
                let shown: String = word.chars().take(40).collect();
                return Err(wrong(
                    number,
                    format!("`{shown}` is none of the whole numbers from -32768 to 32767"),
                ));
            };
            if numbers.len() == MOST_NUMBERS {
                return Err(wrong(
                    number,
                    format!("the table ends here at the latest, with {MOST_NUMBERS} numbers"),
                ));
            }
            numbers.push(value);
        }
    }
    if numbers.is_empty() {
        return Err(wrong(
            last,
            "the table ends without a single number".to_owned(),
        ));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn wrong(line: usize, problem: String) -> SpecError {
    SpecError::Text {
        key: KEY.to_owned(),
        line,
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(text).expect_err("it must be refused").to_string()
    }

    #[test]
    fn numbers_stand_between_white_space_and_comments() {
        let text = "\u{feff}# a table\n 3 -1\t+2\r\n\n-32768 # the least 5\n32767";
        assert_eq!(parse(text), Ok(vec![-32768, -1, 2, 3, 32767]));
    }

    #[test]
    fn what_is_no_such_number_is_named_with_its_line() {
        for word in ["x", "1.5", "32768", "-32769", "0x10", "1,", "é"] {
            assert_eq!(
                message(&format!("1\n# 2\n3 {word} 4")),
                format!(
                    "jitter.table, line 3: `{word}` is none of the whole numbers from -32768 to 32767"
                )
            );
        }
    }

    #[test]
    fn a_table_has_from_one_to_16384_numbers() {
        let many = "7\n".repeat(16384);
        assert_eq!(parse(&many).map(|numbers| numbers.len()), Ok(16384));
        assert_eq!(
            message(&format!("{many}7")),
            "jitter.table, line 16385: the table ends here at the latest, with 16384 numbers"
        );
        for (text, line) in [("", 1), ("#\n# 1\n", 2)] {
            assert_eq!(
                message(text),
                format!("jitter.table, line {line}: the table ends without a single number")
            );
        }
        assert_eq!(
            message(&" ".repeat((1 << 20) + 1)),
            "jitter.table is a text of 1048577 bytes; allowed is 1048576 bytes at most"
        );
    }
}
