//! Which faces of a page's fonts are fetched: those of families that are used, for characters that are shown, nearest to
//! the weights and styles in use (CSS Fonts 4, "Font matching").

use std::collections::{BTreeSet, HashMap, HashSet};

use cssparser::{ParseError, Parser, Token, UnicodeRange};
use url::Url;

use super::values::nested;
use crate::base::Base;

/// Comparisons of faces with characters, beyond which a family's faces all count as needed.
const MOST_COMPARISONS: usize = 50_000_000;
/// Ranges of one face beyond these are passed over.
const MOST_RANGES: usize = 2000;

/// An `@font-face` rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Face {
    pub(crate) family: String,
    /// The first source that Chromium can use; none where that is no URL.
    pub(crate) url: Option<Url>,
    /// Code points, inclusive; empty: all.
    ranges: Vec<(u32, u32)>,
    weights: (f32, f32),
    italic: bool,
}

impl Default for Face {
    fn default() -> Face {
        Face {
            family: String::new(),
            url: None,
            ranges: Vec::new(),
            weights: (400.0, 400.0),
            italic: false,
        }
    }
}

impl Face {
    /// Heeds one descriptor, whose value is read to its end.
    pub(super) fn describe(&mut self, name: &str, value: &mut Parser<'_, '_>, base: Base<'_>) {
        match name {
            "font-family" => {
                let mut words = Vec::new();
                while let Ok(token) = value.next() {
                    match token {
                        Token::QuotedString(text) | Token::Ident(text) => {
                            words.push(text.to_ascii_lowercase())
                        }
                        _ => {}
                    }
                }
                self.family = words.join(" ");
            }
            "src" => self.url = source(value).and_then(|url| base.join(&url)),
            "unicode-range" => {
                let ranges: Result<Vec<_>, ParseError<'_, ()>> =
                    value.parse_comma_separated(|one| Ok(UnicodeRange::parse(one)?));
                self.ranges = ranges
                    .unwrap_or_default()
                    .iter()
                    .map(|range| (range.start, range.end))
                    .collect();
                self.ranges.truncate(MOST_RANGES);
            }
            "font-weight" => {
                let mut weights = Vec::new();
                while let Ok(token) = value.next() {
                    match token {
                        Token::Number { value, .. } => weights.push(*value),
                        Token::Ident(word) if word.eq_ignore_ascii_case("bold") => {
                            weights.push(700.0)
                        }
                        _ => weights.push(400.0),
                    }
                }
                if let (Some(first), Some(last)) = (weights.first(), weights.last()) {
                    self.weights = (first.min(*last), first.max(*last));
                }
            }
            "font-style" => {
                self.italic = value.expect_ident().is_ok_and(|style| {
                    style.eq_ignore_ascii_case("italic") || style.eq_ignore_ascii_case("oblique")
                });
            }
            _ => {}
        }
    }

    fn covers(&self, character: u32) -> bool {
        let within = |(start, end): &(u32, u32)| (*start..=*end).contains(&character);
        self.ranges.is_empty() || self.ranges.iter().any(within)
    }

    /// How far its weight is from the one asked for; smaller is better (CSS Fonts 4 §5.2, step 4.3).
    fn distance(&self, weight: f32) -> (u8, f32) {
        let (low, high) = self.weights;
        if (low..=high).contains(&weight) {
            return (0, 0.0);
        }
        let (above, below) = (low - weight, weight - high);
        if (400.0..=500.0).contains(&weight) {
            if low > weight && low <= 500.0 {
                return (0, above);
            }
            return if below > 0.0 { (1, below) } else { (2, above) };
        }
        let lighter_first = weight < 400.0;
        match (below > 0.0) == lighter_first {
            true => (1, below.max(above)),
            false => (2, below.max(above)),
        }
    }
}

/// The URL of the first source in a format that Chromium knows. What it may find by `local()` isn't there.
fn source(value: &mut Parser<'_, '_>) -> Option<String> {
    let sources: Result<Vec<Option<String>>, ParseError<'_, ()>> =
        value.parse_comma_separated(|one| {
            let (mut url, mut known) = (None, true);
            while let Ok(token) = one.next().cloned() {
                match token {
                    Token::UnquotedUrl(text) => url = Some(text.to_string()),
                    Token::Function(name) if name.eq_ignore_ascii_case("url") => {
                        nested(one, |inner| {
                            url = inner
                                .expect_string_cloned()
                                .ok()
                                .map(|text| text.to_string());
                        })
                    }
                    Token::Function(name) if name.eq_ignore_ascii_case("format") => {
                        nested(one, |inner| {
                            let format = inner
                                .expect_ident_or_string()
                                .map(|text| text.to_ascii_lowercase());
                            known = format.is_ok_and(|format| {
                                let format = format.trim_end_matches("-variations");
                                matches!(
                                    format,
                                    "woff2" | "woff" | "truetype" | "opentype" | "collection"
                                )
                            });
                        })
                    }
                    Token::Function(_) => nested(one, |_| {}),
                    _ => {}
                }
            }
            Ok(url.filter(|url| known && !url.is_empty()))
        });
    sources.ok()?.into_iter().flatten().next()
}

/// What of fonts a document uses.
#[derive(Debug, Default)]
pub(crate) struct FontUse {
    /// Lists of families in the order of preference, in small letters, with the weight that their rule gives.
    pub(crate) families: HashSet<(Vec<String>, Option<u16>)>,
    pub(crate) weights: BTreeSet<u16>,
    /// Those of the weights that come without a family: elements with them have inherited one.
    pub(crate) bare_weights: BTreeSet<u16>,
    pub(crate) italic: bool,
}

/// The numbers of the faces that are fetched to show `characters`.
pub(crate) fn needed(
    faces: &[&Face],
    used: &FontUse,
    characters: &BTreeSet<u32>,
) -> BTreeSet<usize> {
    let mut families: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, face) in faces.iter().enumerate() {
        families.entry(&face.family).or_default().push(number);
    }
    let mut needed = BTreeSet::new();
    let mut comparisons = MOST_COMPARISONS;
    for (list, own) in &used.families {
        let list: Vec<&Vec<usize>> = list
            .iter()
            .filter_map(|name| families.get(name.as_str()))
            .collect();
        let weights: Vec<u16> = match own {
            Some(weight) => used.bare_weights.iter().copied().chain([*weight]).collect(),
            None => used.weights.iter().copied().chain([400]).collect(),
        };
        for weight in weights {
            for italic in [false, true] {
                if !italic || used.italic {
                    choose(
                        faces,
                        &list,
                        f32::from(weight),
                        italic,
                        characters,
                        (&mut needed, &mut comparisons),
                    );
                }
            }
        }
    }
    needed
}

/// The faces that show each character in the first family that has it.
fn choose(
    faces: &[&Face],
    families: &[&Vec<usize>],
    weight: f32,
    italic: bool,
    characters: &BTreeSet<u32>,
    (needed, comparisons): (&mut BTreeSet<usize>, &mut usize),
) {
    let mut left: Vec<u32> = characters.iter().copied().collect();
    for family in families {
        let rank = |number: &usize| {
            let face = faces[*number];
            let (class, distance) = face.distance(weight);
            (face.italic != italic, class, distance)
        };
        let Some(best) = family
            .iter()
            .map(rank)
            .min_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal))
        else {
            continue;
        };
        // Faces alike but for their characters are one; a later one wins where they overlap.
        let alike: Vec<usize> = family
            .iter()
            .copied()
            .filter(|number| rank(number) == best)
            .rev()
            .collect();
        let ranges: usize = alike
            .iter()
            .map(|number| faces[*number].ranges.len() + 1)
            .sum();
        let cost = family.len() * 2 + left.len() * ranges;
        let Some(remaining) = comparisons.checked_sub(cost) else {
            needed.extend(alike);
            return;
        };
        *comparisons = remaining;
        left.retain(|character| {
            match alike
                .iter()
                .find(|number| faces[**number].covers(*character))
            {
                Some(number) => {
                    needed.insert(*number);
                    false
                }
                None => true,
            }
        });
    }
}
