//! What a document's style sheets make it fetch once it is there: images of rules that may fit, and fonts in use.

use std::collections::{BTreeSet, HashMap, HashSet};

use url::Url;

use super::fonts::{Face, FontUse, needed};
use super::selectors::Elements;
use super::values::Value;
use super::{Property, Rule, Scope, Sheet};
use crate::reference::{Kind, Reference};

/// Lists of families, and weights, beyond which a document's are passed over.
const MOST_LISTS: usize = 1000;
const MOST_WEIGHTS: usize = 20;

/// Elements that browsers show in bold, and slanted.
const BOLD: [&str; 10] = [
    "b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th", "optgroup",
];
const ITALIC: [&str; 6] = ["i", "em", "cite", "var", "dfn", "address"];

/// What a document has beside its style sheets.
pub(crate) struct Shown<'a> {
    pub(crate) elements: &'a Elements,
    /// Code points of its text.
    pub(crate) characters: &'a BTreeSet<u32>,
    /// What its elements' own `style` says.
    pub(crate) own: &'a [Rule],
}

/// A style sheet and who is told as the one that asked.
pub(crate) type From<'a> = (Option<usize>, &'a Sheet);

/// Everything that rules ask for, in the order of the sheets, with the sheet that asked.
pub(crate) fn style(sheets: &[From<'_>], shown: &Shown<'_>) -> Vec<(Option<usize>, Reference)> {
    let mut found = Vec::new();
    let mut wanted = Wanted::new(shown.elements);
    let mut customs: HashMap<&str, Vec<(Option<usize>, &Value)>> = HashMap::new();
    let mut animations = HashSet::new();
    let mut characters = shown.characters.clone();
    let own = shown.own.iter().map(std::slice::from_ref);
    let own = own.map(|rule| (None, rule, &[][..]));
    let sheets_rules = sheets
        .iter()
        .map(|(from, sheet)| (*from, &sheet.rules[..], &sheet.scopes[..]));
    for (from, rules, scopes) in sheets_rules.chain(own) {
        let mut fit = Fit::new(scopes, shown.elements);
        let fitting: Vec<&Rule> = rules.iter().filter(|rule| fit.fits(rule.scope)).collect();
        let mut last: HashMap<(Option<u64>, &Property), usize> = HashMap::new();
        for (at, rule) in fitting.iter().enumerate() {
            for (property, _) in &rule.declarations {
                last.insert((rule.key, property), at);
            }
        }
        for (at, rule) in fitting.iter().enumerate() {
            let weights = rule
                .declarations
                .iter()
                .filter(|(property, _)| *property == Property::Weight);
            let weight = weights.filter_map(|(_, value)| weight(value)).next_back();
            let names_family = rule
                .declarations
                .iter()
                .any(|(property, _)| *property == Property::Family);
            if !names_family && wanted.fonts.bare_weights.len() < MOST_WEIGHTS {
                wanted.fonts.bare_weights.extend(weight);
            }
            for (number, (property, value)) in rule.declarations.iter().enumerate() {
                if let Property::Custom(name) = property {
                    customs.entry(name).or_default().push((from, value));
                    continue;
                }
                let again = rule.declarations[number + 1..]
                    .iter()
                    .any(|(later, _)| later == property);
                let overridden = rule.key.is_some() && last[&(rule.key, property)] != at;
                if again || overridden {
                    continue;
                }
                if let Property::Image(name) = property {
                    found.extend(value.urls.iter().map(|url| (from, url.clone())));
                    if *name == "content" {
                        characters.extend(value.text.chars().map(u32::from));
                    }
                }
                if *property == Property::Animation {
                    animations.extend(value.names.iter().flat_map(|name| name.split(' ')));
                }
                wanted.take(property, value, weight);
            }
        }
    }
    for (name, values) in &customs {
        if wanted.vars.contains(*name) {
            for (from, value) in values {
                found.extend(value.urls.iter().map(|url| (*from, url.clone())));
                wanted.fonts(value, None);
                wanted.used_vars(value);
            }
        }
    }
    for (from, sheet) in sheets {
        let run = sheet
            .keyframes
            .iter()
            .filter(|(name, _)| animations.contains(name.as_str()));
        found.extend(run.flat_map(|(_, urls)| urls.iter().map(|url| (*from, url.clone()))));
    }
    let mut found: Vec<_> = found
        .into_iter()
        .map(|(from, url)| (from, Reference::plain(url, Kind::Image)))
        .collect();
    found.extend(fonts(sheets, &wanted.fonts, &characters));
    found
}

fn fonts(
    sheets: &[From<'_>],
    used: &FontUse,
    characters: &BTreeSet<u32>,
) -> Vec<(Option<usize>, Reference)> {
    let faces: Vec<(Option<usize>, &Face)> = sheets
        .iter()
        .flat_map(|(from, sheet)| sheet.faces.iter().map(|face| (*from, face)))
        .collect();
    let bare: Vec<&Face> = faces.iter().map(|(_, face)| *face).collect();
    needed(&bare, used, characters)
        .into_iter()
        .filter_map(|number| {
            let (from, face) = faces[number];
            let url: Url = face.url.clone()?;
            Some((from, Reference::plain(url, Kind::Font)))
        })
        .collect()
}

/// Which scopes of a sheet may fit, each found out once.
struct Fit<'a> {
    scopes: &'a [Scope],
    elements: &'a Elements,
    known: Vec<Option<bool>>,
}

impl<'a> Fit<'a> {
    fn new(scopes: &'a [Scope], elements: &'a Elements) -> Fit<'a> {
        Fit {
            scopes,
            elements,
            known: vec![None; scopes.len()],
        }
    }

    /// Whether a scope and all around it may fit; scopes are nested no deeper than blocks are read.
    fn fits(&mut self, scope: Option<usize>) -> bool {
        let Some(at) = scope else {
            return true;
        };
        if let Some(known) = self.known[at] {
            return known;
        }
        let Scope { selectors, outer } = &self.scopes[at];
        let fits = self.fits(*outer) && selectors.may_fit(self.elements);
        self.known[at] = Some(fits);
        fits
    }
}

/// What rules that may fit use.
struct Wanted {
    fonts: FontUse,
    vars: HashSet<String>,
}

impl Wanted {
    fn new(elements: &Elements) -> Wanted {
        let mut fonts = FontUse::default();
        if BOLD.iter().any(|name| elements.has(name)) {
            fonts.weights.insert(700);
            fonts.bare_weights.insert(700);
        }
        fonts.italic = ITALIC.iter().any(|name| elements.has(name));
        Wanted {
            fonts,
            vars: HashSet::new(),
        }
    }

    fn take(&mut self, property: &Property, value: &Value, own: Option<u16>) {
        match property {
            Property::Family => self.fonts(value, own),
            Property::Weight if self.fonts.weights.len() < MOST_WEIGHTS => {
                self.fonts.weights.extend(weight(value));
            }
            Property::Style => {
                let slanted = |name: &String| {
                    name.split(' ')
                        .any(|word| word == "italic" || word == "oblique")
                };
                self.fonts.italic |= value.slanted || value.names.iter().any(slanted);
            }
            _ => {}
        }
        self.used_vars(value);
    }

    fn fonts(&mut self, value: &Value, own: Option<u16>) {
        if !value.names.is_empty() && self.fonts.families.len() < MOST_LISTS {
            self.fonts.families.insert((value.names.clone(), own));
        }
    }

    fn used_vars(&mut self, value: &Value) {
        self.vars.extend(value.vars.iter().cloned());
    }
}

/// The weight that a value gives, if any.
fn weight(value: &Value) -> Option<u16> {
    let bold = |name: &String| {
        name.split(' ')
            .any(|word| word == "bold" || word == "bolder")
    };
    value
        .weight
        .or_else(|| value.names.iter().any(bold).then_some(700))
}
