//! `[[prior]]`: what the laboratory measured.

use alloc::format;
use alloc::vec::Vec;

use super::PolicyError;
use super::section::{Number, Section};
use crate::axis::AXIS_MOST;
use crate::policy::{Axes, Plane, Prior};
use crate::sample::TcpControl;

pub(crate) fn priors(root: &Section<'_>, axes: &Axes) -> Result<Vec<Prior>, PolicyError> {
    let mut priors: Vec<Prior> = Vec::new();
    for section in root.sections("prior")? {
        let prior = prior(&section, axes)?;
        let same = |other: &Prior| (other.tcp, other.rate) == (prior.tcp, prior.rate);
        if priors.iter().any(same) {
            let reason = "there is a [[prior]] of this tcp and rate_mbit already".into();
            return Err(section.wrong(section.line(), reason));
        }
        priors.push(prior);
    }
    for control in [TcpControl::Cubic, TcpControl::Bbr, TcpControl::Reno] {
        let mut mapped = priors
            .iter()
            .filter(|prior| prior.tcp == control)
            .peekable();
        if mapped.peek().is_none() {
            continue;
        }
        let rates: Vec<usize> = mapped.map(|prior| prior.rate).collect();
        for (rate, mbit) in axes.rate_mbit.values().iter().enumerate() {
            if !rates.contains(&rate) {
                let reason = format!(
                    "there is no [[prior]] of tcp = \"{}\" and rate_mbit = {mbit}",
                    name(control)
                );
                return Err(root.wrong(0, reason));
            }
        }
    }
    Ok(priors)
}

fn prior(section: &Section<'_>, axes: &Axes) -> Result<Prior, PolicyError> {
    section.has_only(&["tcp", "rate_mbit", "ratio", "sd"])?;
    let (tcp, _) = control(section)?;
    let asked = section.number("rate_mbit")?;
    let rates = axes.rate_mbit.values();
    let rate = rates.iter().position(|rate| *rate == asked.value);
    let rate = rate.ok_or_else(|| {
        let reason = format!(
            "`rate_mbit` is {}, which isn't on the axis {rates:?}",
            asked.value
        );
        section.wrong(asked.line, reason)
    })?;
    let (rows, columns) = (axes.rtt_ms.values().len(), axes.loss.values().len());
    let ratio = section.matrix("ratio", ("rtt_ms", rows), columns)?;
    let sd = section.matrix("sd", ("rtt_ms", rows), columns)?;
    let mut plane: Plane = [[(1.0, 1.0); AXIS_MOST]; AXIS_MOST];
    for (to, (ratio, sd)) in plane.iter_mut().zip(ratio.iter().zip(&sd)) {
        fill(to, ratio, sd, section)?;
    }
    Ok(Prior { tcp, rate, plane })
}

/// The section's congestion control of TCP, and the line that says it.
pub(crate) fn control(section: &Section<'_>) -> Result<(TcpControl, u32), PolicyError> {
    let (tcp, line) = section.string("tcp")?;
    let known = [TcpControl::Cubic, TcpControl::Bbr, TcpControl::Reno];
    let tcp = known
        .into_iter()
        .find(|control| name(*control) == tcp)
        .ok_or_else(|| section.wrong(line, "`tcp` has to be cubic, bbr or reno".into()))?;
    Ok((tcp, line))
}

fn fill(
    row: &mut [(f64, f64); AXIS_MOST],
    ratio: &[Number],
    sd: &[Number],
    section: &Section<'_>,
) -> Result<(), PolicyError> {
    for (cell, (ratio, sd)) in row.iter_mut().zip(ratio.iter().zip(sd)) {
        *cell = (
            ratio.within(section, 0.01, 100.0)?,
            sd.within(section, 0.0001, 10.0)?,
        );
    }
    Ok(())
}

fn name(control: TcpControl) -> &'static str {
    match control {
        TcpControl::Cubic => "cubic",
        TcpControl::Bbr => "bbr",
        TcpControl::Reno => "reno",
        TcpControl::Unknown => "unknown",
    }
}
