//! Queries that differ from one load to the next, and ask for the same all the same: cache busters, timestamps, random
//! numbers.

/// Parameters that are known to keep caches from answering; their values say nothing.
const BUSTERS: [&str; 14] = [
    "_",
    "cachebuster",
    "cache_buster",
    "cb",
    "nc",
    "nocache",
    "ord",
    "rand",
    "random",
    "rnd",
    "t",
    "time",
    "timestamp",
    "ts",
];

/// The digits that make a number a time or a random one: seconds since 1970 have ten, halves of a random one nine.
const DIGITS_OF_CHANCE: usize = 9;

/// The characters that make a text of letters and digits an identifier of one load.
const LETTERS_OF_CHANCE: usize = 16;

/// How many parameters of two queries have the same value, if the queries ask for the same: both have the same
/// parameters, each as often, in whatever order, and those whose values differ are known cache busters, or have values
/// that chance or a clock made in both.
pub(super) fn alike(recorded: &str, asked: &str) -> Option<usize> {
    let (recorded, asked) = (sorted(recorded), sorted(asked));
    if recorded.len() != asked.len() {
        return None;
    }
    let mut same = 0;
    for ((name, recorded), (asked_name, asked)) in recorded.into_iter().zip(asked) {
        if name != asked_name {
            return None;
        }
        if recorded == asked {
            same += 1;
        } else if !(varies(name) || is_by_chance(recorded) && is_by_chance(asked)) {
            return None;
        }
    }
    Some(same)
}

/// The parameters by name, equal names in their order.
fn sorted(query: &str) -> Vec<(&str, &str)> {
    let mut parameters: Vec<_> = query
        .split('&')
        .filter(|one| !one.is_empty())
        .map(|one| one.split_once('=').unwrap_or((one, "")))
        .collect();
    parameters.sort_by_key(|(name, _)| *name);
    parameters
}

fn varies(name: &str) -> bool {
    BUSTERS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn is_by_chance(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = value.len() - digits - letters;
    let number = letters == 0
        && value
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if number {
        return digits >= DIGITS_OF_CHANCE && others <= 1;
    }
    let separators = value.bytes().filter(|byte| b"-_.".contains(byte)).count();
    digits > 0 && digits + letters >= LETTERS_OF_CHANCE && separators == others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_alike_if_only_what_varies_differs() {
        for (recorded, asked, expected) in [
            ("", "", Some(0)),
            ("a=1&b=2", "b=2&a=1", Some(2)),
            ("a=1&_=5", "a=1&_=7", Some(1)),
            ("a=1&CB=x", "a=1&CB=", Some(1)),
            ("at=1732623600123", "at=1732623600999", Some(0)),
            ("r=0.8372615243", "r=0.12837465512", Some(0)),
            (
                "id=3f2504e0-4f89-11d3-9a0c-0305e82c3301",
                "id=00000000-4f89-11d3-9a0c-0305e82c3302",
                Some(0),
            ),
            ("id=17", "id=18", None),
            ("q=shoes", "q=coats", None),
            ("q=internationalisation", "q=telecommunications", None),
            ("a=1", "a=1&b=2", None),
            ("a=1&a=2", "a=1&b=2", None),
            ("v=1732623600123", "v=2", None),
            ("v=1.2.3456789", "v=1.2.9876543", None),
        ] {
            assert_eq!(alike(recorded, asked), expected, "{recorded} {asked}");
        }
    }
}
