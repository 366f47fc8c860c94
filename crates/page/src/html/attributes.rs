//! An element's attributes, and what they mean wherever they stand.

use html5ever::tokenizer::Tag;

use crate::media;

/// The attributes of one element, references to characters decoded.
pub(crate) struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub(crate) fn of(tag: &Tag) -> Attributes {
        let pairs = tag.attrs.iter().map(|attribute| {
            (
                attribute.name.local.to_string(),
                attribute.value.to_string(),
            )
        });
        Attributes(pairs.collect())
    }

    pub(crate) fn new(pairs: Vec<(String, String)>) -> Attributes {
        Attributes(pairs)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(has, _)| has == name);
        found.map(|(_, value)| value.as_str())
    }

    /// An attribute's value; empty where it isn't there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or("")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the value is this word, in whatever case.
    pub(crate) fn is(&self, name: &str, word: &str) -> bool {
        self.text(name).trim().eq_ignore_ascii_case(word)
    }

    /// Whether the list of words has this one.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.text(name)
            .split_ascii_whitespace()
            .any(|has| has.eq_ignore_ascii_case(word))
    }

    /// What its event handlers run.
    pub(crate) fn handlers(&self) -> impl Iterator<Item = &str> {
        let handlers = self.0.iter().filter(|(name, _)| name.starts_with("on"));
        handlers.map(|(_, script)| script.as_str())
    }

    /// Whether its `media` fit.
    pub(crate) fn media_fit(&self) -> bool {
        media::fits(self.text("media"))
    }

    /// Whether the element says itself that it isn't shown.
    pub(crate) fn hidden(&self) -> bool {
        let mut style = self.text("style").to_ascii_lowercase();
        style.retain(|c| !c.is_ascii_whitespace());
        self.has("hidden") || style.contains("display:none")
    }

    pub(crate) fn lazy(&self) -> bool {
        self.is("loading", "lazy")
    }
}

/// Whether it is one of the media types of JavaScript (WHATWG MIME Sniffing).
pub(crate) fn is_javascript(media_type: &str) -> bool {
    let name = media_type.trim().to_ascii_lowercase();
    let Some((family, name)) = name.split_once('/') else {
        return false;
    };
    let version = |name: &str| matches!(name, "1.0" | "1.1" | "1.2" | "1.3" | "1.4" | "1.5");
    match (family, name) {
        ("application" | "text", "javascript" | "ecmascript" | "x-javascript" | "x-ecmascript") => {
            true
        }
        ("text", "jscript" | "livescript") => true,
        ("text", name) => name.strip_prefix("javascript").is_some_and(version),
        _ => false,
    }
}
