//! What is recorded of connections: the bench's flight, and the folders of qlogs.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pronghorn_flight::{ConnectionFlight, Recorder};
use pronghorn_http::{QlogFolder, QuicWatch};

use crate::answer::Fault;
use crate::answers::{FlightConnection, FlightTold, Qlogs};
use crate::request::FlightSpec;
use crate::versions;

/// The recordings of one bench.
#[derive(Default)]
pub(crate) struct Recordings {
    /// Who takes what connections do over time; none: nobody.
    pub(crate) flight: Option<Arc<Recorder>>,
    qlogs: Vec<Arc<QlogFolder>>,
}

impl Recordings {
    /// With a flight where that is asked for.
    pub(crate) fn new(flight: Option<&FlightSpec>) -> Result<Recordings, Fault> {
        let flight = flight.map(|spec| Recorder::new(spec.interval_s));
        Ok(Recordings {
            flight: flight.transpose().map_err(Fault::input)?,
            qlogs: Vec::new(),
        })
    }

    /// How the QUIC connections of a client or an origin are watched that leave qlogs in a folder, or none.
    pub(crate) fn watch(&mut self, qlog: Option<&Path>) -> Result<QuicWatch, Fault> {
        let folder = |folder: &Path| {
            let made = QlogFolder::new(folder);
            made.map_err(|error| Fault::input(format!("qlog = {}: {error}", folder.display())))
        };
        let qlog = qlog.map(folder).transpose()?;
        self.qlogs.extend(qlog.clone());
        Ok(QuicWatch {
            flight: self.flight.clone(),
            qlog,
        })
    }

    /// All that was recorded of the flight so far.
    pub(crate) fn flight(&self) -> Result<FlightTold, Fault> {
        let recorder = self.flight.as_ref();
        let recorder = recorder
            .ok_or_else(|| Fault::input("no flight is recorded: the bench was opened without"))?;
        let flight = recorder
            .flight()
            .ok_or_else(|| Fault::input("no flight is recorded yet: the path has not begun"))?;
        let told = |recorded: ConnectionFlight| FlightConnection {
            stack: stack(recorded.program),
            recorded,
        };
        Ok(FlightTold {
            clock_base_monotonic_s: flight.clock_base_monotonic_s,
            interval_s: flight.interval_s,
            connections: flight.connections.into_iter().map(told).collect(),
            cost: flight.cost,
        })
    }

    /// How many qlogs were begun, and what went wrong with the first that failed; none where none were asked for.
    pub(crate) fn qlogs(&self) -> Option<Qlogs> {
        if self.qlogs.is_empty() {
            return None;
        }
        Some(Qlogs {
            files: self.qlogs.iter().map(|folder| folder.files()).sum(),
            fault: self.qlogs.iter().find_map(|folder| folder.fault()),
        })
    }
}

/// A program with its version: one of the engine's libraries, or else the kernel.
fn stack(program: &str) -> String {
    match versions::libraries().get(program) {
        Some(version) => format!("{program} {version}"),
        None => {
            let release = fs::read_to_string("/proc/sys/kernel/osrelease");
            format!("{program} {}", release.unwrap_or_default().trim())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_flight_none_is_told() {
        let recordings = Recordings::new(None).expect("nothing is wrong");
        let fault = recordings.flight().err().expect("there is none");
        assert!(format!("{fault:?}").contains("opened without"));
        assert_eq!(recordings.qlogs(), None);
    }

    #[test]
    fn a_flight_that_has_not_begun_is_not_told() {
        let spec = FlightSpec { interval_s: 0.01 };
        let recordings = Recordings::new(Some(&spec)).expect("an interval");
        assert!(recordings.flight().is_err());
        recordings.flight.as_ref().expect("it is recorded").begin();
        let told = recordings.flight().expect("it has begun");
        assert!(told.connections.is_empty());
        assert!((told.interval_s - 0.01).abs() < f64::EPSILON);
        assert!(told.clock_base_monotonic_s > 0.0);
    }

    #[test]
    fn an_interval_at_which_nobody_can_look_is_refused() {
        let spec = FlightSpec { interval_s: 0.0 };
        assert!(Recordings::new(Some(&spec)).is_err());
    }

    #[test]
    fn stacks_have_versions() {
        for program in ["linux", "quinn-proto", "s2n-quic"] {
            let told = stack(program);
            let (name, version) = told.split_once(' ').expect("two words");
            assert!(
                !name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()),
                "{told}"
            );
        }
    }
}
