//! Traces of packet deliveries, as Mahimahi's `mm-link` reads them (mm-link(1)).
//!
//! Each line is a whole number of milliseconds since the start, none smaller than the one before; it
//! stands for one delivery of 1504 bytes. The last number, which is not 0, is the period
//! after which the trace begins again.

use crate::spec::Trace;
use crate::spec_error::SpecError;
use crate::text::{bounded, lines, shown, wrong};

/// Bytes of one delivery, and the bytes of a header that Mahimahi's TUN device puts before each IP
/// packet and `mm-link` counts (`IFF_TUN` without `IFF_NO_PI`): a packet of 1500 bytes fills a delivery.
pub(crate) const DELIVERY_BYTES: u64 = 1504;
pub(crate) const HEADER_BYTES: u64 = 4;

const KEY: &str = "trace.text";
/// A million seconds.
const LATEST_MS: u32 = 1_000_000_000;

/// A trace that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deliveries {
    millis: Vec<u32>,
    repeats: bool,
}

impl Deliveries {
    /// # Errors
    /// The first line that isn't allowed.
    pub(crate) fn parse(trace: &Trace) -> Result<Deliveries, SpecError> {
        bounded(KEY, &trace.text)?;
        let mut millis = Vec::new();
        let mut before = 0;
        for (line, word) in (1..).zip(lines(&trace.text)) {
            let ms = parse_line(word.trim()).map_err(|problem| wrong(KEY, line, problem))?;
            if ms < before {
                let problem = format!("{ms} after {before}; allowed is no smaller number");
                return Err(wrong(KEY, line, problem));
            }
            before = ms;
            millis.push(ms);
        }
        if before == 0 {
            let problem = "the trace ends at 0; allowed is a last number greater than 0";
            return Err(wrong(KEY, millis.len().max(1), problem));
        }
        Ok(Deliveries {
            millis,
            repeats: trace.repeat,
        })
    }

    /// When deliveries are, in milliseconds since the start; ascending, at least one.
    pub(crate) fn millis(&self) -> &[u32] {
        &self.millis
    }

    /// The last delivery's time, which is greater than 0.
    pub(crate) fn period_ms(&self) -> u64 {
        self.millis.last().copied().unwrap_or(1).max(1).into()
    }

    pub(crate) fn repeats(&self) -> bool {
        self.repeats
    }

    /// What it delivers in one period.
    pub(crate) fn mean_rate_bit_per_s(&self) -> f64 {
        let bits = self.millis.len() as f64 * (DELIVERY_BYTES * 8) as f64;
        bits / (self.period_ms() as f64 / 1000.0)
    }

    /// What it delivers in the fullest of its milliseconds, as a rate.
    pub(crate) fn peak_rate_bit_per_s(&self) -> f64 {
        let fullest = self
            .millis
            .chunk_by(|one, other| one == other)
            .map(<[u32]>::len)
            .max()
            .unwrap_or(0);
        // The last millisecond of one round is the zeroth of the next.
        let ends = |ms: u64| {
            self.millis
                .iter()
                .filter(|other| u64::from(**other) == ms)
                .count()
        };
        let seam = if self.repeats {
            ends(0) + ends(self.period_ms())
        } else {
            0
        };
        fullest.max(seam) as f64 * (DELIVERY_BYTES * 8) as f64 * 1000.0
    }
}

fn parse_line(word: &str) -> Result<u32, String> {
    if word.is_empty() {
        return Err("an empty line; allowed is a whole number of milliseconds".to_owned());
    }
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    match word.parse() {
        Ok(ms) if digits && ms <= LATEST_MS => Ok(ms),
        _ => Err(format!(
            "{}; allowed is a whole number of milliseconds, 0 to {LATEST_MS}",
            shown(word)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Deliveries, String> {
        let text = text.to_owned();
        Deliveries::parse(&Trace { text, repeat: true }).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_are_milliseconds_and_may_repeat() {
        let deliveries = parse("0\n3\n3\r\n10").expect("a trace");
        assert_eq!(deliveries.millis(), [0, 3, 3, 10]);
        assert_eq!(deliveries.period_ms(), 10);
        assert_eq!(deliveries.mean_rate_bit_per_s(), 4.0 * 12_032.0 / 0.01);
        assert_eq!(deliveries.peak_rate_bit_per_s(), 2.0 * 12_032.0 / 0.001);
    }

    #[test]
    fn wrong_lines_are_named() {
        let number = "allowed is a whole number of milliseconds";
        for (text, message) in [
            ("1\n\n2", format!("line 2: an empty line; {number}")),
            ("1\nx", format!("line 2: \"x\"; {number}, 0 to 1000000000")),
            ("-1", format!("line 1: \"-1\"; {number}, 0 to 1000000000")),
            ("+1", format!("line 1: \"+1\"; {number}, 0 to 1000000000")),
            (
                "1000000001",
                format!("line 1: \"1000000001\"; {number}, 0 to 1000000000"),
            ),
            (
                "5\n4",
                "line 2: 4 after 5; allowed is no smaller number".to_owned(),
            ),
            (
                "0\n0",
                "line 2: the trace ends at 0; allowed is a last number greater than 0".to_owned(),
            ),
            (
                "",
                "line 1: the trace ends at 0; allowed is a last number greater than 0".to_owned(),
            ),
        ] {
            assert_eq!(parse(text), Err(format!("trace.text, {message}")));
        }
    }

    #[test]
    fn a_text_has_bounds() {
        let lines = "1\n".repeat(1_000_001);
        assert_eq!(
            parse(&lines),
            Err("trace.text is more than 1000000 lines long; allowed is a text of at most 1000000 lines".to_owned())
        );
        let long = " ".repeat((16 << 20) + 1);
        assert_eq!(
            parse(&long),
            Err(
                "trace.text is 16777217 bytes long; allowed is a text of at most 16 MiB".to_owned()
            )
        );
    }
}
