//! The gateway's policy: what it makes of a client, and of a simulated population.

use std::net::Ipv4Addr;

use pronghorn_policy::{Ask, Policy, Protocol, Sample, Table, TcpControl};
use pronghorn_population::{Report, Spec, SpecError, simulate as play};

use crate::answer::Fault;
use crate::answers::{Judged, Judgement, Outcomes};
use crate::request::{Asking, Response, Stranger};

/// A table for one key after the other.
const TABLE_BYTES: usize = 1 << 16;

/// What the decision core does with clients that it meets for the first time, each with a table of its own.
pub(crate) fn judge(asking: &Asking) -> Result<Judged, Fault> {
    let policy =
        Policy::parse(&asking.text).map_err(|error| Fault::policy(error.line, &error.reason))?;
    let judged = asking.clients.iter().map(|one| decided(&policy, one));
    let clients = judged.collect::<Result<_, Fault>>()?;
    Ok(Judged { clients })
}

/// What the decision core compares of responses: the stratum and the logarithm of each, null where it believes nothing of one.
pub(crate) fn outcomes(responses: &[Response]) -> Outcomes {
    let outcome = |&Response(bytes, time_us, delivered)| {
        let sample = Sample {
            bytes,
            time_us,
            delivered,
            ..Sample::default()
        };
        sample.outcome().map(|outcome| (outcome.stratum, outcome.x))
    };
    Outcomes {
        outcomes: responses.iter().map(outcome).collect(),
    }
}

fn decided(policy: &Policy, client: &Stranger) -> Result<Judgement, Fault> {
    let mut memory = vec![0u64; TABLE_BYTES / 8];
    let mut table = Table::init(&mut memory, [0; 16]).map_err(Fault::bench)?;
    let keys = table.keys_of(Ipv4Addr::LOCALHOST.into(), 0, 0);
    let sample = Sample {
        min_rtt_us: client.rtt_ms.map_or(0, |rtt_ms| (rtt_ms * 1e3) as u32),
        rate_bytes_per_s: client.rate_mbit.map_or(0, |rate| (rate * 1e6 / 8.0) as u64),
        sent: client.sent,
        lost: client.lost,
        tcp_control: control(&client.tcp)?,
        ..Sample::default()
    };
    table.observe(policy, keys, Protocol::Tcp, &sample, 0);
    let nobody_pinned = Ask {
        holdout: 0.0,
        ..Ask::default()
    };
    let decision = table.decide(policy, keys, Protocol::Tcp, &nobody_pinned, 0);
    Ok(Judgement {
        gain: decision.gain,
        sd: decision.sd,
        action: decision.action.name(),
        reason: decision.reason.name(),
    })
}

fn control(name: &str) -> Result<TcpControl, Fault> {
    match name {
        "cubic" => Ok(TcpControl::Cubic),
        "bbr" => Ok(TcpControl::Bbr),
        "reno" => Ok(TcpControl::Reno),
        _ => Err(Fault::input(format!(
            "tcp = '{name}': cubic, bbr or reno is allowed"
        ))),
    }
}

/// Plays a population.
pub(crate) fn simulate(spec: &Spec) -> Result<Report, Fault> {
    play(spec).map_err(|error| match error {
        SpecError::Policy { line, reason } => Fault::policy(line, &reason),
        SpecError::Figure { .. } => Fault::input(error),
    })
}
