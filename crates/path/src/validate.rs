//! What a specification may hold.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::distribution_table;
use crate::family::Family;
use crate::spec::{
    Cross, Direction, Distribution, Handover, Jitter, LinkSpec, Loss, PathSpec, TokenBucket,
};
use crate::spec_error::SpecError;

mod bottleneck;
mod gate;

use bottleneck::validate_bottleneck;
use gate::validate_gate;

const HOUR_NS: u64 = 3_600_000_000_000;
const RATES: RangeInclusive<u64> = 1..=1_000_000_000_000;
const CROSS_FLOWS: RangeInclusive<u64> = 1..=64;
/// Bytes of a congestion control's name in the kernel (`TCP_CA_NAME_MAX` without the zero at its end).
const LONGEST_CONTROL: usize = 15;
/// Of packets, a gap or a burst.
const COUNTS: RangeInclusive<u64> = 1..=1_000_000_000;
const COUNTS_IN_WORDS: &str = "1 to 1000000000";
const LISTED_PACKETS: usize = 1_000_000;

impl PathSpec {
    /// Checks both links, and what concerns both.
    ///
    /// # Errors
    /// The first value that isn't allowed, `down` before `up`.
    pub fn validate(&self) -> Result<(), SpecError> {
        [Direction::Down, Direction::Up]
            .into_iter()
            .try_for_each(|way| {
                self.link(way)
                    .validate()
                    .map_err(|error| error.within(way.name()))
            })?;
        self.validate_family()?;
        for (place, pair) in self.rebind_ns.windows(2).enumerate() {
            require(
                pair[0] < pair[1],
                &format!("rebind_ns.{}", place + 1),
                pair[1],
                &format!("more than {}, since the times ascend", pair[0]),
            )?;
        }
        self.cross.as_ref().map_or(Ok(()), Cross::validate)?;
        self.handover
            .as_ref()
            .map_or(Ok(()), |handover| self.validate_handover(handover))
    }

    /// Checks what only one version of IP allows.
    fn validate_family(&self) -> Result<(), SpecError> {
        let least = self.family.least_mtu();
        for way in [Direction::Down, Direction::Up] {
            if let Some(mtu) = self.link(way).mtu.filter(|mtu| mtu.bytes < least) {
                return Err(SpecError::Misplaced {
                    key: format!("{}.mtu.bytes", way.name()),
                    value: mtu.bytes.to_string(),
                    allowed: format!("{least} to 65535 where the family is 6"),
                });
            }
        }
        if self.family == Family::Six && !self.rebind_ns.is_empty() {
            return Err(SpecError::Misplaced {
                key: "rebind_ns".to_owned(),
                value: "set".to_owned(),
                allowed: "nothing where the family is 6: clients of IPv6 have no NAT before them"
                    .to_owned(),
            });
        }
        Ok(())
    }

    fn validate_handover(&self, handover: &Handover) -> Result<(), SpecError> {
        let other = &handover.path;
        let within = |error: SpecError| error.within("handover.path");
        if other.family != self.family {
            return Err(within(SpecError::Misplaced {
                key: "family".to_owned(),
                value: u8::from(other.family).to_string(),
                allowed: format!("the first path's, {}", u8::from(self.family)),
            }));
        }
        other
            .unmoved()
            .and_then(|()| other.validate())
            .map_err(within)?;
        PathSpec {
            handover: None,
            ..self.clone()
        }
        .unmoved()
    }

    /// Checks that a handover from it or to it can be.
    fn unmoved(&self) -> Result<(), SpecError> {
        let alone = |key: &str, absent: bool| match absent {
            true => Ok(()),
            false => Err(SpecError::Misplaced {
                key: key.to_owned(),
                value: "set".to_owned(),
                allowed:
                    "nothing beside a handover, from which and to which the path has only its links"
                        .to_owned(),
            }),
        };
        alone("rebind_ns", self.rebind_ns.is_empty())?;
        alone("cross", self.cross.is_none())?;
        alone("handover", self.handover.is_none())
    }
}

impl Cross {
    /// Checks every value but whether the kernel has that congestion control.
    fn validate(&self) -> Result<(), SpecError> {
        integer(
            "cross.flows",
            u64::from(self.flows),
            &CROSS_FLOWS,
            "1 to 64",
        )?;
        let name = &self.tcp_congestion_control;
        let named = (1..=LONGEST_CONTROL).contains(&name.len()) && !name.contains('\0');
        let allowed = "a name of 1 to 15 bytes";
        require(
            named,
            "cross.tcp_congestion_control",
            format!("{name:?}"),
            allowed,
        )?;
        duration("cross.warmup_ns", self.warmup_ns)
    }
}

impl LinkSpec {
    /// Checks every value of the link, in the order of the fields.
    ///
    /// # Errors
    /// The first value that isn't allowed.
    pub fn validate(&self) -> Result<(), SpecError> {
        validate_gate(self)?;
        duration("delay_ns", self.delay_ns)?;
        if let Some(jitter) = &self.jitter {
            duration("jitter.spread_ns", jitter.spread_ns)?;
            probability("jitter.correlation", jitter.correlation)?;
            validate_table(jitter)?;
        }
        if let Some(reorder) = &self.reorder {
            probability("reorder.probability", reorder.probability)?;
            probability("reorder.correlation", reorder.correlation)?;
            integer("reorder.gap", reorder.gap.into(), &COUNTS, COUNTS_IN_WORDS)?;
        }
        if let Some(loss) = &self.loss {
            validate_loss(loss)?;
        }
        probability("duplicate", self.duplicate)?;
        probability("duplicate_correlation", self.duplicate_correlation)?;
        probability("corrupt", self.corrupt)?;
        probability("corrupt_correlation", self.corrupt_correlation)?;
        validate_bottleneck(self)
    }
}

fn validate_table(jitter: &Jitter) -> Result<(), SpecError> {
    match (jitter.distribution, &jitter.table) {
        (Distribution::Table, Some(text)) => distribution_table::parse(text).map(|_| ()),
        (Distribution::Table, None) => require(
            false,
            "jitter.table",
            "not set",
            "the text of a distribution, which the distribution `table` needs",
        ),
        (_, None) => Ok(()),
        (_, Some(_)) => require(
            false,
            "jitter.table",
            "set",
            "a table only beside the distribution `table`",
        ),
    }
}

fn validate_loss(loss: &Loss) -> Result<(), SpecError> {
    match *loss {
        Loss::Independent {
            probability: p,
            correlation,
            longest_burst,
        } => {
            probability("loss.probability", p)?;
            probability("loss.correlation", correlation)?;
            longest_burst.map_or(Ok(()), |packets| {
                integer(
                    "loss.longest_burst",
                    packets.into(),
                    &COUNTS,
                    COUNTS_IN_WORDS,
                )
            })
        }
        Loss::GilbertElliott {
            enter,
            leave,
            loss_bad,
            loss_good,
        } => {
            probability("loss.enter", enter)?;
            probability("loss.leave", leave)?;
            probability("loss.loss_bad", loss_bad)?;
            probability("loss.loss_good", loss_good)
        }
        Loss::FourState {
            p13,
            p31,
            p32,
            p23,
            p14,
        } => {
            probability("loss.p13", p13)?;
            probability("loss.p31", p31)?;
            probability("loss.p32", p32)?;
            probability("loss.p23", p23)?;
            probability("loss.p14", p14)?;
            exclusive("loss.p14", p14, "p13", p13)?;
            exclusive("loss.p32", p32, "p31", p31)
        }
        Loss::Packets { ref numbers } => validate_numbers(numbers),
    }
}

/// Two ways out of one state: together they are certain at most, but for rounding.
fn exclusive(key: &str, value: f64, other: &str, taken: f64) -> Result<(), SpecError> {
    let allowed = format!("0 to {}, since {other} is {taken}", 1.0 - taken);
    require(value + taken <= 1.0 + 1e-12, key, value, &allowed)
}

fn validate_numbers(numbers: &[u64]) -> Result<(), SpecError> {
    let many = numbers.len();
    require(
        many <= LISTED_PACKETS,
        "loss.numbers",
        format!("a list of {many}"),
        &format!("a list of {LISTED_PACKETS} at most"),
    )?;
    let mut before = 0;
    for (place, number) in numbers.iter().enumerate() {
        if *number <= before {
            return Err(SpecError::OutOfRange {
                key: format!("loss.numbers.{place}"),
                value: number.to_string(),
                allowed: format!("more than {before}, since the numbers ascend from 1"),
            });
        }
        before = *number;
    }
    Ok(())
}

fn validate_bucket(key: &str, bucket: TokenBucket) -> Result<(), SpecError> {
    let rate = bucket.rate_bit_per_s;
    validate_rate(&format!("{key}.rate_bit_per_s"), rate)?;
    let burst = bucket.burst_bytes;
    let bytes = 1..=1_000_000_000_000;
    integer(
        &format!("{key}.burst_bytes"),
        burst,
        &bytes,
        "1 to 1000000000000",
    )
}

fn validate_rate(key: &str, rate: u64) -> Result<(), SpecError> {
    integer(key, rate, &RATES, "1 to 1000000000000 (1 Tbit/s)")
}

fn duration(key: &str, nanos: u64) -> Result<(), SpecError> {
    integer(key, nanos, &(0..=HOUR_NS), "0 to 3600000000000 (an hour)")
}

fn probability(key: &str, value: f64) -> Result<(), SpecError> {
    require((0.0..=1.0).contains(&value), key, value, "0 to 1")
}

fn integer(
    key: &str,
    value: u64,
    range: &RangeInclusive<u64>,
    allowed: &str,
) -> Result<(), SpecError> {
    require(range.contains(&value), key, value, allowed)
}

fn require(ok: bool, key: &str, value: impl Display, allowed: &str) -> Result<(), SpecError> {
    if ok {
        return Ok(());
    }
    Err(SpecError::OutOfRange {
        key: key.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    })
}
