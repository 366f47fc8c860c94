//! What a style sheet refers to: other sheets, fonts, images.

use cssparser::{ParseError, Parser, ParserInput, Token};

use super::Reference;
use crate::priority::Place;
use pronghorn_page::Kind;

/// The sheet's references in their order: `@import`s are style sheets, `url()`s inside `@font-face`
/// fonts, every other `url()` an image. Whether a rule applies to the page isn't asked.
pub(crate) fn references(sheet: &str) -> Vec<Reference> {
    let mut input = ParserInput::new(sheet);
    let mut parser = Parser::new(&mut input);
    let mut found = Vec::new();
    scan(&mut parser, Kind::Image, 0, &mut found);
    found
}

/// Blocks nested deeper than this refer to nothing: no style sheet needs it, and recursion must end.
const DEEPEST: usize = 64;

fn add(url: &str, kind: Kind, found: &mut Vec<Reference>) {
    let place = if kind == Kind::Style {
        Place::BlockingInHead
    } else {
        Place::Free
    };
    found.push(Reference {
        url: url.to_owned(),
        kind,
        place,
    });
}

/// Reads a list of tokens to its end; `kind` is what a `url()` in it is.
fn scan(parser: &mut Parser<'_, '_>, kind: Kind, depth: usize, found: &mut Vec<Reference>) {
    if depth > DEEPEST {
        return;
    }
    let mut context = kind;
    while let Ok(token) = parser.next().cloned() {
        match token {
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("import") => context = Kind::Style,
            Token::AtKeyword(name) if name.eq_ignore_ascii_case("font-face") => {
                context = Kind::Font;
            }
            Token::AtKeyword(name)
                if name.eq_ignore_ascii_case("namespace")
                    || name.eq_ignore_ascii_case("charset") =>
            {
                context = Kind::Other;
            }
            Token::UnquotedUrl(url) => add_in(context, &url, found),
            Token::QuotedString(url) if context == Kind::Style => add(&url, Kind::Style, found),
            Token::Function(name) if name.eq_ignore_ascii_case("url") => {
                nested(parser, |inner| {
                    if let Ok(url) = inner.expect_string() {
                        let url = url.to_string();
                        add_in(context, &url, found);
                    }
                });
            }
            Token::Semicolon => context = kind,
            Token::CurlyBracketBlock => {
                let before = found.len();
                nested(parser, |inner| scan(inner, context, depth + 1, found));
                if context == Kind::Font {
                    // A browser loads the first source whose format it knows, and no other.
                    found.truncate(before + 1);
                }
                context = kind;
            }
            Token::Function(_) | Token::ParenthesisBlock | Token::SquareBracketBlock => {
                nested(parser, |inner| scan(inner, context, depth + 1, found));
            }
            _ => {}
        }
    }
}

fn add_in(context: Kind, url: &str, found: &mut Vec<Reference>) {
    if context != Kind::Other && !url.is_empty() {
        add(url, context, found);
    }
}

fn nested<'i>(parser: &mut Parser<'i, '_>, mut read: impl FnMut(&mut Parser<'i, '_>)) {
    let _: Result<(), ParseError<'i, ()>> = parser.parse_nested_block(|inner| {
        read(inner);
        while inner.next().is_ok() {}
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sheet: &str) -> Vec<(String, Kind)> {
        references(sheet)
            .into_iter()
            .map(|r| (r.url, r.kind))
            .collect()
    }

    #[test]
    fn tells_sheets_fonts_and_images_apart() {
        let sheet = r#"@charset "utf-8"; @namespace url(http://www.w3.org/1999/xhtml);
            @import "a.css"; @import url(b.css) screen;
            @font-face { font-family: x; src: url("x.woff2") format("woff2"), url(x.woff) }
            @media (min-width: 1px) { p { background: no-repeat url( 'p.png' ) } }
            /* url(comment.png) */ q::before { content: "url(no.png)"; background: image-set(url(q.png) 1x) }"#;
        let expected = [
            ("a.css", Kind::Style),
            ("b.css", Kind::Style),
            ("x.woff2", Kind::Font),
            ("p.png", Kind::Image),
            ("q.png", Kind::Image),
        ];
        assert_eq!(
            names(sheet),
            expected.map(|(url, kind)| (url.to_owned(), kind))
        );
    }

    #[test]
    fn broken_sheets_give_what_they_can() {
        assert_eq!(names("a { b: url(x.png").len(), 1);
        assert_eq!(names("}}}} @import ; url(y.png)").len(), 1);
        assert!(names("url(").is_empty());
        assert!(names("").is_empty());
        assert!(names(&"a{b:(".repeat(100_000)).is_empty());
    }
}
