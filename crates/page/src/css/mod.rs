//! What a style sheet refers to, and which of it a document needs.

pub(crate) mod fonts;
pub(crate) mod selectors;
pub(crate) mod style;
mod supports;
pub(crate) mod values;

use std::hash::{DefaultHasher, Hasher};

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserInput, ParserState,
    QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser, StyleSheetParser, Token,
};
use url::Url;

use fonts::Face;
use selectors::SelectorList;
use values::Value;

use crate::base::Base;
use crate::media;

/// Blocks nested deeper hold nothing.
const DEEPEST: usize = 32;

/// A style sheet, as far as what it refers to depends on it. Rules for other media aren't kept.
#[derive(Debug, Default)]
pub struct Sheet {
    pub(crate) imports: Vec<Import>,
    pub(crate) rules: Vec<Rule>,
    /// What rules stand in, each once, however many stand in it.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) faces: Vec<Face>,
    /// Animations by name, and what their images are.
    pub(crate) keyframes: Vec<(String, Vec<Url>)>,
}

/// An `@import`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    pub(crate) url: Url,
    /// Whether its media fit.
    pub(crate) applied: bool,
}

/// A rule, or what an element's own `style` says.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    /// Its place in the sheet's scopes; none: it fits.
    scope: Option<usize>,
    /// A hash of all its selectors as written: where they and a property come again, the later value holds.
    key: Option<u64>,
    declarations: Vec<(Property, Value)>,
}

/// Selectors of a rule. They have to fit, and so does what the rule is nested in.
#[derive(Debug)]
pub(crate) struct Scope {
    selectors: SelectorList,
    /// An earlier scope.
    outer: Option<usize>,
}

/// What a declaration sets, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Property {
    /// One that shows images; shorthands go by the longhand that they set.
    Image(&'static str),
    /// A custom property.
    Custom(String),
    Family,
    Weight,
    Style,
    Animation,
    Display,
}

impl Sheet {
    /// Reads a style sheet whose URLs are relative to `base`. What is broken in it is passed over.
    #[must_use]
    pub fn parse<'a>(text: &str, base: impl Into<Base<'a>>) -> Sheet {
        let mut input = ParserInput::new(text);
        let mut reader = Reader::new(base.into());
        let mut parser = Parser::new(&mut input);
        for _ in StyleSheetParser::new(&mut parser, &mut reader) {}
        reader.sheet
    }
}

/// Reads the value of a `style` attribute.
pub(crate) fn inline_style(text: &str, base: Base<'_>) -> Rule {
    let mut input = ParserInput::new(text);
    let mut reader = Reader::new(base);
    reader.declaring = true;
    for _ in RuleBodyParser::new(&mut Parser::new(&mut input), &mut reader) {}
    Rule {
        declarations: reader.declarations,
        ..Rule::default()
    }
}

/// Reads blocks of rules and declarations.
struct Reader<'a> {
    base: Base<'a>,
    sheet: Sheet,
    /// The rules around, outermost first.
    around: Vec<Around>,
    /// Whether it stands in a block that may declare.
    declaring: bool,
    declarations: Vec<(Property, Value)>,
    depth: usize,
    /// Whether a rule came that ends the place for imports.
    begun: bool,
}

/// A rule whose block is read.
struct Around {
    /// None once they are among the sheet's scopes.
    selectors: Option<SelectorList>,
    scope: Option<usize>,
    /// Of its selectors as written, after those around it.
    key: DefaultHasher,
}

/// An at-rule before its block.
enum Prelude {
    Import(Import),
    /// A block that holds, or doesn't.
    Condition(bool),
    Face,
    Keyframes(String),
    Ignored,
}

impl<'a> Reader<'a> {
    fn new(base: Base<'a>) -> Self {
        Reader {
            base,
            sheet: Sheet::default(),
            around: Vec::new(),
            declaring: false,
            declarations: Vec::new(),
            depth: 0,
            begun: false,
        }
    }

    /// Reads a block's rules and declarations.
    fn block(&mut self, input: &mut Parser<'_, '_>) {
        if self.depth < DEEPEST {
            self.depth += 1;
            for _ in RuleBodyParser::new(input, self) {}
            self.depth -= 1;
        }
        while input.next().is_ok() {}
    }

    /// Keeps what a rule's block declares.
    fn keep(&mut self, declarations: Vec<(Property, Value)>) {
        let hides = |(property, value): &(Property, Value)| {
            *property == Property::Display && value.names.iter().any(|name| name == "none")
        };
        // What isn't shown needs nothing.
        if !declarations.is_empty() && !declarations.iter().any(hides) {
            let rule = Rule {
                scope: self.scope(),
                key: self.around.last().map(|around| around.key.finish()),
                declarations,
            };
            self.sheet.rules.push(rule);
        }
    }

    /// The scope of the innermost rule. Only what a kept rule stands in becomes one.
    fn scope(&mut self) -> Option<usize> {
        let mut outer = None;
        for around in &mut self.around {
            if let Some(selectors) = around.selectors.take() {
                around.scope = Some(self.sheet.scopes.len());
                self.sheet.scopes.push(Scope { selectors, outer });
            }
            outer = around.scope;
        }
        outer
    }
}

impl<'i> AtRuleParser<'i> for Reader<'_> {
    type Prelude = Prelude;
    type AtRule = ();
    type Error = ();

    fn parse_prelude<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
    ) -> Result<Prelude, ParseError<'i, ()>> {
        let prelude = match &*name.to_ascii_lowercase() {
            "import" if self.depth == 0 && !self.begun && !self.declaring => {
                return Ok(import(input, self.base)?.map_or(Prelude::Ignored, Prelude::Import));
            }
            "charset" => Prelude::Ignored,
            "media" => {
                self.begun = true;
                return Ok(Prelude::Condition(media::fits_rest(input)));
            }
            "supports" => Prelude::Condition(supports::holds(input)),
            "layer" | "container" | "scope" => Prelude::Condition(true),
            "font-face" => Prelude::Face,
            "keyframes" | "-webkit-keyframes" => {
                Prelude::Keyframes(input.expect_ident_or_string()?.to_ascii_lowercase())
            }
            _ => Prelude::Ignored,
        };
        // `@layer a;` and `@charset` may stand before imports.
        self.begun |= !matches!(&*name.to_ascii_lowercase(), "layer" | "charset");
        while input.next().is_ok() {}
        Ok(prelude)
    }

    fn rule_without_block(&mut self, prelude: Prelude, _: &ParserState) -> Result<(), ()> {
        if let Prelude::Import(import) = prelude {
            self.sheet.imports.push(import);
        }
        Ok(())
    }

    fn parse_block<'t>(
        &mut self,
        prelude: Prelude,
        _: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), ParseError<'i, ()>> {
        self.begun = true;
        match prelude {
            // Within a rule its declarations are the rule's.
            Prelude::Condition(true) => self.block(input),
            Prelude::Face => {
                let mut face = FaceReader {
                    face: Face::default(),
                    base: self.base,
                };
                for _ in RuleBodyParser::new(input, &mut face) {}
                self.sheet.faces.push(face.face);
            }
            Prelude::Keyframes(name) => {
                let value = values::read(input, self.base);
                if !value.urls.is_empty() {
                    self.sheet.keyframes.push((name, value.urls));
                }
            }
            Prelude::Condition(false) | Prelude::Import(_) | Prelude::Ignored => {}
        }
        while input.next().is_ok() {}
        Ok(())
    }
}

impl<'i> QualifiedRuleParser<'i> for Reader<'_> {
    type Prelude = (SelectorList, String);
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude<'t>(
        &mut self,
        input: &mut Parser<'i, 't>,
    ) -> Result<Self::Prelude, ParseError<'i, ()>> {
        self.begun = true;
        let start = input.position();
        let selectors = SelectorList::parse(input);
        let key = input.slice_from(start).trim().to_owned();
        let selectors = selectors.ok_or_else(|| input.new_custom_error(()))?;
        Ok((selectors, key))
    }

    fn parse_block<'t>(
        &mut self,
        (selectors, key): Self::Prelude,
        _: &ParserState,
        input: &mut Parser<'i, 't>,
    ) -> Result<(), ParseError<'i, ()>> {
        let outer = self.around.last().map(|around| around.key.clone());
        let mut hasher = outer.map_or_else(DefaultHasher::new, |mut outer| {
            outer.write(b" ");
            outer
        });
        hasher.write(key.as_bytes());
        self.around.push(Around {
            selectors: Some(selectors),
            scope: None,
            key: hasher,
        });
        let outer = std::mem::take(&mut self.declarations);
        let declaring = std::mem::replace(&mut self.declaring, true);
        self.block(input);
        self.declaring = declaring;
        let declarations = std::mem::replace(&mut self.declarations, outer);
        self.keep(declarations);
        self.around.pop();
        Ok(())
    }
}

impl<'i> DeclarationParser<'i> for Reader<'_> {
    type Declaration = ();
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        _: &ParserState,
    ) -> Result<(), ParseError<'i, ()>> {
        let lower = name.to_ascii_lowercase();
        let Some(property) = property(&name, &lower) else {
            // Where it can be no declaration it may be a rule within the rule.
            let nested = self.depth > 0;
            while let Ok(token) = input.next() {
                if nested && matches!(token, Token::CurlyBracketBlock) {
                    return Err(input.new_custom_error(()));
                }
            }
            return Ok(());
        };
        let value = values::read(input, self.base);
        if lower == "cursor" && value.names.is_empty() && value.vars.is_empty() {
            // Without a cursor to fall back on it is no value.
            return Ok(());
        }
        if lower == "font" {
            for property in [Property::Weight, Property::Style] {
                self.declarations.push((property, value.clone()));
            }
        }
        self.declarations.push((property, value));
        Ok(())
    }
}

impl<'i> RuleBodyItemParser<'i, (), ()> for Reader<'_> {
    fn parse_declarations(&self) -> bool {
        self.declaring
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}

fn property(name: &str, lower: &str) -> Option<Property> {
    if name.starts_with("--") {
        return Some(Property::Custom(name.to_owned()));
    }
    let bare = lower.strip_prefix("-webkit-").unwrap_or(lower);
    Some(match bare {
        "background" | "background-image" => Property::Image("background"),
        "border-image" | "border-image-source" => Property::Image("border-image"),
        "list-style" | "list-style-image" => Property::Image("list-style"),
        "content" => Property::Image("content"),
        "cursor" => Property::Image("cursor"),
        "mask" | "mask-image" => Property::Image("mask"),
        "mask-box-image" | "mask-box-image-source" => Property::Image("mask-box-image"),
        "filter" => Property::Image("filter"),
        "clip-path" => Property::Image("clip-path"),
        "shape-outside" => Property::Image("shape-outside"),
        "fill" => Property::Image("fill"),
        "stroke" => Property::Image("stroke"),
        "font" | "font-family" => Property::Family,
        "font-weight" => Property::Weight,
        "font-style" => Property::Style,
        "display" => Property::Display,
        "animation" | "animation-name" => Property::Animation,
        _ => return None,
    })
}

/// An import, whose media are read too; none where a browser doesn't know what it asks for.
fn import<'i>(
    input: &mut Parser<'i, '_>,
    base: Base<'_>,
) -> Result<Option<Import>, ParseError<'i, ()>> {
    let url = input.expect_url_or_string()?;
    let mut supported = true;
    let _ = input.try_parse(|input| {
        if input
            .try_parse(|input| input.expect_ident_matching("layer"))
            .is_err()
        {
            input.expect_function_matching("layer")?;
            values::nested(input, |_| {});
        }
        Ok::<(), ParseError<'_, ()>>(())
    });
    let _ = input.try_parse(|input| {
        input.expect_function_matching("supports")?;
        values::nested(input, |inner| {
            supported = match inner.try_parse(supports::declaration) {
                Ok(holds) => holds,
                Err(_) => supports::holds(inner),
            }
        });
        Ok::<(), ParseError<'_, ()>>(())
    });
    let applied = media::fits_rest(input);
    let url = base.join(&url).filter(|_| supported);
    Ok(url.map(|url| Import { url, applied }))
}

/// Reads the descriptors of an `@font-face`.
struct FaceReader<'a> {
    face: Face,
    base: Base<'a>,
}

impl<'i> DeclarationParser<'i> for FaceReader<'_> {
    type Declaration = ();
    type Error = ();

    fn parse_value<'t>(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i, 't>,
        _: &ParserState,
    ) -> Result<(), ParseError<'i, ()>> {
        self.face
            .describe(&name.to_ascii_lowercase(), input, self.base);
        while input.next().is_ok() {}
        Ok(())
    }
}

impl AtRuleParser<'_> for FaceReader<'_> {
    type Prelude = ();
    type AtRule = ();
    type Error = ();
}

impl QualifiedRuleParser<'_> for FaceReader<'_> {
    type Prelude = ();
    type QualifiedRule = ();
    type Error = ();
}

impl RuleBodyItemParser<'_, (), ()> for FaceReader<'_> {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::selectors::Elements;
    use super::style::{Shown, style};
    use super::*;

    fn sheet(text: &str) -> Sheet {
        Sheet::parse(text, &Url::parse("https://page.test/").expect("a URL"))
    }

    fn images(sheet: &Sheet) -> Vec<String> {
        let shown = Shown {
            elements: &Elements::new(),
            characters: &Default::default(),
            own: &[],
        };
        let found = style(&[(None, sheet)], &shown).into_iter();
        found
            .map(|(_, reference)| reference.url.path().to_owned())
            .collect()
    }

    /// Were the outer selectors copied or matched for each inner rule, this would take 100 GB or hours.
    #[test]
    fn rules_share_what_they_are_nested_in() {
        let outer: String = (0..100_000).map(|n| format!(".missing{n}, ")).collect();
        for (last, expected) in [("body", vec!["/last"]), (".none", vec![])] {
            let inner = "html { fill: url(x) } ".repeat(100_000);
            let text = format!("{outer} {last} {{ {inner} html {{ fill: url(last) }} }}");
            let sheet = sheet(&text);
            assert_eq!(sheet.rules.len(), 100_001);
            assert_eq!(sheet.scopes.len(), 100_002);
            let shared = sheet.scopes[1..].iter().all(|scope| scope.outer == Some(0));
            assert!(shared);
            assert_eq!(images(&sheet), expected);
        }
    }

    #[test]
    fn nested_rules_fit_where_all_around_them_do() {
        let sheet = sheet(
            "html { body { fill: url(1) } .no { body { fill: url(2) } fill: url(3) } fill: url(4) }
             .no { @media all { html { fill: url(5) } } } html { @media all { fill: url(6) } }
             .unused { color: red } html { & body { stroke: url(7) } }",
        );
        assert_eq!(images(&sheet), ["/1", "/6", "/7"]);
        assert_eq!(sheet.scopes.len(), 9);
    }

    #[test]
    fn the_same_selectors_override_nested_or_not() {
        let sheet = sheet("html { body { fill: url(1) } } html body { fill: url(2) }");
        assert_eq!(images(&sheet), ["/2"]);
    }
}
