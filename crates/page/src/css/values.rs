//! What a declaration's value names.

use cssparser::{ParseError, Parser, Token};
use url::Url;

use crate::base::Base;

/// Blocks nested deeper name nothing.
const DEEPEST: usize = 32;

/// Types of images that Chromium shows.
const IMAGE_TYPES: [&str; 14] = [
    "image/apng",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/ico",
    "image/jpeg",
    "image/jpg",
    "image/pjpeg",
    "image/png",
    "image/svg+xml",
    "image/vnd.microsoft.icon",
    "image/webp",
    "image/x-icon",
    "image/x-png",
];

/// Whether Chromium shows images of this media type.
pub(crate) fn is_image_type(media_type: &str) -> bool {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase();
    IMAGE_TYPES.contains(&essence.as_str())
}

/// What a value names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Value {
    /// Of its images, absolute.
    pub(crate) urls: Vec<Url>,
    /// Custom properties by their names, with their dashes.
    pub(crate) vars: Vec<String>,
    /// Words and strings in lists, in small letters: families, animations.
    pub(crate) names: Vec<String>,
    /// Its strings, for `content`.
    pub(crate) text: String,
    /// Its first number, for weights.
    pub(crate) weight: Option<u16>,
    /// Whether a shorthand says `italic` or `oblique`, or `bold`, before a size.
    pub(crate) slanted: bool,
}

/// Reads a value to its end; URLs are relative to `base`.
pub(crate) fn read(parser: &mut Parser<'_, '_>, base: Base<'_>) -> Value {
    let mut value = Value::default();
    let mut words = Vec::new();
    scan(parser, base, 0, &mut value, &mut words);
    finish_name(&mut words, &mut value);
    value
}

/// Ends a run of words, which together are one name.
fn finish_name(words: &mut Vec<String>, value: &mut Value) {
    if !words.is_empty() {
        value.names.push(words.join(" "));
        words.clear();
    }
}

fn scan(
    parser: &mut Parser<'_, '_>,
    base: Base<'_>,
    depth: usize,
    value: &mut Value,
    words: &mut Vec<String>,
) {
    if depth > DEEPEST {
        return;
    }
    while let Ok(token) = parser.next().cloned() {
        match token {
            Token::UnquotedUrl(url) => add(&url, base, value),
            Token::Function(name)
                if name.eq_ignore_ascii_case("url") || name.eq_ignore_ascii_case("src") =>
            {
                nested(parser, |inner| {
                    if let Ok(url) = inner.expect_string_cloned() {
                        add(&url, base, value);
                    }
                });
            }
            Token::Function(name) if name.eq_ignore_ascii_case("var") => {
                nested(parser, |inner| {
                    if let Ok(name) = inner.expect_ident_cloned() {
                        value.vars.push(name.to_string());
                    }
                    scan(inner, base, depth + 1, value, words);
                });
            }
            Token::Function(name)
                if name.eq_ignore_ascii_case("image-set")
                    || name.eq_ignore_ascii_case("-webkit-image-set") =>
            {
                nested(parser, |inner| {
                    if let Some(url) = image_set(inner) {
                        add(&url, base, value);
                    }
                });
            }
            Token::Function(_)
            | Token::ParenthesisBlock
            | Token::SquareBracketBlock
            | Token::CurlyBracketBlock => {
                nested(parser, |inner| scan(inner, base, depth + 1, value, words));
            }
            Token::QuotedString(text) => {
                value.text.push_str(&text);
                finish_name(words, value);
                value.names.push(text.to_ascii_lowercase());
            }
            Token::Ident(word) => words.push(word.to_ascii_lowercase()),
            // In a shorthand the family follows the size.
            Token::Delim(_) | Token::Dimension { .. } | Token::Percentage { .. } => {
                let said = |asked: &str| words.iter().any(|word| word == asked);
                value.slanted |= said("italic") || said("oblique");
                if said("bold") {
                    value.weight = Some(700);
                }
                words.clear();
            }
            Token::Number {
                int_value: Some(number),
                ..
            } if value.weight.is_none() => value.weight = u16::try_from(number).ok(),
            Token::Comma => finish_name(words, value),
            _ => {}
        }
    }
}

/// The image of a set that Chromium takes at one device pixel a CSS pixel, of a type that it shows.
fn image_set(parser: &mut Parser<'_, '_>) -> Option<String> {
    let options: Result<Vec<Option<(f64, String)>>, ParseError<'_, ()>> = parser
        .parse_comma_separated(|option| {
            let (mut url, mut density, mut shown) = (None, 1.0, true);
            while let Ok(token) = option.next().cloned() {
                match token {
                    Token::UnquotedUrl(text) | Token::QuotedString(text) => {
                        url = Some(text.to_string())
                    }
                    Token::Dimension { value, unit, .. } => {
                        density = f64::from(value) * crate::media::unit_size(&unit).unwrap_or(1.0);
                    }
                    Token::Function(name) => nested(option, |inner| {
                        let text = inner.expect_string_cloned().ok();
                        if name.eq_ignore_ascii_case("url") {
                            url = text.map(|text| text.to_string());
                        } else if name.eq_ignore_ascii_case("type") {
                            shown = text.is_some_and(|text| is_image_type(&text));
                        }
                    }),
                    _ => {}
                }
            }
            Ok(url.filter(|_| shown).map(|url| (density, url)))
        });
    let mut options: Vec<_> = options.ok()?.into_iter().flatten().collect();
    options.sort_by(|one, other| one.0.total_cmp(&other.0));
    let enough = options.iter().position(|(density, _)| *density >= 1.0);
    let chosen = enough.unwrap_or(options.len().checked_sub(1)?);
    Some(options.swap_remove(chosen).1)
}

/// A reference to an element of the document itself asks for nothing.
fn add(url: &str, base: Base<'_>, value: &mut Value) {
    if url.is_empty() || url.starts_with('#') {
        return;
    }
    value.urls.extend(base.join(url));
}

pub(super) fn nested<'i>(parser: &mut Parser<'i, '_>, read: impl FnOnce(&mut Parser<'i, '_>)) {
    let _: Result<(), ParseError<'i, ()>> = parser.parse_nested_block(|inner| {
        read(inner);
        while inner.next().is_ok() {}
        Ok(())
    });
}
