//! What a bench may ask of its hosts' TCP beside the congestion control.

use std::{fs, io};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::BenchError;
use crate::network::tcp_settings::{
    RECEIVE_MEMORY, SEND_MEMORY, SLOW_START_AFTER_IDLE, file_of, three_figures,
};

/// What to set of both hosts' TCP, for all programs. Null or absent: as the kernel has it. A setting that the kernel refuses
/// is a `host` error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TcpKnobs {
    /// The initial congestion window in segments, 1 to 65535: `initcwnd` of the routes over the path, not of the cross
    /// traffic's. What the receiver's first window (about 64 kB) doesn't allow reads back and is not used.
    pub initial_window_segments: Option<u32>,
    /// Bytes to which receive buffers grow, 4096 to 2^30: the third figure of `net.ipv4.tcp_rmem`. The first two are
    /// lowered where they are above it.
    pub receive_buffer: Option<u32>,
    /// Bytes to which send buffers grow, 4096 to 2^30: the third figure of `net.ipv4.tcp_wmem`, likewise.
    pub send_buffer: Option<u32>,
    /// Whether a connection that was idle for a retransmission timeout begins again with its initial window
    /// (`net.ipv4.tcp_slow_start_after_idle`).
    pub slow_start_after_idle: Option<bool>,
}

/// The most segments of an initial window, far beyond any path's; their bytes fit the kernel's integers.
const MOST_SEGMENTS: u32 = u16::MAX as u32;
/// The least and the most bytes of a buffer: the kernel's own minimum, and what its integers hold with room to double.
const BUFFER: (u32, u32) = (4096, 1 << 30);

impl TcpKnobs {
    /// Whether all can be asked of a kernel.
    ///
    /// # Errors
    /// [`BenchError::OutOfRange`], with the name of the first that can't.
    pub fn validate(&self) -> Result<(), BenchError> {
        let knobs = [
            (
                "initial_window_segments",
                self.initial_window_segments,
                (1, MOST_SEGMENTS),
            ),
            ("receive_buffer", self.receive_buffer, BUFFER),
            ("send_buffer", self.send_buffer, BUFFER),
        ];
        for (key, asked, (least, most)) in knobs {
            match asked {
                Some(asked) if !(least..=most).contains(&asked) => {
                    return Err(BenchError::OutOfRange {
                        key,
                        asked,
                        least,
                        most,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Sets those of the calling thread's network namespace; the initial window is the routes'.
    pub(crate) fn apply(&self) -> Result<(), BenchError> {
        for (name, most) in [
            (RECEIVE_MEMORY, self.receive_buffer),
            (SEND_MEMORY, self.send_buffer),
        ] {
            if let Some(most) = most {
                bound(name, most)?;
            }
        }
        match self.slow_start_after_idle {
            Some(on) => set(SLOW_START_AFTER_IDLE, &u8::from(on).to_string()),
            None => Ok(()),
        }
    }
}

/// Bounds the buffers of a memory setting; its minimum and its default aren't above that.
fn bound(name: &'static str, most: u32) -> Result<(), BenchError> {
    let figures = three_figures(name).ok_or_else(|| refused(name, most, unreadable()))?;
    let [least, first] = [figures[0], figures[1]].map(|figure| figure.min(most.into()));
    set(name, &format!("{least} {first} {most}"))
}

/// Sets one, and makes sure that the kernel has taken it.
fn set(name: &'static str, value: &str) -> Result<(), BenchError> {
    let done = fs::write(file_of(name), value).and_then(|()| {
        let found = fs::read_to_string(file_of(name))?;
        match found.split_whitespace().eq(value.split_whitespace()) {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "it is `{}` now",
                found.trim_end()
            ))),
        }
    });
    done.map_err(|source| refused(name, value, source))
}

fn refused(name: &'static str, value: impl ToString, source: io::Error) -> BenchError {
    BenchError::Setting {
        name,
        value: value.to_string(),
        source,
    }
}

fn unreadable() -> io::Error {
    io::Error::other("what it is now can't be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_kernel_takes_is_refused_by_name() {
        let good = TcpKnobs {
            initial_window_segments: Some(1),
            receive_buffer: Some(4096),
            send_buffer: Some(1 << 30),
            slow_start_after_idle: Some(false),
        };
        assert!(good.validate().is_ok() && TcpKnobs::default().validate().is_ok());
        for (bad, name) in [
            (
                TcpKnobs {
                    initial_window_segments: Some(0),
                    ..good
                },
                "initial_window_segments",
            ),
            (
                TcpKnobs {
                    receive_buffer: Some(4095),
                    ..good
                },
                "receive_buffer",
            ),
            (
                TcpKnobs {
                    send_buffer: Some((1 << 30) + 1),
                    ..good
                },
                "send_buffer",
            ),
        ] {
            let refused = bad.validate().expect_err("it is out of range").to_string();
            assert!(refused.starts_with(name), "{refused}");
        }
    }
}
