//! The priority of a response, as the `priority` field and PRIORITY_UPDATE state it.

use std::fmt;

use http::HeaderMap;

use super::structured::{self, Value};

/// How urgent a response is, and whether a part of it is of use (RFC 9218 §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Priority {
    /// 0, the most urgent, to 7, for what runs in the background.
    pub urgency: u8,
    /// The response can be used while it arrives, so it may share the path with others.
    pub incremental: bool,
}

impl Default for Priority {
    /// Urgency 3, not incremental (RFC 9218 §4.1, §4.2).
    fn default() -> Self {
        Priority {
            urgency: 3,
            incremental: false,
        }
    }
}

impl Priority {
    /// The urgency of what matters least.
    pub const LEAST_URGENT: u8 = 7;

    /// The priority that a `priority` field's value states.
    ///
    /// As RFC 9218 §4 asks, nothing is ever an error: unknown parameters, and known ones that are
    /// out of range or of the wrong type, are passed over; a value that is no dictionary at all
    /// counts as empty.
    #[must_use]
    pub fn parse(value: &[u8]) -> Self {
        let mut priority = Priority::default();
        let parsed = structured::dictionary(value, |key, value| match (key, value) {
            (b"u", Value::Integer(urgency)) => {
                priority.urgency = u8::try_from(urgency)
                    .ok()
                    .filter(|&urgency| urgency <= Self::LEAST_URGENT)
                    .unwrap_or(Priority::default().urgency);
            }
            (b"u", _) => priority.urgency = Priority::default().urgency,
            (b"i", Value::Boolean(incremental)) => priority.incremental = incremental,
            (b"i", _) => priority.incremental = false,
            _ => {}
        });
        match parsed {
            Ok(()) => priority,
            Err(structured::NoDictionary) => Priority::default(),
        }
    }

    /// The priority that a request's `priority` field lines state; the default where there are none.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all("priority").iter();
        match (lines.next(), lines.next()) {
            (None, _) => Priority::default(),
            (Some(only), None) => Priority::parse(only.as_bytes()),
            (Some(first), Some(second)) => {
                let mut joined = first.as_bytes().to_vec();
                for line in std::iter::once(second).chain(lines) {
                    joined.extend_from_slice(b", ");
                    joined.extend_from_slice(line.as_bytes());
                }
                Priority::parse(&joined)
            }
        }
    }
}

impl fmt::Display for Priority {
    /// Writes the value of a `priority` field, as `u=3` or `u=5, i`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "u={}", self.urgency)?;
        if self.incremental {
            f.write_str(", i")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(value: &str) -> (u8, bool) {
        let priority = Priority::parse(value.as_bytes());
        (priority.urgency, priority.incremental)
    }

    #[test]
    fn the_examples_of_rfc_9218_parse() {
        assert_eq!(parsed("u=0"), (0, false));
        assert_eq!(parsed("u=5, i"), (5, true));
        assert_eq!(parsed("i"), (3, true));
        assert_eq!(parsed("i, u=7"), (7, true));
        assert_eq!(parsed(""), (3, false));
    }

    #[test]
    fn unknown_parameters_are_passed_over() {
        assert_eq!(
            parsed("u=1, x=\"a,u=2\", y=(1 2);u=4, z=:YQ==:, i;u=6, w=t/o:k"),
            (1, true)
        );
    }

    #[test]
    fn values_out_of_range_or_of_a_wrong_type_are_passed_over() {
        for value in [
            "u=8", "u=-1", "u=1.0", "u=?1", "u", "u=(1)", "u=\"1\"", "u=9999",
        ] {
            assert_eq!(parsed(value), (3, false), "{value}");
        }
        for value in ["i=1", "i=?0", "i=()", "i=yes"] {
            assert_eq!(parsed(value), (3, false), "{value}");
        }
    }

    #[test]
    fn the_last_of_a_repeated_parameter_counts() {
        assert_eq!(parsed("u=1, i, u=2, i=?0"), (2, false));
        assert_eq!(parsed("u=1, u=9"), (3, false));
    }

    #[test]
    fn what_is_no_dictionary_is_the_default() {
        for value in [
            "u=1,", "U=1", "u=1 i", "u=", "u=1;", "u=0, =", ",u=1", "u=1\n", "é", "u=?2",
        ] {
            assert_eq!(parsed(value), (3, false), "{value}");
        }
    }

    #[test]
    fn several_lines_are_one_field() {
        let mut headers = HeaderMap::new();
        assert_eq!(Priority::from_headers(&headers), Priority::default());
        headers.append("priority", "u=1".parse().unwrap());
        assert_eq!(Priority::from_headers(&headers).urgency, 1);
        headers.append("priority", "i".parse().unwrap());
        let priority = Priority::from_headers(&headers);
        assert_eq!((priority.urgency, priority.incremental), (1, true));
    }

    proptest! {
        #[test]
        fn what_is_written_parses(urgency in 0u8..=7, incremental: bool) {
            let priority = Priority { urgency, incremental };
            prop_assert_eq!(Priority::parse(priority.to_string().as_bytes()), priority);
        }

        #[test]
        fn any_bytes_are_safe(value: Vec<u8>) {
            prop_assert!(Priority::parse(&value).urgency <= 7);
        }

        #[test]
        fn any_text_is_safe(value in "[ui=?:;,\"\\\\()@% 0-9a-z.-]{0,40}") {
            prop_assert!(Priority::parse(value.as_bytes()).urgency <= 7);
        }
    }
}
