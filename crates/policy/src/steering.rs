//! By which thresholds and times a policy file steers.

/// Thresholds and times of the policy file; directives override some.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steering {
    /// Offer h3 where the expected ln ratio is below −`enter`.
    pub enter: f64,
    /// Let go where it is above `leave`.
    pub leave: f64,
    /// How many further visits are expected of a key for each that it made, by which tries of h3 are valued. 0: none is tried.
    pub explore: f64,
    /// A key's steering changes no faster.
    pub dwell_s: u32,
    /// Alt-Svc's `ma` …
    pub lease_s: u32,
    /// … and where h3 is expected to be faster, and another look at h2 isn't worth what it costs.
    pub lease_most_s: u32,
    /// After turning off, no offer for so long; doubled each time.
    pub cool_down_s: u32,
    /// At most.
    pub cool_down_most_s: u32,
    /// Times that a client comes over TCP though it could have followed an offer, before it is offered none; and clients that do so, without any QUIC
    /// arriving, before their key counts as UDP-blocked (twice as many where it ever did). More than 12 count as 12.
    pub blocked_after: u32,
    /// Of outcomes and features.
    pub half_life_s: f64,
    /// Pins are drawn anew each epoch.
    pub epoch_s: u32,
    /// Share of keys pinned to each arm, 0 to 0.5.
    pub holdout: f64,
}

impl Default for Steering {
    fn default() -> Steering {
        Steering {
            enter: 0.02,
            leave: 0.02,
            explore: 0.3,
            dwell_s: 60,
            lease_s: 300,
            lease_most_s: 86_400,
            cool_down_s: 600,
            cool_down_most_s: 86_400,
            blocked_after: 4,
            half_life_s: 86_400.0,
            epoch_s: 86_400,
            holdout: 0.05,
        }
    }
}
