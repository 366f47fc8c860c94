//! Which URLs are the page's own.

use url::{Position, Url};

/// The origin under test, by the name that the page knows it by.
pub(crate) struct OwnHost {
    base: Url,
}

impl OwnHost {
    pub(crate) fn new(base: Url) -> OwnHost {
        OwnHost { base }
    }

    /// The URL on the origin under test, without a fragment: its own URLs, and those of its name over http or https
    /// with the scheme's own port, as a page recorded elsewhere has them. None where it leads to another host.
    pub(crate) fn own(&self, url: &Url) -> Option<Url> {
        let same = url.origin() == self.base.origin();
        let named = matches!(url.scheme(), "http" | "https")
            && url.port().is_none()
            && url.host_str() == self.base.host_str();
        if !same && !named {
            return None;
        }
        let mut own = self.base.clone();
        own.set_path(url.path());
        own.set_query(url.query());
        Some(own)
    }

    /// Path and query as they are asked for.
    pub(crate) fn path(url: &Url) -> String {
        url[Position::BeforePath..Position::AfterQuery].to_owned()
    }
}
