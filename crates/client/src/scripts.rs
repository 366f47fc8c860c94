//! Scripts that a browser would run and this loader doesn't: those that may make requests are named.

use pronghorn_page::{DecodeError, Decoder, may_request};

use crate::budget::{Budget, MOST_READ};
use crate::navigation::Navigation;

/// Paths that are named; all are counted.
const MOST_NAMED: usize = 20;

/// A classic script as it came in a resource of its own. It is read once the load is over, so that none takes longer
/// for it.
pub(crate) struct Script {
    codings: String,
    /// None where the page has more than is kept.
    bytes: Option<Vec<u8>>,
}

impl Script {
    pub(crate) fn new(codings: String) -> Script {
        Script {
            codings,
            bytes: Some(Vec::new()),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8], budget: &mut Budget) {
        match &mut self.bytes {
            Some(kept) if budget.keep(bytes.len()) => kept.extend_from_slice(bytes),
            kept => *kept = None,
        }
    }

    /// Whether it may make requests, as one may that can't be read whole.
    pub(crate) fn may_request(&self, budget: &mut usize) -> bool {
        let Some(kept) = &self.bytes else {
            return true;
        };
        if *budget == 0 {
            return true;
        }
        match self.decoded(kept, *budget) {
            Ok(script) => {
                *budget -= script.len();
                may_request(&script)
            }
            Err(DecodeError::Unknown(_)) => true,
            // What a broken one unfolded to isn't known; there may be many more.
            Err(_) => {
                *budget = 0;
                true
            }
        }
    }

    fn decoded(&self, kept: &[u8], most: usize) -> Result<Vec<u8>, DecodeError> {
        let mut decoder = Decoder::new(&self.codings, most)?;
        let mut script = decoder.push(kept)?;
        script.extend(decoder.end()?);
        match script.len() <= most {
            true => Ok(script),
            false => Err(DecodeError::TooLarge(most)),
        }
    }
}

impl Navigation<'_> {
    /// The resources with scripts that may make requests, and how many such scripts there are.
    pub(crate) fn scripts_not_run(&self) -> (Vec<String>, usize) {
        let mut budget = MOST_READ;
        let inner = self.frames.iter().map(|frame| frame.requesting_scripts());
        let outer = (0..).zip(&self.resources);
        let outer =
            outer.map(|(index, one)| (index, usize::from(one.content.requesting(&mut budget))));
        let scripts: Vec<_> = inner.chain(outer).filter(|(_, count)| *count > 0).collect();
        let mut named = Vec::new();
        for (index, _) in &scripts {
            let path = &self.resources[*index].record.path;
            if named.len() < MOST_NAMED && !named.contains(path) {
                named.push(path.clone());
            }
        }
        (named, scripts.iter().map(|(_, count)| count).sum())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzipped(text: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(text).expect("compressed");
        writer.finish().expect("compressed")
    }

    fn script(bytes: &[u8]) -> Script {
        let mut script = Script::new("gzip".to_owned());
        script.push(bytes, &mut Budget::default());
        script
    }

    #[test]
    fn scripts_that_unfold_and_break_cost_their_budget_once() {
        let large = gzipped(&vec![b' '; 8 << 20]);
        let whole = script(&large);
        let broken = script(&large[..large.len() - 4]);
        let mut budget = MOST_READ;
        assert!(!whole.may_request(&mut budget));
        assert_eq!(budget, MOST_READ - (8 << 20));
        assert!(broken.may_request(&mut budget));
        assert_eq!(budget, 0);
        // From here on none is decoded.
        assert!(whole.may_request(&mut budget));
    }
}
