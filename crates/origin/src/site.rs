//! The files that an origin serves, held in memory.

use std::collections::{BTreeMap, HashMap};
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::coding::Coding;
use crate::target;

/// The folder at a site's root that other servers look their files up in; nobody asks for what is in it.
const OTHERS: &str = "/.pronghorn/";

/// Bytes that a file may have; what a page loads is far smaller.
const MOST_IN_A_FILE: u64 = 1 << 30;
/// Bytes that all files of a site may have: they are held in memory.
const MOST_IN_ALL: u64 = 2 << 30;

/// A resource: its body, the media type by which browsers know what it is, what tells this content from any other, and
/// the same body coded, in the order of preference.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) body: Bytes,
    pub(crate) media_type: &'static str,
    pub(crate) hash: u64,
    pub(crate) coded: Vec<(Coding, Bytes)>,
}

/// A static site: every regular file below a folder by its path from the root, `/` being `/index.html`, and with the
/// query that its name may hold. A file beside another, whose name it has with `.br`, `.zst` or `.gz` after it, is no
/// resource but the other in that coding.
#[derive(Debug)]
pub struct Site {
    resources: HashMap<String, Resource>,
}

/// Why a folder can't be a site.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file or folder can't be read.
    #[error("can't read the site's {path}: {source}", path = path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is too large.
    #[error("the site's {path} has {bytes} bytes; a file may have {MOST_IN_A_FILE} (1 GiB)", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What it holds.
        bytes: u64,
    },
    /// All files together are too large.
    #[error("the site {root} has more than {MOST_IN_ALL} bytes (2 GiB), which are held in memory", root = root.display())]
    TooLargeInAll {
        /// The site's folder.
        root: PathBuf,
    },
}

impl Site {
    /// Reads every file below `root`. Links are not followed, and files are measured before they are read.
    pub fn read(root: &Path) -> Result<Site, SiteError> {
        let mut files = BTreeMap::new();
        let mut total = 0;
        walk(root, "", &mut |path, file, metadata| {
            let bytes = metadata.len();
            total += bytes;
            if bytes > MOST_IN_A_FILE {
                let path = file.to_owned();
                return Err(SiteError::TooLarge { path, bytes });
            }
            if total > MOST_IN_ALL {
                let root = root.to_owned();
                return Err(SiteError::TooLargeInAll { root });
            }
            if !path.starts_with(OTHERS) {
                files.insert(path.to_owned(), file.to_owned());
            }
            Ok(())
        })?;
        let mut resources = HashMap::new();
        for (path, file) in &files {
            let plain = Coding::ALL
                .iter()
                .find_map(|coding| path.strip_suffix(coding.ending()));
            if plain.is_some_and(|plain| files.contains_key(plain)) {
                continue;
            }
            let coded = Coding::ALL.into_iter().filter_map(|coding| {
                let file = files.get(&format!("{path}{}", coding.ending()))?;
                Some(content(file).map(|body| (coding, body)))
            });
            let body = content(file)?;
            let resource = Resource {
                media_type: target::media_type_of_file(path),
                hash: hash(&body),
                body,
                coded: coded.collect::<Result<_, _>>()?,
            };
            for key in target::keys_of_file(path) {
                resources.insert(key, resource.clone());
            }
        }
        Ok(Site { resources })
    }

    /// A number that changes when a file below `root` comes, goes, or changes its size or its time of
    /// modification: whether a site that was read is still what the folder holds.
    pub fn fingerprint(root: &Path) -> Result<u64, SiteError> {
        let mut hasher = DefaultHasher::new();
        walk(root, "", &mut |path, file, metadata| {
            let modified = metadata.modified().map_err(unreadable(file))?;
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
    let entries = std::fs::read_dir(folder).map_err(unreadable(folder))?;
    let mut entries = entries
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable(folder))?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let file = entry.path();
        let metadata = entry.metadata().map_err(unreadable(&file))?;
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

/// What a file holds.
pub(crate) fn content(file: &Path) -> Result<Bytes, SiteError> {
    let opened = std::fs::File::open(file).map_err(unreadable(file))?;
    let mut bytes = Vec::new();
    // It may have grown since it was measured.
    let read = opened.take(MOST_IN_A_FILE + 1).read_to_end(&mut bytes);
    match read.map_err(unreadable(file))? as u64 {
        bytes if bytes > MOST_IN_A_FILE => Err(SiteError::TooLarge {
            path: file.to_owned(),
            bytes,
        }),
        _ => Ok(Bytes::from(bytes)),
    }
}

fn hash(body: &Bytes) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> SiteError {
    let path = path.to_owned();
    move |source| SiteError::Unreadable { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        for (name, content) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, content).expect("a file");
        }
        folder
    }

    #[test]
    fn a_coded_file_belongs_to_the_plain_one_beside_it() {
        let folder = folder(&[
            ("index.html", b"page"),
            ("a.css", b"plain"),
            ("a.css.gz", b"gz"),
            ("a.css.br", b"br"),
            ("alone.tar.gz", b"archive"),
            (".pronghorn/br/1.css", b"br"),
        ]);
        let site = Site::read(folder.path()).expect("a readable site");
        let mut paths: Vec<_> = site.resources().map(|(path, _)| path).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["/", "/a.css", "/alone.tar.gz", "/index.html"]);
        let coded = &site.resources["/a.css"].coded;
        assert_eq!(
            coded[..],
            [(Coding::Br, "br".into()), (Coding::Gzip, "gz".into())]
        );
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_read() {
        let folder = folder(&[("index.html", b"page")]);
        let sparse = |name: &str, bytes: u64| {
            let file = std::fs::File::create(folder.path().join(name)).expect("a file");
            file.set_len(bytes).expect("a sparse file");
        };
        for name in ["a.bin", "b.bin", "c.bin"] {
            sparse(name, MOST_IN_A_FILE);
        }
        let refused = Site::read(folder.path());
        assert!(matches!(refused, Err(SiteError::TooLargeInAll { .. })));
        sparse("a.bin", 900 << 30);
        let refused = Site::read(folder.path()).expect_err("a refusal");
        assert!(matches!(refused, SiteError::TooLarge { .. }));
        assert!(refused.to_string().contains("a.bin has 966367641600 bytes"));
    }
}
