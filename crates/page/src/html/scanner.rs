//! Follows the tokens of a document: which text is whose, and what isn't shown.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::elements::{self, Around, ScriptType};
use super::tree::Tree;
use super::{Attributes, Page};

/// Foreign elements open at a time beyond these aren't tracked: each end tag searches them.
const DEEPEST_FOREIGN: usize = 512;

/// Elements that end foreign content (HTML, "The rules for parsing tokens in foreign content").
const BREAKS_OUT: &str = " b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li \
    listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var ";

/// Takes a document's text piece by piece.
pub(crate) struct Scanner {
    tokenizer: Tokenizer<Sink>,
    input: BufferQueue,
}

impl Scanner {
    pub(crate) fn new(page: Page) -> Scanner {
        let sink = Sink(RefCell::new(State {
            page,
            around: Around::default(),
            inert: 0,
            foreign: Vec::new(),
            holding: None,
            tree: Tree::default(),
        }));
        Scanner {
            tokenizer: Tokenizer::new(sink, TokenizerOpts::default()),
            input: BufferQueue::default(),
        }
    }

    pub(crate) fn push(&self, text: &str) {
        self.input.push_back(StrTendril::from_slice(text));
        let _ = self.tokenizer.feed(&self.input);
    }

    pub(crate) fn end(&self) {
        let _ = self.tokenizer.feed(&self.input);
        self.tokenizer.end();
        self.tokenizer.sink.0.borrow_mut().release();
    }

    /// Gives access to what is known of the document.
    pub(crate) fn page<T>(&self, look: impl FnOnce(&mut Page) -> T) -> T {
        look(&mut self.tokenizer.sink.0.borrow_mut().page)
    }
}

struct Sink(RefCell<State>);

struct State {
    page: Page,
    around: Around,
    /// Templates around, whose content is not the document's.
    inert: usize,
    /// Whether SVG's or MathML's rules hold, or HTML's again within them; innermost last.
    foreign: Vec<(String, bool)>,
    holding: Option<Holding>,
    tree: Tree,
}

/// An element whose text is read as a whole.
struct Holding {
    element: &'static str,
    what: What,
    text: String,
}

enum What {
    Style { fit: bool },
    Script(ScriptType),
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return state.start(&tag),
            Token::TagToken(tag) => state.end(&tag.name),
            Token::CharacterTokens(text) => state.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().in_foreign()
    }
}

impl State {
    fn in_foreign(&self) -> bool {
        self.foreign.last().is_some_and(|(_, foreign)| *foreign)
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        if self.in_foreign() && BREAKS_OUT.contains(&format!(" {name} ")) {
            self.foreign.clear();
        }
        let foreign = self.in_foreign();
        let tracked = !tag.self_closing && self.foreign.len() < DEEPEST_FOREIGN;
        match name {
            "svg" | "math" if tracked => self.foreign.push((name.to_owned(), true)),
            "foreignobject" | "desc" | "title" | "annotation-xml" if foreign && tracked => {
                self.foreign.push((name.to_owned(), false));
            }
            "template" if !foreign => self.inert += 1,
            "body" => self.page.in_body = true,
            _ => {}
        }
        if self.inert == 0 {
            let attributes = Attributes::of(tag);
            let spot = self
                .tree
                .start(name, tag.self_closing && foreign, attributes.hidden());
            self.page.trusted = attributes.has("nonce");
            elements::start(&mut self.page, &mut self.around, name, &attributes, spot);
            self.hold(name, tag.self_closing && foreign, &attributes);
        }
        if foreign {
            return TokenSinkResult::Continue;
        }
        match name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            // With scripts on, what `noscript` holds is text.
            "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    /// Begins to collect an element's text, where that is asked for.
    fn hold(&mut self, name: &str, closed: bool, attributes: &Attributes) {
        let held = match name {
            _ if closed => None,
            "style" => Some((
                "style",
                What::Style {
                    fit: attributes.media_fit(),
                },
            )),
            "script" if !attributes.has("src") => {
                let what = match elements::script_type(attributes) {
                    ScriptType::Classic if attributes.has("nomodule") => ScriptType::Data,
                    what => what,
                };
                Some(("script", What::Script(what)))
            }
            "script" => Some(("script", What::Script(ScriptType::Data))),
            "title" => Some(("title", What::Script(ScriptType::Data))),
            "noscript" => Some(("noscript", What::Script(ScriptType::Data))),
            "iframe" => Some(("iframe", What::Script(ScriptType::Data))),
            _ => None,
        };
        self.holding = held.map(|(element, what)| Holding {
            element,
            what,
            text: String::new(),
        });
    }

    fn end(&mut self, name: &str) {
        if self.inert == 0 {
            self.tree.end(name);
        }
        if self
            .holding
            .as_ref()
            .is_some_and(|holding| holding.element == name)
        {
            self.release();
        }
        match name {
            "template" => self.inert = self.inert.saturating_sub(1),
            "picture" => self.around.picture = None,
            "video" | "audio" => self.around.media_wanting = false,
            _ => {}
        }
        if let Some(at) = self.foreign.iter().rposition(|(open, _)| open == name) {
            self.foreign.truncate(at);
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.holding {
            Some(holding) => match holding.what {
                What::Script(ScriptType::Data) => {}
                _ => holding.text.push_str(text),
            },
            None if self.inert == 0 => self.page.text(text),
            None => {}
        }
    }

    /// Reads what was collected.
    fn release(&mut self) {
        let Some(Holding { what, text, .. }) = self.holding.take() else {
            return;
        };
        match what {
            What::Style { fit } => self.page.style_element(&text, fit),
            What::Script(ScriptType::ImportMap) => self.page.import_map(&text),
            What::Script(ScriptType::Classic) => self.page.script(&text),
            What::Script(ScriptType::Module) => {
                self.page.script(&text);
                let imports = self.page.module_imports(&text, None);
                for reference in imports {
                    self.page.name(reference);
                }
            }
            What::Script(ScriptType::Data) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::base::UrlBudget;

    use super::*;

    #[test]
    fn open_foreign_elements_are_bounded() {
        let url = Url::parse("https://page.test/").expect("a URL");
        let page = Page::new(url, UrlBudget::new());
        let scanner = Scanner::new(page);
        let deepest = || {
            let state = scanner.tokenizer.sink.0.borrow();
            state.foreign.len()
        };
        scanner.push(&"<svg>".repeat(DEEPEST_FOREIGN));
        assert_eq!(deepest(), DEEPEST_FOREIGN);
        scanner.push(&"<svg><math><desc>".repeat(100_000));
        assert_eq!(deepest(), DEEPEST_FOREIGN);
        scanner.push("<title></i></svg>");
        assert_eq!(deepest(), DEEPEST_FOREIGN - 1);
        scanner.push(&"</svg>".repeat(DEEPEST_FOREIGN));
        scanner.push("<style>b { fill: url(1.svg) }</style><img src=2.png>");
        assert_eq!(deepest(), 0);
        scanner.page(|page| {
            assert_eq!(page.sheets.len(), 1);
            assert_eq!(page.found.len(), 1);
        });
    }
}
