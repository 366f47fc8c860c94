//! Bounds on what one page may make the loader hold, which no real page meets.

use pronghorn_page::Kind;

/// Resources of a page.
pub(crate) const MOST_RESOURCES: usize = 10_000;

/// Decoded bytes that are read of a page, of each kind: 32 MiB.
pub(crate) const MOST_READ: usize = 32 << 20;

/// Documents of a page, its own and those in frames.
pub(crate) const MOST_FRAMES: usize = 200;

/// Frames within each other.
pub(crate) const DEEPEST_FRAME: usize = 10;

/// Imports of style sheets in a row.
pub(crate) const DEEPEST_IMPORT: usize = 32;

/// How many bytes were read of each kind.
#[derive(Default)]
pub(crate) struct Budget {
    documents: usize,
    sheets: usize,
    scripts: usize,
    classic: usize,
}

impl Budget {
    /// Takes so many bytes more; false where they are too many.
    pub(crate) fn take(&mut self, kind: Kind, bytes: usize) -> bool {
        let used = match kind {
            Kind::Document => &mut self.documents,
            Kind::Style => &mut self.sheets,
            _ => &mut self.scripts,
        };
        *used = used.saturating_add(bytes);
        *used <= MOST_READ
    }

    /// Takes so many bytes more of classic scripts, as they came; false where they are too many to be kept.
    pub(crate) fn keep(&mut self, bytes: usize) -> bool {
        self.classic = self.classic.saturating_add(bytes);
        self.classic <= MOST_READ
    }
}

/// What a kind's budget is for.
pub(crate) fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Document => "documents",
        Kind::Style => "style sheets",
        _ => "module scripts",
    }
}
