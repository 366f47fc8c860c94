//! Media queries (Media Queries Level 4) for the screen that the loader stands for: a desktop browser whose viewport
//! has 1366 × 768 CSS pixels, at one device pixel a CSS pixel.

use cssparser::{ParseError, Parser, ParserInput, Token};

/// The viewport, in CSS pixels.
pub(crate) const WIDTH: f64 = 1366.0;
pub(crate) const HEIGHT: f64 = 768.0;
/// CSS pixels of the initial font size.
const EM: f64 = 16.0;
/// Conditions nested deeper fit nothing.
const DEEPEST: usize = 32;

/// Whether any query of a list fits; an empty list does.
pub(crate) fn fits(list: &str) -> bool {
    let mut input = ParserInput::new(list);
    fits_rest(&mut Parser::new(&mut input))
}

/// Whether any query of the list that is left in `parser` fits, which is read to its end.
pub(crate) fn fits_rest(parser: &mut Parser<'_, '_>) -> bool {
    if parser.is_exhausted() {
        return true;
    }
    let fitting: Result<Vec<bool>, ParseError<'_, ()>> = parser.parse_comma_separated(|query| {
        let fits = query_fits(query).unwrap_or(false);
        // What doesn't parse is `not all`.
        let whole = query.is_exhausted();
        while query.next().is_ok() {}
        Ok(fits && whole)
    });
    fitting.is_ok_and(|fitting| fitting.contains(&true))
}

/// A condition that may hold, not hold, or be unknown.
type Known = Option<bool>;

fn query_fits(query: &mut Parser<'_, '_>) -> Known {
    let start = query.state();
    let mut negated = false;
    let mut media = query.expect_ident_cloned().ok();
    if let Some(word) = &media {
        if word.eq_ignore_ascii_case("not") || word.eq_ignore_ascii_case("only") {
            negated = word.eq_ignore_ascii_case("not");
            media = query.expect_ident_cloned().ok();
        }
    }
    let Some(media) = media else {
        query.reset(&start);
        return condition(query, 0);
    };
    let mut holds = Some(matches!(&*media.to_ascii_lowercase(), "all" | "screen"));
    while query
        .try_parse(|query| query.expect_ident_matching("and"))
        .is_ok()
    {
        holds = and(holds, in_parentheses(query, 0));
    }
    if negated {
        holds.map(|holds| !holds)
    } else {
        holds
    }
}

fn and(one: Known, other: Known) -> Known {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(one: Known, other: Known) -> Known {
    match (one, other) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

fn condition(parser: &mut Parser<'_, '_>, depth: usize) -> Known {
    if parser
        .try_parse(|parser| parser.expect_ident_matching("not"))
        .is_ok()
    {
        return in_parentheses(parser, depth).map(|holds| !holds);
    }
    let mut holds = in_parentheses(parser, depth);
    loop {
        if parser
            .try_parse(|parser| parser.expect_ident_matching("and"))
            .is_ok()
        {
            holds = and(holds, in_parentheses(parser, depth));
        } else if parser
            .try_parse(|parser| parser.expect_ident_matching("or"))
            .is_ok()
        {
            holds = or(holds, in_parentheses(parser, depth));
        } else {
            return holds;
        }
    }
}

fn in_parentheses(parser: &mut Parser<'_, '_>, depth: usize) -> Known {
    match parser.next().cloned() {
        Ok(Token::ParenthesisBlock) if depth < DEEPEST => {
            let inner: Result<Known, ParseError<'_, ()>> = parser.parse_nested_block(|inner| {
                let start = inner.state();
                let nested = matches!(inner.next(), Ok(Token::ParenthesisBlock));
                inner.reset(&start);
                let negated = inner
                    .try_parse(|inner| inner.expect_ident_matching("not"))
                    .is_ok();
                inner.reset(&start);
                let holds = match nested || negated {
                    true => condition(inner, depth + 1),
                    false => feature(inner),
                };
                while inner.next().is_ok() {}
                Ok(holds)
            });
            inner.unwrap_or(None)
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl Comparison {
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Equal => (left - right).abs() < 1e-6,
            Comparison::AtLeast => left >= right,
            Comparison::More => left > right,
        }
    }
}

fn feature(parser: &mut Parser<'_, '_>) -> Known {
    let start = parser.state();
    if let Ok(name) = parser.expect_ident_cloned() {
        let name = name.to_ascii_lowercase();
        if parser.is_exhausted() {
            return boolean(&name);
        }
        if parser.try_parse(Parser::expect_colon).is_ok() {
            return plain(&name, parser);
        }
        let compared = comparison(parser)?;
        return Some(compared.holds(figure(&name)?, value(parser)?));
    }
    parser.reset(&start);
    let first = value(parser)?;
    let compared = comparison(parser)?;
    let name = parser.expect_ident_cloned().ok()?.to_ascii_lowercase();
    let figure = figure(&name)?;
    let mut holds = compared.holds(first, figure);
    if !parser.is_exhausted() {
        holds &= comparison(parser)?.holds(figure, value(parser)?);
    }
    Some(holds)
}

fn comparison(parser: &mut Parser<'_, '_>) -> Option<Comparison> {
    let strict = match parser.next().ok()? {
        Token::Delim('<') => Comparison::Less,
        Token::Delim('>') => Comparison::More,
        Token::Delim('=') => return Some(Comparison::Equal),
        _ => return None,
    };
    let equal = parser.try_parse(|parser| parser.expect_delim('=')).is_ok();
    Some(match (strict, equal) {
        (Comparison::Less, true) => Comparison::AtMost,
        (Comparison::More, true) => Comparison::AtLeast,
        (strict, _) => strict,
    })
}

/// `name: value`.
fn plain(name: &str, parser: &mut Parser<'_, '_>) -> Known {
    let bare = name.strip_prefix("-webkit-").unwrap_or(name);
    for (prefix, compared) in [("min-", Comparison::AtLeast), ("max-", Comparison::AtMost)] {
        if let Some(name) = bare.strip_prefix(prefix) {
            return Some(compared.holds(figure(name)?, value(parser)?));
        }
    }
    if let Some(figure) = figure(bare) {
        return Some(Comparison::Equal.holds(figure, value(parser)?));
    }
    let asked = parser.expect_ident_cloned().ok()?.to_ascii_lowercase();
    words(name)?.contains(&asked.as_str()).into()
}

/// `(name)` alone: whether it is neither zero nor none.
fn boolean(name: &str) -> Known {
    match figure(name) {
        Some(figure) => Some(figure != 0.0),
        None => words(name).map(|words| !matches!(words[0], "none" | "no-preference")),
    }
}

/// Features that are numbers: CSS pixels, ratios, dots a CSS pixel, bits.
fn figure(name: &str) -> Option<f64> {
    Some(match name {
        "width" | "device-width" => WIDTH,
        "height" | "device-height" => HEIGHT,
        "aspect-ratio" | "device-aspect-ratio" => WIDTH / HEIGHT,
        "resolution" | "device-pixel-ratio" => 1.0,
        "color" => 8.0,
        "color-index" | "monochrome" | "grid" => 0.0,
        _ => return None,
    })
}

/// Features that are words, and those that fit.
fn words(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "orientation" => &["landscape"],
        "prefers-color-scheme" => &["light"],
        "prefers-reduced-motion" | "prefers-contrast" | "prefers-reduced-transparency" => {
            &["no-preference"]
        }
        "forced-colors" | "inverted-colors" => &["none"],
        "hover" | "any-hover" => &["hover"],
        "pointer" | "any-pointer" => &["fine"],
        "scripting" => &["enabled"],
        "update" => &["fast"],
        "overflow-block" | "overflow-inline" => &["scroll"],
        "display-mode" => &["browser"],
        "color-gamut" => &["srgb"],
        "dynamic-range" | "video-dynamic-range" => &["standard"],
        _ => return None,
    })
}

/// A length in CSS pixels, a resolution in dots a CSS pixel, a ratio or a number.
fn value(parser: &mut Parser<'_, '_>) -> Option<f64> {
    let first = match parser.next().ok()?.clone() {
        Token::Number { value, .. } => f64::from(value),
        Token::Dimension { value, unit, .. } => f64::from(value) * unit_size(&unit)?,
        _ => return None,
    };
    if parser.try_parse(|parser| parser.expect_delim('/')).is_ok() {
        return Some(first / f64::from(parser.expect_number().ok()?));
    }
    Some(first)
}

/// CSS pixels of a unit of length; dots a CSS pixel of one of resolution.
pub(crate) fn unit_size(unit: &str) -> Option<f64> {
    Some(match &*unit.to_ascii_lowercase() {
        "px" | "dppx" | "x" => 1.0,
        "em" | "rem" => EM,
        "ex" | "ch" => EM / 2.0,
        "vw" | "svw" | "lvw" | "dvw" => WIDTH / 100.0,
        "vh" | "svh" | "lvh" | "dvh" => HEIGHT / 100.0,
        "vmin" => WIDTH.min(HEIGHT) / 100.0,
        "vmax" => WIDTH.max(HEIGHT) / 100.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 9.6 / 2.54,
        "q" => 2.4 / 2.54,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        "dpi" => 1.0 / 96.0,
        "dpcm" => 2.54 / 96.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_fit_as_they_do_in_a_desktop_browser() {
        for (query, expected) in [
            ("", true),
            ("all", true),
            ("screen", true),
            ("print", false),
            ("not print", true),
            ("only screen and (min-width: 600px)", true),
            ("(max-width: 600px)", false),
            ("print, (min-width: 1000px)", true),
            ("(min-width: 600px) and (max-width: 900px)", false),
            ("(600px <= width < 1400px)", true),
            ("(width > 85.375em)", false),
            ("(width >= 85.375em)", true),
            ("(orientation: portrait)", false),
            ("(orientation: landscape)", true),
            ("(prefers-color-scheme: dark)", false),
            ("(prefers-reduced-motion)", false),
            ("(prefers-reduced-motion: no-preference)", true),
            ("(hover: hover) and (pointer: fine)", true),
            ("(hover: none)", false),
            ("not all and (monochrome)", true),
            ("not (max-width: 600px)", true),
            ("(not (max-width: 600px)) and ((color) or (grid))", true),
            (
                "(-webkit-min-device-pixel-ratio: 1.5), (min-resolution: 144dpi)",
                false,
            ),
            ("(-webkit-min-device-pixel-ratio: 1)", true),
            ("(aspect-ratio: 683/384)", true),
            ("(unknown: 3)", false),
            ("not (unknown: 3)", false),
            ("(width: ", false),
            ("screen and", false),
            ("&, screen", true),
            ("tty", false),
        ] {
            assert_eq!(fits(query), expected, "{query}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        assert!(!fits(&"(".repeat(100_000)));
        assert!(!fits(&"(not ".repeat(100_000)));
    }
}
