//! Sites that were recorded: which are served, and which are loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use pronghorn_client::{Itinerary, Steps};
use pronghorn_origin::Recorded;

use crate::answer::Fault;
use crate::request;

/// A file's size and the time of its modification.
type Stamp = (u64, SystemTime);

/// The last recorded site that was read, for as long as its table stays as it was.
#[derive(Default)]
pub(crate) struct RecordedCache(Option<(PathBuf, Stamp, Arc<Recorded>)>);

impl RecordedCache {
    pub(crate) fn read(&mut self, root: &Path) -> Result<Arc<Recorded>, Fault> {
        let now = stamp(&root.join(Recorded::TABLE));
        match &self.0 {
            Some((known, then, site)) if known == root && Some(*then) == now => {
                return Ok(site.clone());
            }
            _ => {}
        }
        let site = Arc::new(Recorded::read(root).map_err(Fault::input)?);
        self.0 = now.map(|now| (root.to_owned(), now, site.clone()));
        Ok(site)
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = file.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// What is to be loaded of a recorded page.
pub(crate) fn itinerary(asked: request::RecordedLoad) -> Result<Itinerary, Fault> {
    Ok(Itinerary {
        steps: Steps::read(&asked.requests).map_err(Fault::input)?,
        hosts: asked.hosts,
        compute: asked.compute,
    })
}
