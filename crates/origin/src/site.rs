//! The files that an origin serves, held in memory.

use std::collections::HashMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::target;

/// A resource: its body and the media type by which browsers know what it is.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) body: Bytes,
    pub(crate) media_type: &'static str,
}

/// A static site: every regular file below a folder by its path from the root, `/` being `/index.html`, and with the
/// query that its name may hold.
#[derive(Debug)]
pub struct Site {
    resources: HashMap<String, Resource>,
}

/// A file or folder of the site that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("can't read the site's {path}: {source}", path = path.display())]
pub struct SiteError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl Site {
    /// Reads every file below `root`. Links are not followed.
    pub fn read(root: &Path) -> Result<Site, SiteError> {
        let mut resources = HashMap::new();
        walk(root, "", &mut |path, file, _| {
            let body = std::fs::read(file).map_err(|source| SiteError {
                path: file.to_owned(),
                source,
            })?;
            let resource = Resource {
                body: Bytes::from(body),
                media_type: target::media_type_of_file(path),
            };
            for key in target::keys_of_file(path) {
                resources.insert(key, resource.clone());
            }
            Ok(())
        })?;
        Ok(Site { resources })
    }

    /// A number that changes when a file below `root` comes, goes, or changes its size or its time of
    /// modification: whether a site that was read is still what the folder holds.
    pub fn fingerprint(root: &Path) -> Result<u64, SiteError> {
        let mut hasher = DefaultHasher::new();
        walk(root, "", &mut |path, file, metadata| {
            let modified = metadata.modified().map_err(|source| SiteError {
                path: file.to_owned(),
                source,
            })?;
            (path, metadata.len(), modified).hash(&mut hasher);
            Ok(())
        })?;
        Ok(hasher.finish())
    }

    /// Every resource with each of its keys: path and query, decoded.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (&str, &Resource)> {
        self.resources
            .iter()
            .map(|(key, resource)| (key.as_str(), resource))
    }
}

/// Shows every regular file below `folder` in the order of names: its path from the root, where it
/// lies, and its metadata. Links and names that aren't UTF-8 are passed over.
fn walk(
    folder: &Path,
    prefix: &str,
    show: &mut impl FnMut(&str, &Path, &Metadata) -> Result<(), SiteError>,
) -> Result<(), SiteError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| SiteError { path, source }
    };
    let entries = std::fs::read_dir(folder).map_err(failed(folder))?;
    let mut entries = entries
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed(folder))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let file = entry.path();
        let metadata = entry.metadata().map_err(failed(&file))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{prefix}/{name}");
        if metadata.is_dir() {
            walk(&file, &path, show)?;
        } else if metadata.is_file() {
            show(&path, &file, &metadata)?;
        }
    }
    Ok(())
}
