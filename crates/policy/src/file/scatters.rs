//! `[[scatter]]`: how much the laboratory's page loads scattered with one congestion control, and how much clients differ with it. There need be none.

use alloc::vec::Vec;

use super::PolicyError;
use super::priors::control;
use super::scalars::or_none;
use super::section::Section;
use crate::policy::{Axes, BetweenClients, Pages, Prior, SCATTER_MOST, Scatter};

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
        section.has_only(&[
            "tcp",
            "h2",
            "h3",
            "between_clients",
            "between_clients_slope",
        ])?;
        let (tcp, line) = control(&section)?;
        if scatters.iter().any(|other| other.tcp == tcp) {
            let reason = "there is a [[scatter]] of this tcp already".into();
            return Err(section.wrong(section.line(), reason));
        }
        if !priors.iter().any(|prior| prior.tcp == tcp) {
            let reason = "there is no [[prior]] of this tcp".into();
            return Err(section.wrong(line, reason));
        }
        let pages = [pages(&section, "h2", axes)?, pages(&section, "h3", axes)?];
        let between_clients = match section.optional_number("between_clients")? {
            Some(number) => Some(BetweenClients {
                sd: number.within(&section, 0.0, SCATTER_MOST)?,
                slope: or_none(&section, "between_clients_slope", SCATTER_MOST)?,
            }),
            None if section.has("between_clients_slope") => {
                return Err(section.missing("between_clients"));
            }
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

/// Standard deviations: a row for each rate, a column for each loss.
fn pages(section: &Section<'_>, key: &str, axes: &Axes) -> Result<Pages, PolicyError> {
    let (rates, losses) = (axes.rate_mbit.values().len(), axes.loss.values().len());
    let mut pages = Pages::default();
    let rows = section.matrix(key, ("rate_mbit", rates), losses)?;
    for (to, row) in pages.iter_mut().zip(&rows) {
        for (to, number) in to.iter_mut().zip(row) {
            *to = number.within(section, 0.0, SCATTER_MOST)?;
        }
    }
    Ok(pages)
}
