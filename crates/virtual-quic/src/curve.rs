//! A congestion window's course, thinned to what a person reads.

use std::time::Duration;

use crate::record::Sample;

/// The congestion window from one moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Virtual time.
    pub at: Duration,
    /// Bytes.
    pub window: u64,
}

/// The points at which the window is an eighth or more away from the point before; where it got there by one such step,
/// also the point from which it stepped. The first point and the last change are always among them.
#[must_use]
pub fn thinned(samples: &[Sample]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    let mut passed: Option<Point> = None;
    for sample in samples {
        let here = Point {
            at: sample.at,
            window: sample.window,
        };
        let Some(kept) = points.last().copied() else {
            points.push(here);
            continue;
        };
        let before = passed.unwrap_or(kept);
        if here.window == before.window {
            continue;
        }
        let stepped = is_away(before, here);
        if stepped || is_away(kept, here) {
            points.extend(passed.take().filter(|_| stepped));
            points.push(here);
        } else {
            passed = Some(here);
        }
    }
    points.extend(passed);
    points
}

/// Whether the window is an eighth or more away.
fn is_away(from: Point, to: Point) -> bool {
    8 * from.window.abs_diff(to.window) >= from.window
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Cause;

    /// The windows that are kept of these, a millisecond apart.
    fn kept(windows: &[u64]) -> Vec<u64> {
        let samples: Vec<Sample> = (0..)
            .zip(windows)
            .map(|(ms, window)| Sample {
                at: Duration::from_millis(ms),
                cause: Cause::Mtu { bytes: 1200 },
                window: *window,
                threshold: None,
                rtt: None,
            })
            .collect();
        let points = thinned(&samples);
        assert!(points.is_sorted_by_key(|point| point.at));
        points.into_iter().map(|point| point.window).collect()
    }

    #[test]
    fn small_steps_are_left_out_until_they_add_up() {
        assert_eq!(kept(&[80, 84, 88, 90, 95, 99]), [80, 90, 99]);
    }

    #[test]
    fn a_fall_stands_with_the_peak_before_it() {
        assert_eq!(kept(&[80, 84, 88, 44, 45]), [80, 88, 44, 45]);
    }

    #[test]
    fn a_fall_back_to_where_the_last_point_was_is_seen() {
        assert_eq!(kept(&[80, 89, 77, 80]), [80, 89, 77, 80]);
    }

    #[test]
    fn what_stays_is_told_once() {
        assert_eq!(kept(&[80, 80, 80]), [80]);
        assert!(kept(&[]).is_empty());
    }
}
