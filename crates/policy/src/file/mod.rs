//! Reads a policy file: TOML, format 1. What isn't understood is refused, with line and reason; nothing has a silent default but what
//! `[steering]` leaves out, `visit` (0), `[[scatter]]` (none) and `loss_share`.
//!
//! | part | file |
//! |---|---|
//! | a table's keys, numbers and lists, and what is said where they are wrong | `section.rs` |
//! | `[axes]`, `[noise]`, `[steering]` | `scalars.rs` |
//! | `[[prior]]` | `priors.rs` |
//! | `[[scatter]]` | `scatters.rs` |

mod priors;
mod scalars;
mod scatters;
mod section;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;

use toml::de::DeTable;

use self::section::{Section, line_of};
use crate::policy::{Parts, Policy};

/// Longer is no policy file.
const BYTES_MOST: usize = 1 << 20;
const ABOUT_MOST: usize = 400;

/// Why a policy file was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// From 1; 0 where no line is to blame.
    pub line: u32,
    /// A sentence.
    pub reason: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

impl core::error::Error for PolicyError {}

impl Policy {
    /// Reads a policy file's text.
    ///
    /// Errors: what is wrong and in which line, where it isn't TOML or isn't a policy of format 1.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        if text.len() > BYTES_MOST {
            return Err(PolicyError {
                line: 0,
                reason: format!(
                    "the file has {} bytes, a policy at most {BYTES_MOST}",
                    text.len()
                ),
            });
        }
        let document = DeTable::parse(text).map_err(|error| PolicyError {
            line: error.span().map_or(0, |span| line_of(text, span.start)),
            reason: error.message().to_owned(),
        })?;
        let root = Section::root(text, document.get_ref());
        root.has_only(&[
            "format", "about", "margin", "axes", "noise", "steering", "prior", "scatter",
        ])?;
        let format = root.number("format")?;
        if format.value != 1.0 {
            return Err(root.wrong(
                format.line,
                format!("`format` is {}, and this reads format 1", format.value),
            ));
        }
        root.text_of_at_most("about", ABOUT_MOST)?;
        let margin = root.number("margin")?.within(&root, 0.0, 1.0)?;
        let axes = scalars::axes(&root.section("axes")?)?;
        let noise = scalars::noise(&root.section("noise")?)?;
        let steering = match root.optional_section("steering")? {
            Some(section) => scalars::steering(&section)?,
            None => Default::default(),
        };
        let priors = priors::priors(&root, &axes)?;
        let scatters = scatters::scatters(&root, &axes, &priors)?;
        let parts = Parts {
            axes,
            noise,
            steering,
            margin,
            priors: &priors,
            scatters: &scatters,
        };
        Policy::new(&parts).map_err(|reason| root.wrong(0, reason.to_owned()))
    }
}
