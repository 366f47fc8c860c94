//! What is known of a document so far, and what it turned out to refer to.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use crate::base::{Base, UrlBudget, base_url, bounded, is_cut};
use crate::css::selectors::Elements;
use crate::css::{Rule, Sheet, inline_style};
use crate::modules::static_imports;
use crate::policy::Policies;
use crate::reference::{Kind, Place, Reference, Role};
use crate::scripts::may_request;

/// Elements with a `style` of their own that are told apart.
const MOST_OWN_STYLES: usize = 20_000;

/// Import map entries for all modules below a prefix: each import is held against all of them. Those beyond are passed
/// over.
const MOST_PREFIXES: usize = 1000;

/// Something that a document turned out to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It refers to a resource.
    Reference(Reference),
    /// A frame whose document stands in the page, at `base`.
    Inline {
        /// The frame's document.
        html: String,
        /// What its URLs are relative to.
        base: Url,
    },
}

/// A document while it is read.
pub(crate) struct Page {
    url: Url,
    base: Option<Url>,
    pub(crate) urls: UrlBudget,
    pub(crate) encoding: &'static Encoding,
    pub(crate) in_body: bool,
    pub(crate) elements: Elements,
    ascii: [bool; 128],
    others: BTreeSet<u32>,
    pub(crate) own_styles: Vec<Rule>,
    pub(crate) sheets: Vec<Sheet>,
    /// The import map, and of it the entries for all modules below a prefix.
    imports: HashMap<String, Url>,
    prefixes: Vec<(String, Url)>,
    pub(crate) policies: Policies,
    /// The page that this one is a stub for.
    pub(crate) next: Option<Reference>,
    /// Whether the element that is read has a nonce.
    pub(crate) trusted: bool,
    pub(crate) found: Vec<Found>,
    /// Scripts that stand in it, event handlers too, and may make requests.
    pub(crate) requesting: usize,
}

impl Page {
    pub(crate) fn new(url: Url, urls: UrlBudget) -> Page {
        Page {
            url,
            base: None,
            urls,
            encoding: UTF_8,
            in_body: false,
            elements: Elements::new(),
            ascii: [false; 128],
            others: BTreeSet::new(),
            own_styles: Vec::new(),
            sheets: Vec::new(),
            imports: HashMap::new(),
            prefixes: Vec::new(),
            policies: Policies::default(),
            next: None,
            trusted: false,
            found: Vec::new(),
            requesting: 0,
        }
    }

    /// Takes up text that is shown.
    pub(crate) fn text(&mut self, text: &str) {
        for character in text.chars() {
            match self.ascii.get_mut(character as usize) {
                Some(seen) => *seen = true,
                None => {
                    self.others.insert(u32::from(character));
                }
            }
        }
    }

    /// Code points of the text that is shown.
    pub(crate) fn characters(&self) -> BTreeSet<u32> {
        let ascii = (0..).zip(self.ascii).filter(|(_, seen)| *seen);
        self.others
            .iter()
            .copied()
            .chain(ascii.map(|(point, _)| point))
            .collect()
    }

    /// What URLs are relative to.
    pub(crate) fn base(&self) -> &Url {
        self.base.as_ref().unwrap_or(&self.url)
    }

    /// What its own URLs are resolved against, those of its style elements and attributes too.
    fn encoded_base(&self) -> Base<'_> {
        Base {
            url: self.base(),
            encoding: self.encoding,
            budget: Some(&self.urls),
        }
    }

    /// The first `base` with an address holds (HTML, "document base URL").
    pub(crate) fn set_base(&mut self, href: &str) {
        if self.base.is_none() {
            let url = base_url(&self.url, href.trim());
            self.base = url.filter(|url| !matches!(url.scheme(), "data" | "javascript"));
        }
    }

    /// A URL as written, made absolute and without its fragment; none where it is empty or can't be one.
    pub(crate) fn resolve(&self, url: &str) -> Option<Url> {
        let url = url.trim();
        if url.is_empty() {
            return None;
        }
        self.encoded_base().join(url)
    }

    pub(crate) fn add(&mut self, url: Option<&str>, kind: Kind, place: Place, role: Role) {
        if let Some(url) = url.and_then(|url| self.resolve(url)) {
            self.name(Reference {
                url,
                kind,
                place,
                role,
            });
        }
    }

    /// Takes up a reference, as far as the page's policies allow it.
    pub(crate) fn name(&mut self, reference: Reference) {
        let allowed = self.allowed(reference);
        self.found.push(Found::Reference(allowed));
    }

    /// The reference, or that it is blocked.
    pub(crate) fn allowed(&self, mut reference: Reference) -> Reference {
        let Reference { url, kind, .. } = &reference;
        let refresh = reference.role == Role::Unsupported && *kind == Kind::Document;
        if !refresh && !self.policies.allow(&self.url, url, *kind, self.trusted) {
            reference.role = Role::Blocked;
        }
        reference
    }

    pub(crate) fn plain(&mut self, url: Option<&str>, kind: Kind) {
        self.add(url, kind, Place::Free, Role::Plain);
    }

    pub(crate) fn unsupported(&mut self, url: Option<&str>, kind: Kind) {
        if let Some(url) = url.and_then(|url| self.resolve(url)) {
            self.name(Reference::unsupported(url, kind));
        }
    }

    /// Where a style sheet or script stops the parser.
    pub(crate) fn blocking(&self) -> Place {
        match self.in_body {
            true => Place::BlockingInBody,
            false => Place::BlockingInHead,
        }
    }

    /// Heeds a `style` element; `fit`: whether its media do.
    pub(crate) fn style_element(&mut self, text: &str, fit: bool) {
        let sheet = Sheet::parse(text, self.encoded_base());
        let place = if fit { self.blocking() } else { Place::Idle };
        for reference in import_references(&sheet, place) {
            self.name(reference);
        }
        if fit {
            self.sheets.push(sheet);
        }
    }

    /// Heeds an element's `style`.
    pub(crate) fn style_attribute(&mut self, text: &str) {
        if self.own_styles.len() < MOST_OWN_STYLES {
            let rule = inline_style(text, self.encoded_base());
            self.own_styles.push(rule);
        }
    }

    /// Heeds a script that stands in the page.
    pub(crate) fn script(&mut self, text: &str) {
        self.requesting += usize::from(may_request(text.as_bytes()));
    }

    /// Heeds an import map's `imports`.
    pub(crate) fn import_map(&mut self, text: &str) {
        let map: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let imports = map.get("imports").and_then(|imports| imports.as_object());
        for (from, to) in imports.into_iter().flatten() {
            if let Some(to) = to.as_str().and_then(|to| self.resolve(to)) {
                let Entry::Vacant(free) = self.imports.entry(from.clone()) else {
                    continue;
                };
                if from.ends_with('/') && self.prefixes.len() < MOST_PREFIXES {
                    self.prefixes.push((from.clone(), to.clone()));
                }
                free.insert(to);
            }
        }
    }

    /// The static imports of a module script at `url` (none: it stands in the page).
    pub(crate) fn module_imports(&self, source: &str, url: Option<&Url>) -> Vec<Reference> {
        let base = url.unwrap_or(self.base());
        let resolved = static_imports(source)
            .into_iter()
            .filter_map(|name| self.urls.take(self.module(name, base)?));
        resolved
            .map(|url| Reference {
                url,
                kind: Kind::Script,
                place: Place::BlockingInHead,
                role: Role::Module { run: true },
            })
            .collect()
    }

    /// What a module's name means: an address, or what the import map makes of it.
    fn module(&self, name: &str, base: &Url) -> Option<Url> {
        let relative = ["/", "./", "../"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        let address = if relative {
            Base::from(base).join(name)
        } else {
            Url::parse(name).ok().and_then(bounded)
        };
        let key = address.as_ref().map_or(name, Url::as_str);
        let mapped = self
            .imports
            .get(name)
            .or_else(|| self.imports.get(key))
            .cloned()
            .or_else(|| {
                let prefixes = self.prefixes.iter();
                let fitting = prefixes.filter(|(from, _)| name.starts_with(from.as_str()));
                let (from, to) = fitting.max_by_key(|(from, _)| from.len())?;
                match is_cut(to) {
                    true => Some(to.clone()),
                    false => Url::parse(&format!("{to}{}", &name[from.len()..]))
                        .ok()
                        .and_then(bounded),
                }
            });
        mapped.or(address)
    }
}

/// The imports of a style sheet as references; they are as urgent as the sheet is.
pub(crate) fn import_references(sheet: &Sheet, place: Place) -> Vec<Reference> {
    let reference = |import: &crate::css::Import| Reference {
        url: import.url.clone(),
        kind: Kind::Style,
        place: if place == Place::Idle {
            Place::BlockingInHead
        } else {
            place
        },
        role: Role::Sheet {
            applied: import.applied && place != Place::Idle,
        },
    };
    sheet.imports.iter().map(reference).collect()
}
