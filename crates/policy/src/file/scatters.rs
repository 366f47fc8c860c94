//! `[[scatter]]`: how much the laboratory's page loads scattered with one congestion control, and how much clients differ with it. There need be none.

use alloc::format;
use alloc::vec::Vec;

use super::PolicyError;
use super::priors::control;
use super::section::Section;
use crate::axis::AXIS_MOST;
use crate::policy::{Axes, Prior, Scatter};

pub(crate) fn scatters(
    root: &Section<'_>,
    axes: &Axes,
    priors: &[Prior],
) -> Result<Vec<Scatter>, PolicyError> {
    let mut scatters: Vec<Scatter> = Vec::new();
    if !root.has("scatter") {
        return Ok(scatters);
    }
    for section in root.sections("scatter")? {
        section.has_only(&["tcp", "h2", "h3", "between_clients"])?;
        let (tcp, line) = control(&section)?;
        if scatters.iter().any(|other| other.tcp == tcp) {
            let reason = "there is a [[scatter]] of this tcp already".into();
            return Err(section.wrong(section.line(), reason));
        }
        if !priors.iter().any(|prior| prior.tcp == tcp) {
            let reason = "there is no [[prior]] of this tcp".into();
            return Err(section.wrong(line, reason));
        }
        let losses = axes.loss.values().len();
        let pages = [row(&section, "h2", losses)?, row(&section, "h3", losses)?];
        let between_clients = match section.optional_number("between_clients")? {
            Some(number) => Some(number.within(&section, 0.0, 10.0)?),
            None => None,
        };
        scatters.push(Scatter {
            tcp,
            pages,
            between_clients,
        });
    }
    Ok(scatters)
}

fn row(section: &Section<'_>, key: &str, losses: usize) -> Result<[f64; AXIS_MOST], PolicyError> {
    let (numbers, line) = section.numbers(key)?;
    if numbers.len() != losses {
        let reason = format!(
            "`{key}` needs {losses} numbers, one for each loss; it has {}",
            numbers.len()
        );
        return Err(section.wrong(line, reason));
    }
    let mut row = [0.0; AXIS_MOST];
    for (to, number) in row.iter_mut().zip(&numbers) {
        *to = number.within(section, 0.0, 10.0)?;
    }
    Ok(row)
}
