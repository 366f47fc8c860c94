//! Quantities with their units written out: `20Mbit`, `75ms`, `256kB`, `15%`, `100packets`.
//!
//! The same grammar as the control plane's `units.py`: decimal prefixes are powers of 1000, `KiB` and `MiB` of
//! 1024, results are whole numbers of the smallest unit, and a bare number is an error.

use crate::spec::Queue;
use crate::text::shown;

type Units = &'static [(&'static str, u64)];

/// A kind of quantity.
struct Quantity {
    name: &'static str,
    example: &'static str,
    units: Units,
    most: u64,
    most_in_words: &'static str,
}

const TIMES: Units = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
];

const TIME: Quantity = Quantity {
    name: "time",
    example: "75ms",
    units: TIMES,
    most: 3_600_000_000_000,
    most_in_words: "60min",
};

const MOMENT: Quantity = Quantity {
    most: 1_000_000_000_000_000,
    most_in_words: "1000000s",
    ..TIME
};

const RATE: Quantity = Quantity {
    name: "rate",
    example: "20Mbit",
    units: &[
        ("bit", 1),
        ("kbit", 1_000),
        ("Mbit", 1_000_000),
        ("Gbit", 1_000_000_000),
        ("bit/s", 1),
        ("kbit/s", 1_000),
        ("Mbit/s", 1_000_000),
        ("Gbit/s", 1_000_000_000),
    ],
    most: 1_000_000_000_000,
    most_in_words: "1000Gbit",
};

const SIZE: Quantity = Quantity {
    name: "size",
    example: "256kB",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
    ],
    most: 1_000_000_000_000,
    most_in_words: "1000000MB",
};

const PACKETS: Quantity = Quantity {
    name: "number of packets",
    example: "100packets",
    units: &[("packet", 1), ("packets", 1)],
    most: 1_000_000_000,
    most_in_words: "1000000000packets",
};

/// Nanoseconds of a delay, an hour at most.
pub(crate) fn time_ns(text: &str) -> Result<u64, String> {
    TIME.parse(text)
}

/// Nanoseconds since a start, a million seconds at most.
pub(crate) fn moment_ns(text: &str) -> Result<u64, String> {
    MOMENT.parse(text)
}

/// Bits per second, greater than zero.
pub(crate) fn rate(text: &str) -> Result<u64, String> {
    match RATE.parse(text)? {
        0 => Err(format!(
            "{} is nothing; allowed is a rate greater than zero",
            shown(text)
        )),
        rate => Ok(rate),
    }
}

/// A share of 0 to 100 %, as a number from 0 to 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let allowed = "allowed is a share, 0% to 100%";
    let number = text.trim().strip_suffix('%').map(str::trim_end);
    let valid = number.filter(|number| Decimal::parse(number).is_some());
    // Decimal shifting by the exponent rounds once, as an exact division does.
    let value = valid.and_then(|number| format!("{number}e-2").parse::<f64>().ok());
    match value {
        Some(share) if (0.0..=1.0).contains(&share) => Ok(share + 0.0),
        _ => Err(format!("{}; {allowed}", shown(text))),
    }
}

/// A queue's bound in bytes, packets or time, greater than zero.
pub(crate) fn queue(text: &str) -> Result<Queue, String> {
    let unit = split(text).1;
    let has = |quantity: &Quantity| quantity.units.iter().any(|(name, _)| *name == unit);
    let bound = if has(&PACKETS) {
        Queue::Packets(PACKETS.parse(text)?)
    } else if has(&TIME) {
        Queue::TimeNs(TIME.parse(text)?)
    } else if has(&SIZE) {
        Queue::Bytes(SIZE.parse(text)?)
    } else {
        return Err(format!(
            "{}; allowed is a size, a number of packets or a time, such as 256kB, 100packets or 50ms",
            shown(text)
        ));
    };
    match bound {
        Queue::Bytes(0) | Queue::Packets(0) | Queue::TimeNs(0) => Err(format!(
            "{} holds nothing; allowed is a queue greater than zero",
            shown(text)
        )),
        bound => Ok(bound),
    }
}

impl Quantity {
    fn parse(&self, text: &str) -> Result<u64, String> {
        let (number, unit) = split(text);
        let units = || {
            let names: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
            names.join(", ")
        };
        let Some(number) = Decimal::parse(number) else {
            return Err(format!(
                "{} is no {}; allowed is one such as {}",
                shown(text),
                self.name,
                self.example
            ));
        };
        let Some((_, worth)) = self.units.iter().find(|(name, _)| *name == unit) else {
            let problem = if unit.is_empty() {
                format!("{} is a bare number", shown(text))
            } else {
                format!("{} has an unknown unit", shown(text))
            };
            return Err(format!(
                "{problem}; allowed units of a {}: {}",
                self.name,
                units()
            ));
        };
        match number.times(*worth) {
            Amount::Whole(amount) if amount <= self.most => Ok(amount),
            Amount::Broken => Err(format!(
                "{}; allowed is a whole number of {}",
                shown(text),
                self.units[0].0
            )),
            Amount::Negative => Err(format!("{}; allowed is zero or more", shown(text))),
            Amount::Whole(_) | Amount::Huge => Err(format!(
                "{}; allowed is at most {}",
                shown(text),
                self.most_in_words
            )),
        }
    }
}

/// Number and unit, each trimmed.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-')))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim_start())
}

/// A decimal number as it is written: sign, and at most 30 digits before and after the point.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

enum Amount {
    Whole(u64),
    /// No whole number of the smallest unit.
    Broken,
    Negative,
    Huge,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Decimal<'a>> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (unsigned, ""),
        };
        let digits = |part: &str| part.len() <= 30 && part.bytes().all(|b| b.is_ascii_digit());
        (!whole.is_empty() && digits(whole) && digits(fraction)).then_some(Decimal {
            negative: text.starts_with('-'),
            whole,
            fraction: fraction.trim_end_matches('0'),
        })
    }

    /// The number times a unit's worth.
    fn times(&self, worth: u64) -> Amount {
        let whole = self.whole.trim_start_matches('0');
        if self.negative && !(whole.is_empty() && self.fraction.is_empty()) {
            return Amount::Negative;
        }
        // No unit is worth a number that ends in so many zeros, even in binary, that a longer fraction comes out whole.
        if self.fraction.len() > 20 {
            return Amount::Broken;
        }
        if whole.len() > 18 {
            return Amount::Huge;
        }
        let parse = |digits: &str| digits.parse::<u128>().unwrap_or(0);
        let scale = 10_u128.pow(self.fraction.len() as u32);
        let part = parse(self.fraction) * u128::from(worth);
        if part % scale != 0 {
            return Amount::Broken;
        }
        let amount = parse(whole) * u128::from(worth) + part / scale;
        u64::try_from(amount).map_or(Amount::Huge, Amount::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        assert_eq!(time_ns("75ms"), Ok(75_000_000));
        assert_eq!(time_ns(" 0.000001 ms "), Ok(1));
        assert_eq!(time_ns("1.50min"), Ok(90_000_000_000));
        assert_eq!(time_ns("-0s"), Ok(0));
        assert_eq!(moment_ns("1000000s"), Ok(1_000_000_000_000_000));
        assert_eq!(rate("20Mbit"), Ok(20_000_000));
        assert_eq!(rate("1000Gbit/s"), Ok(1_000_000_000_000));
        assert_eq!(share("15%"), Ok(0.15));
        assert_eq!(share("0.1 %"), Ok(0.001));
        assert_eq!(queue("256kB"), Ok(Queue::Bytes(256_000)));
        assert_eq!(queue("0.5KiB"), Ok(Queue::Bytes(512)));
        assert_eq!(queue("1packet"), Ok(Queue::Packets(1)));
        assert_eq!(queue("50ms"), Ok(Queue::TimeNs(50_000_000)));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_allowed() {
        for (found, message) in [
            (
                time_ns("75"),
                "\"75\" is a bare number; allowed units of a time: ns, us, µs, ms, s, min",
            ),
            (
                time_ns("75msec"),
                "\"75msec\" has an unknown unit; allowed units of a time: ns, us, µs, ms, s, min",
            ),
            (
                time_ns("fast"),
                "\"fast\" is no time; allowed is one such as 75ms",
            ),
            (
                time_ns("1.ms"),
                "\"1.ms\" is no time; allowed is one such as 75ms",
            ),
            (
                time_ns("0.5ns"),
                "\"0.5ns\"; allowed is a whole number of ns",
            ),
            (time_ns("-1ms"), "\"-1ms\"; allowed is zero or more"),
            (time_ns("61min"), "\"61min\"; allowed is at most 60min"),
            (
                rate("0bit"),
                "\"0bit\" is nothing; allowed is a rate greater than zero",
            ),
            (
                rate("999999999999999999999999Gbit"),
                "\"999999999999999999999999Gbit\"; allowed is at most 1000Gbit",
            ),
        ] {
            assert_eq!(found, Err(message.to_owned()));
        }
        assert_eq!(
            share("101%"),
            Err("\"101%\"; allowed is a share, 0% to 100%".to_owned())
        );
        assert_eq!(
            share("0.1"),
            Err("\"0.1\"; allowed is a share, 0% to 100%".to_owned())
        );
        assert_eq!(
            queue("0B"),
            Err("\"0B\" holds nothing; allowed is a queue greater than zero".to_owned())
        );
        assert!(queue("5").is_err() && queue("").is_err() && queue("5 µ").is_err());
    }
}
