//! Where elements stand among their siblings, and which are hidden, as far as tags tell.

/// Elements open at a time beyond these aren't told apart.
const DEEPEST: usize = 512;

/// Elements without content.
const VOID: &str =
    " area base br col embed frame hr image img input link meta param source track wbr ";

/// An element's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Which child of its parent it is, from 1.
    pub(crate) child: u32,
    /// Whether it, or what it stands in, has the attribute `hidden`.
    pub(crate) hidden: bool,
}

/// The open elements.
#[derive(Debug, Default)]
pub(super) struct Tree {
    open: Vec<Open>,
    /// Children of the document itself.
    roots: u32,
}

#[derive(Debug)]
struct Open {
    name: String,
    children: u32,
    hidden: bool,
}

impl Tree {
    /// Heeds a start tag.
    pub(super) fn start(&mut self, name: &str, closed: bool, hidden: bool) -> Spot {
        self.close_implied(name);
        let (count, hidden_around) = match self.open.last_mut() {
            Some(parent) => (&mut parent.children, parent.hidden),
            None => (&mut self.roots, false),
        };
        *count = count.saturating_add(1);
        let spot = Spot {
            child: *count,
            hidden: hidden || hidden_around,
        };
        if !closed && self.open.len() < DEEPEST && !VOID.contains(&format!(" {name} ")) {
            self.open.push(Open {
                name: name.to_owned(),
                children: 0,
                hidden: spot.hidden,
            });
        }
        spot
    }

    /// Heeds an end tag; one that fits nothing ends nothing.
    pub(super) fn end(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|open| open.name == name) {
            self.open.truncate(at);
        }
    }

    /// Ends the element before where the next one's tag does (HTML, "Optional tags").
    fn close_implied(&mut self, name: &str) {
        let Some(last) = self.open.last() else {
            return;
        };
        let ends = match last.name.as_str() {
            "li" => name == "li",
            "dt" | "dd" => matches!(name, "dt" | "dd"),
            "option" => matches!(name, "option" | "optgroup"),
            "tr" => matches!(name, "tr" | "tbody" | "tfoot"),
            "td" | "th" => matches!(name, "td" | "th" | "tr" | "tbody" | "tfoot"),
            "head" => name == "body",
            "p" => {
                " address article aside blockquote div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav \
                 ol p pre section table ul "
                    .contains(&format!(" {name} "))
            }
            _ => false,
        };
        if ends {
            self.open.pop();
            self.close_implied(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_counted_and_hidden_ones_hide_theirs() {
        let mut tree = Tree::default();
        let mut start = |name: &str, hidden: bool| tree.start(name, false, hidden).child;
        assert_eq!(
            [
                start("ul", false),
                start("li", false),
                start("li", false),
                start("img", false),
                start("li", false)
            ],
            [1, 1, 2, 1, 3]
        );
        tree.end("ul");
        assert!(tree.start("div", false, true).hidden);
        assert!(tree.start("p", false, false).hidden);
        tree.end("div");
        assert_eq!(
            tree.start("p", false, false),
            Spot {
                child: 3,
                hidden: false
            }
        );
    }
}
