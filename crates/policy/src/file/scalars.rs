//! `[axes]`, `[noise]` and `[steering]`.

use alloc::format;
use alloc::vec::Vec;

use super::PolicyError;
use super::section::Section;
use crate::axis::{AXIS_MOST, Axis};
use crate::policy::{Axes, BetweenClients, Noise, SCATTER_MOST};
use crate::steering::Steering;

/// Without `loss_share`: 1, 1/4, 1/9 and so on. Most networks lose little, and a first page's packets alone couldn't say so.
const LOSS_SHARE: [f64; AXIS_MOST] = [
    1.0,
    1.0 / 4.0,
    1.0 / 9.0,
    1.0 / 16.0,
    1.0 / 25.0,
    1.0 / 36.0,
    1.0 / 49.0,
    1.0 / 64.0,
];

const DAY_S: u32 = 86_400;
const YEAR_S: u32 = 365 * DAY_S;

pub(crate) fn axes(section: &Section<'_>) -> Result<Axes, PolicyError> {
    section.has_only(&["rtt_ms", "loss", "rate_mbit", "loss_share"])?;
    let loss = axis(section, "loss", 0.0, 0.99)?;
    Ok(Axes {
        rtt_ms: axis(section, "rtt_ms", 0.01, 60_000.0)?,
        loss,
        rate_mbit: axis(section, "rate_mbit", 0.001, 1_000_000.0)?,
        loss_share: loss_share(section, loss.values().len())?,
    })
}

pub(crate) fn noise(section: &Section<'_>) -> Result<Noise, PolicyError> {
    section.has_only(&[
        "response",
        "visit",
        "between_clients",
        "between_clients_slope",
        "surface",
    ])?;
    let sd = |key, least| section.number(key)?.within(section, least, 10.0);
    Ok(Noise {
        response: sd("response", 0.001)?,
        visit: or_none(section, "visit", 10.0)?,
        between_clients: BetweenClients {
            sd: sd("between_clients", 0.0)?,
            slope: or_none(section, "between_clients_slope", SCATTER_MOST)?,
        },
        surface: sd("surface", 0.0)?,
    })
}

/// A number from 0 to `most`; 0 where there is none.
pub(super) fn or_none(section: &Section<'_>, key: &str, most: f64) -> Result<f64, PolicyError> {
    match section.optional_number(key)? {
        Some(number) => number.within(section, 0.0, most),
        None => Ok(0.0),
    }
}

pub(crate) fn steering(section: &Section<'_>) -> Result<Steering, PolicyError> {
    section.has_only(&[
        "enter",
        "leave",
        "explore",
        "dwell_s",
        "lease_s",
        "lease_most_s",
        "cool_down_s",
        "cool_down_most_s",
        "blocked_after",
        "half_life_s",
        "epoch_s",
        "holdout",
    ])?;
    let share = |key, default, most| match section.optional_number(key)? {
        Some(number) => number.within(section, 0.0, most),
        None => Ok(default),
    };
    let whole = |key, default, least, most| match section.optional_number(key)? {
        Some(number) => number.whole_within(section, least, most),
        None => Ok(default),
    };
    let default = Steering::default();
    Ok(Steering {
        enter: share("enter", default.enter, 1.0)?,
        leave: share("leave", default.leave, 1.0)?,
        explore: share("explore", default.explore, 100.0)?,
        dwell_s: whole("dwell_s", default.dwell_s, 0, YEAR_S)?,
        lease_s: whole("lease_s", default.lease_s, 1, YEAR_S)?,
        lease_most_s: whole("lease_most_s", default.lease_most_s, 1, YEAR_S)?,
        cool_down_s: whole("cool_down_s", default.cool_down_s, 0, YEAR_S)?,
        cool_down_most_s: whole("cool_down_most_s", default.cool_down_most_s, 0, YEAR_S)?,
        blocked_after: whole("blocked_after", default.blocked_after, 1, 255)?,
        half_life_s: match section.optional_number("half_life_s")? {
            Some(number) => number.within(section, 1.0, f64::from(YEAR_S))?,
            None => default.half_life_s,
        },
        epoch_s: whole("epoch_s", default.epoch_s, 1, YEAR_S)?,
        holdout: share("holdout", default.holdout, 0.5)?,
    })
}

fn axis(section: &Section<'_>, key: &str, least: f64, most: f64) -> Result<Axis, PolicyError> {
    let (numbers, line) = section.numbers(key)?;
    let values: Result<Vec<f64>, PolicyError> = numbers
        .iter()
        .map(|number| number.within(section, least, most))
        .collect();
    Axis::new(&values?).ok_or_else(|| {
        section.wrong(
            line,
            format!(
                "`{key}` needs 2 to {AXIS_MOST} values, each greater than the one before; it has {}",
                numbers.len()
            ),
        )
    })
}

fn loss_share(section: &Section<'_>, losses: usize) -> Result<[f64; AXIS_MOST], PolicyError> {
    let mut shares = LOSS_SHARE;
    if !section.has("loss_share") {
        return Ok(shares);
    }
    let (numbers, line) = section.numbers("loss_share")?;
    if numbers.len() != losses {
        let reason = format!(
            "`loss_share` needs {losses} numbers, one for each loss; it has {}",
            numbers.len()
        );
        return Err(section.wrong(line, reason));
    }
    for (share, number) in shares.iter_mut().zip(&numbers) {
        *share = number.within(section, 1e-6, 1e6)?;
    }
    Ok(shares)
}
