//! Which selectors may fit an element of the document.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use cssparser::{ParseError, Parser, Token};

/// Kinds of elements beyond these aren't told apart any more.
const MOST_KINDS: usize = 20_000;
/// Comparisons of all selectors with all kinds, beyond which whatever is named in the document fits.
const MOST_COMPARISONS: u64 = 20_000_000;
/// Positions among siblings from here on aren't told apart.
const MOST_TOLD: u32 = 9;
/// Selectors nested deeper fit.
const DEEPEST: usize = 16;

/// One kind of element of the document: what simple selectors can ask of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ElementKind {
    name: String,
    id: Option<String>,
    classes: Vec<String>,
    /// Which child it is, from 1; `MOST_TOLD` and later ones alike.
    child: u32,
}

impl ElementKind {
    fn has(&self, key: &str) -> bool {
        if let Some(id) = key.strip_prefix('#') {
            self.id.as_deref() == Some(id)
        } else if let Some(class) = key.strip_prefix('.') {
            self.classes.iter().any(|has| has == class)
        } else if let Some(child) = key.strip_prefix(':') {
            child.parse() == Ok(self.child)
        } else {
            self.name == key
        }
    }
}

/// The elements of a document, each kind once.
#[derive(Debug)]
pub(crate) struct Elements {
    seen: HashSet<ElementKind>,
    kinds: Vec<ElementKind>,
    /// The kinds that have a name, an id (`#x`) or a class (`.x`).
    having: HashMap<String, Vec<u32>>,
    left: Cell<u64>,
}

impl Elements {
    /// Those that every document has.
    pub(crate) fn new() -> Elements {
        let mut elements = Elements {
            seen: HashSet::new(),
            kinds: Vec::new(),
            having: HashMap::new(),
            left: Cell::new(MOST_COMPARISONS),
        };
        for name in ["html", "head", "body"] {
            elements.add(name, None, "", 1);
        }
        elements
    }

    pub(crate) fn add(&mut self, name: &str, id: Option<&str>, classes: &str, child: u32) {
        let mut classes: Vec<String> = classes
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect();
        classes.sort_unstable();
        classes.dedup();
        let kind = ElementKind {
            name: name.to_ascii_lowercase(),
            id: id.map(str::to_owned),
            classes,
            child: child.min(MOST_TOLD),
        };
        if self.kinds.len() >= MOST_KINDS || !self.seen.insert(kind.clone()) {
            return;
        }
        let number = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
        let classes = kind.classes.iter().map(|class| format!(".{class}"));
        let id = kind.id.iter().map(|id| format!("#{id}"));
        let child = format!(":{}", kind.child);
        for key in classes.chain(id).chain([kind.name.clone(), child]) {
            self.having.entry(key).or_default().push(number);
        }
        self.kinds.push(kind);
    }

    /// Whether the document has an element of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.having.contains_key(name)
    }

    fn fits(&self, compound: &Compound) -> bool {
        if compound.any_of.iter().any(|list| !list.may_fit(self)) {
            return false;
        }
        if compound.keys.is_empty() || self.kinds.len() >= MOST_KINDS {
            return true;
        }
        let mut candidates: Option<&Vec<u32>> = None;
        for key in &compound.keys {
            let Some(having) = self.having.get(key) else {
                return false;
            };
            if candidates.is_none_or(|fewest| having.len() < fewest.len()) {
                candidates = Some(having);
            }
        }
        let candidates = candidates.map(Vec::as_slice).unwrap_or_default();
        let cost = candidates.len() as u64;
        let Some(left) = self.left.get().checked_sub(cost) else {
            return true;
        };
        self.left.set(left);
        candidates.iter().any(|number| {
            let kind = &self.kinds[*number as usize];
            compound.keys.iter().all(|key| kind.has(key))
        })
    }
}

/// A selector list, as far as it can be told from names, ids and classes whether it fits anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SelectorList(Vec<Selector>);

/// A complex selector: each of its compounds has to fit an element.
#[derive(Debug, Clone, Default, PartialEq)]
struct Selector {
    compounds: Vec<Compound>,
    /// It asks for what no page shows when it is loaded, such as `:hover`.
    never: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Compound {
    /// A name, `#id`, `.class`.
    keys: Vec<String>,
    /// What `:is()` and `:where()` hold.
    any_of: Vec<SelectorList>,
}

impl SelectorList {
    /// Reads a list to the end of `parser`; none where it isn't one that browsers know, so that its rule is dropped.
    pub(crate) fn parse(parser: &mut Parser<'_, '_>) -> Option<SelectorList> {
        parse_list(parser, 0).map(SelectorList)
    }

    /// Whether an element of the document may be meant.
    pub(crate) fn may_fit(&self, elements: &Elements) -> bool {
        self.0.iter().any(|selector| {
            !selector.never
                && selector
                    .compounds
                    .iter()
                    .all(|compound| elements.fits(compound))
        })
    }
}

fn parse_list(parser: &mut Parser<'_, '_>, depth: usize) -> Option<Vec<Selector>> {
    let mut list = Vec::new();
    let mut selector = Selector::default();
    let mut compound = Compound::default();
    let mut empty = true;
    while let Ok(token) = parser.next_including_whitespace().cloned() {
        let mut blank = false;
        match token {
            Token::WhiteSpace(_) | Token::Delim('>' | '+' | '~') => {
                blank = true;
                selector.compounds.push(std::mem::take(&mut compound));
            }
            Token::Comma => {
                if empty {
                    return None;
                }
                selector.compounds.push(std::mem::take(&mut compound));
                list.push(std::mem::take(&mut selector));
                (empty, blank) = (true, true);
            }
            Token::Ident(name) => compound.keys.push(name.to_ascii_lowercase()),
            Token::IDHash(id) | Token::Hash(id) => compound.keys.push(format!("#{id}")),
            Token::Delim('.') => {
                let class = parser.expect_ident_cloned().ok()?;
                compound.keys.push(format!(".{class}"));
            }
            // What stands before is a namespace.
            Token::Delim('|') => compound.keys.clear(),
            Token::Delim('*' | '&') => {}
            Token::SquareBracketBlock => pass_over(parser),
            Token::Colon => {
                pseudo(parser, &mut selector, &mut compound, depth)?;
            }
            _ => return None,
        }
        empty &= blank;
    }
    if empty {
        return None;
    }
    selector.compounds.push(compound);
    list.push(selector);
    Some(list)
}

/// A pseudo-class or pseudo-element, whose colon has been read.
fn pseudo(
    parser: &mut Parser<'_, '_>,
    selector: &mut Selector,
    compound: &mut Compound,
    depth: usize,
) -> Option<()> {
    let element = parser.try_parse(Parser::expect_colon).is_ok();
    let (name, function) = match parser.next_including_whitespace().ok()?.clone() {
        Token::Ident(name) => (name.to_ascii_lowercase(), false),
        Token::Function(name) => (name.to_ascii_lowercase(), true),
        _ => return None,
    };
    // Browsers drop the rule of another maker's.
    if name.starts_with("-moz-") || name.starts_with("-ms-") || name.starts_with("-o-") {
        return None;
    }
    match name.as_str() {
        "is" | "where" | "matches" | "-webkit-any" if function && depth < DEEPEST => {
            let list: Result<_, ParseError<'_, ()>> = parser.parse_nested_block(|inner| {
                let list = parse_list(inner, depth + 1);
                while inner.next().is_ok() {}
                Ok(list)
            });
            if let Some(list) = list.ok().flatten() {
                compound.any_of.push(SelectorList(list));
            }
            return Some(());
        }
        "first-child" => compound.keys.push(":1".to_owned()),
        "nth-child" if function => {
            let mut child = None;
            let _: Result<(), ParseError<'_, ()>> = parser.parse_nested_block(|inner| {
                child = inner.expect_integer().ok().filter(|_| inner.is_exhausted());
                while inner.next().is_ok() {}
                Ok(())
            });
            let told = child.and_then(|child| u32::try_from(child).ok());
            match told.filter(|told| *told < MOST_TOLD) {
                Some(told) => compound.keys.push(format!(":{told}")),
                None => selector.never |= child.is_some_and(|child| child < 1),
            }
            return Some(());
        }
        "root" => compound.keys.push("html".to_owned()),
        "hover"
        | "active"
        | "focus"
        | "focus-within"
        | "focus-visible"
        | "visited"
        | "target"
        | "target-within"
        | "fullscreen"
        | "-webkit-full-screen"
        | "modal"
        | "popover-open"
        | "picture-in-picture"
        | "autofill"
        | "-webkit-autofill"
        | "user-invalid"
        | "user-valid"
        | "host"
        | "host-context"
        | "slotted"
        | "selection"
        | "backdrop"
        | "cue"
        | "highlight"
        | "view-transition"
        | "grammar-error"
        | "spelling-error" => selector.never = true,
        name if element && name.starts_with("-webkit-scrollbar") => selector.never = true,
        _ => {}
    }
    if function {
        pass_over(parser);
    }
    Some(())
}

fn pass_over(parser: &mut Parser<'_, '_>) {
    let _: Result<(), ParseError<'_, ()>> = parser.parse_nested_block(|inner| {
        while inner.next().is_ok() {}
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use cssparser::ParserInput;

    use super::*;

    #[test]
    fn selectors_fit_what_the_document_has() {
        let mut elements = Elements::new();
        elements.add("div", Some("main"), "card big", 1);
        elements.add("p", None, "Note", 2);
        for (selector, expected) in [
            ("*", true),
            ("div", true),
            ("DIV#main.card", true),
            ("p.card", false),
            (".card .Note", true),
            (".note", false),
            (".card>.missing", false),
            ("a, p", true),
            ("p:hover", false),
            ("p:hover, div", true),
            ("p:not(.x)", true),
            ("p[data-x=\"y\"]:nth-child(2)::before", true),
            ("p:first-child", false),
            ("p:nth-child(5)", false),
            ("p:nth-child(50)", true),
            ("é", false),
            (":root", true),
            ("body", true),
            (":is(a, b) p", false),
            (":is(a, div) p", true),
            ("svg|p", true),
            ("p:nth-child(2n + 1)", true),
            ("p::selection", false),
            ("p:-moz-any-link", false),
            ("p, b:-moz-any-link", false),
            ("&.card", true),
            ("", false),
            ("p,", false),
            ("{", false),
        ] {
            let mut input = ParserInput::new(selector);
            let list = SelectorList::parse(&mut Parser::new(&mut input));
            let fits = list.is_some_and(|list| list.may_fit(&elements));
            assert_eq!(fits, expected, "{selector}");
        }
    }
}
