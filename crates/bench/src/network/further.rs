//! Further addresses of a bench's server, and how far away each is.

use std::net::IpAddr;

use pronghorn_path::{Far, PathSpec};

use crate::error::BenchError;
use crate::network::addressing::Addressing;

/// The addresses, one for each of the `delays_ns`, which become the path's: so much later what is sent to an
/// address arrives. An error where there are fewer of them.
pub(crate) fn addresses(
    addressing: Addressing,
    delays_ns: &[u64],
    path: &mut PathSpec,
) -> Result<Vec<IpAddr>, BenchError> {
    let addresses = addressing.further(delays_ns.len());
    if addresses.len() < delays_ns.len() {
        return Err(BenchError::OutOfRange {
            key: "further_addresses",
            asked: u32::try_from(delays_ns.len()).unwrap_or(u32::MAX),
            least: 0,
            most: addresses.len() as u32,
        });
    }
    let far: Vec<_> = addresses
        .iter()
        .zip(delays_ns)
        .filter(|(_, delay_ns)| **delay_ns > 0)
        .map(|(address, delay_ns)| Far {
            address: *address,
            delay_ns: *delay_ns,
        })
        .collect();
    if let Some(handover) = &mut path.handover {
        handover.path.up.far.clone_from(&far);
    }
    path.up.far = far;
    Ok(addresses)
}
