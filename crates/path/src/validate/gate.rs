//! What the gate's part of a specification may hold: MTU, the rule for UDP, outages.

use super::{HOUR_NS, SpecError, integer, require, validate_bucket};
use crate::spec::{LinkSpec, Outage, Udp, Window};

const MOST_WINDOWS: usize = 1_000_000;
/// A million seconds.
const LATEST_NS: u64 = 1_000_000_000_000_000;
/// Lengths on and off are drawn one by one, which takes time where there are many.
const SHORTEST_MEAN_NS: u64 = 1_000_000;

pub(super) fn validate_gate(spec: &LinkSpec) -> Result<(), SpecError> {
    if let Some(mtu) = spec.mtu {
        integer("mtu.bytes", mtu.bytes.into(), &(68..=65_535), "68 to 65535")?;
    }
    if let Some(Udp::Police(bucket)) = spec.udp {
        validate_bucket("udp.police", bucket)?;
    }
    match &spec.outage {
        None => Ok(()),
        Some(Outage::Scheduled { windows, repeat_ns }) => validate_windows(windows, *repeat_ns),
        Some(Outage::Random {
            on_mean_ns,
            off_mean_ns,
        }) => {
            let means = SHORTEST_MEAN_NS..=HOUR_NS;
            let allowed = "1000000 to 3600000000000 (a millisecond to an hour)";
            integer("outage.on_mean_ns", *on_mean_ns, &means, allowed)?;
            integer("outage.off_mean_ns", *off_mean_ns, &means, allowed)
        }
    }
}

fn validate_windows(windows: &[Window], repeat_ns: Option<u64>) -> Result<(), SpecError> {
    require(
        (1..=MOST_WINDOWS).contains(&windows.len()),
        "outage.windows",
        format!("a list of {}", windows.len()),
        &format!("a list of 1 to {MOST_WINDOWS}"),
    )?;
    let mut end_ns = 0;
    for (place, window) in windows.iter().enumerate() {
        let key = |name: &str| format!("outage.windows.{place}.{name}");
        let times = end_ns..=LATEST_NS;
        let allowed = format!("{end_ns} to {LATEST_NS}, since windows ascend and don't overlap");
        integer(&key("at_ns"), window.at_ns, &times, &allowed)?;
        let lengths = 1..=LATEST_NS;
        integer(
            &key("for_ns"),
            window.for_ns,
            &lengths,
            &format!("1 to {LATEST_NS}"),
        )?;
        end_ns = window.at_ns + window.for_ns;
    }
    repeat_ns.map_or(Ok(()), |period| {
        let allowed = format!("{end_ns} (the end of the last window) to {}", 2 * LATEST_NS);
        integer(
            "outage.repeat_ns",
            period,
            &(end_ns..=2 * LATEST_NS),
            &allowed,
        )
    })
}
