//! Which candidate of a `srcset` is fetched (HTML, "Images"), at one device pixel a CSS pixel.

use cssparser::{ParseError, Parser, ParserInput, Token};

use crate::media;

/// Candidates of one attribute beyond these are passed over.
const MOST_CANDIDATES: usize = 1000;
/// Calculations nested deeper are no length.
const DEEPEST: usize = 32;

struct Candidate<'a> {
    url: &'a str,
    /// Device pixels a CSS pixel.
    density: f64,
}

/// The URL that Chromium fetches of a `srcset`, its `sizes` and, as a candidate of density 1, `src`; none where no
/// candidate is usable.
pub(crate) fn choose<'a>(srcset: &'a str, sizes: &str, src: Option<&'a str>) -> Option<&'a str> {
    let mut candidates = Vec::new();
    let mut by_width = false;
    let width = std::cell::LazyCell::new(|| source_size(sizes));
    for (url, descriptors) in split(srcset).into_iter().take(MOST_CANDIDATES) {
        let Some(described) = describe(&descriptors) else {
            continue;
        };
        let density = match described {
            Described::Width(pixels) => {
                by_width = true;
                pixels / *width
            }
            Described::Density(density) => density,
        };
        candidates.push(Candidate { url, density });
    }
    if let Some(url) = src.filter(|src| !by_width && !src.trim().is_empty()) {
        candidates.push(Candidate { url, density: 1.0 });
    }
    // Stable: the first of equal densities stays first.
    candidates.sort_by(|one, other| one.density.total_cmp(&other.density));
    candidates.dedup_by(|later, first| later.density == first.density);
    let mut chosen = 0;
    // Blink's `SelectionLogic` at a device scale factor of 1.
    while let Some(next) = candidates.get(chosen + 1) {
        let current = candidates[chosen].density;
        if next.density >= 1.0 {
            let mean = (current * next.density).sqrt();
            if current < 1.0 || mean <= 1.0 {
                chosen += 1;
            }
            break;
        }
        chosen += 1;
    }
    candidates.get(chosen).map(|candidate| candidate.url)
}

enum Described {
    Width(f64),
    Density(f64),
}

/// Candidates as URL and descriptors.
fn split(srcset: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() || found.len() >= MOST_CANDIDATES {
            return found;
        }
        let end = rest
            .find(|c: char| c.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        rest = after;
        let bare = url.trim_end_matches(',');
        if bare.len() < url.len() {
            found.push((bare, Vec::new()));
            continue;
        }
        let mut depth = 0_usize;
        let end = rest.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        let (descriptors, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        found.push((url, descriptors.split_ascii_whitespace().collect()));
    }
}

/// None where the descriptors are wrong, so that the candidate is passed over.
fn describe(descriptors: &[&str]) -> Option<Described> {
    let mut described = None;
    for descriptor in descriptors {
        let (number, unit) = descriptor.split_at_checked(descriptor.len().checked_sub(1)?)?;
        match unit {
            "w" if described.is_none() => {
                let width: u32 = number.parse().ok()?;
                described = (width > 0).then_some(Described::Width(f64::from(width)));
                described.as_ref()?;
            }
            "x" if described.is_none() => {
                let density: f64 = number.parse().ok()?;
                if !density.is_finite() || density < 0.0 {
                    return None;
                }
                described = Some(Described::Density(density));
            }
            // For the future, beside a width.
            "h" => {
                number.parse::<u32>().ok()?;
            }
            _ => return None,
        }
    }
    Some(described.unwrap_or(Described::Density(1.0)))
}

/// The width in CSS pixels at which the image is to be shown: that of the first entry of `sizes` whose condition
/// fits, else the viewport's.
fn source_size(sizes: &str) -> f64 {
    for entry in top_level(sizes, ',').take(MOST_CANDIDATES) {
        let entry = entry.trim();
        let at = value_start(entry);
        let (condition, value) = (entry[..at].trim(), &entry[at..]);
        if let Some(length) = length(value).filter(|length| *length >= 0.0) {
            if media::fits(condition) {
                return length.max(f64::MIN_POSITIVE);
            }
        }
    }
    media::WIDTH
}

/// The parts of a text between separators outside parentheses.
fn top_level(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == separator && depth == 0
    })
}

/// Where the last word or function of an entry begins.
fn value_start(entry: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in entry.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            c if c.is_ascii_whitespace() && depth == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// A length in CSS pixels.
fn length(text: &str) -> Option<f64> {
    let mut input = ParserInput::new(text);
    let mut parser = Parser::new(&mut input);
    let length = term(&mut parser, 0)?;
    parser.is_exhausted().then_some(length)
}

fn term(parser: &mut Parser<'_, '_>, depth: usize) -> Option<f64> {
    if depth > DEEPEST {
        return None;
    }
    let nested = |parser: &mut Parser<'_, '_>, name: &str| {
        let inner: Result<Option<f64>, ParseError<'_, ()>> = parser.parse_nested_block(|inner| {
            let result = function(inner, name, depth + 1);
            while inner.next().is_ok() {}
            Ok(result)
        });
        inner.ok().flatten()
    };
    match parser.next().ok()?.clone() {
        Token::Number { value, .. } if depth > 0 || value == 0.0 => Some(f64::from(value)),
        Token::Dimension { value, unit, .. } => Some(f64::from(value) * media::unit_size(&unit)?),
        Token::ParenthesisBlock if depth > 0 => nested(parser, "calc"),
        Token::Function(name) => nested(parser, &name.to_ascii_lowercase()),
        _ => None,
    }
}

fn function(parser: &mut Parser<'_, '_>, name: &str, depth: usize) -> Option<f64> {
    let mut values = vec![sum(parser, depth)?];
    while parser.try_parse(Parser::expect_comma).is_ok() {
        values.push(sum(parser, depth)?);
    }
    match (name, &values[..]) {
        ("calc" | "-webkit-calc", [value]) => Some(*value),
        ("min", values) => values.iter().copied().reduce(f64::min),
        ("max", values) => values.iter().copied().reduce(f64::max),
        ("clamp", [least, value, most]) => Some(value.min(*most).max(*least)),
        _ => None,
    }
}

fn sum(parser: &mut Parser<'_, '_>, depth: usize) -> Option<f64> {
    let mut total = product(parser, depth)?;
    loop {
        if parser.try_parse(|parser| parser.expect_delim('+')).is_ok() {
            total += product(parser, depth)?;
        } else if parser.try_parse(|parser| parser.expect_delim('-')).is_ok() {
            total -= product(parser, depth)?;
        } else {
            return Some(total);
        }
    }
}

fn product(parser: &mut Parser<'_, '_>, depth: usize) -> Option<f64> {
    let mut total = term(parser, depth)?;
    loop {
        if parser.try_parse(|parser| parser.expect_delim('*')).is_ok() {
            total *= term(parser, depth)?;
        } else if parser.try_parse(|parser| parser.expect_delim('/')).is_ok() {
            total /= term(parser, depth)?;
        } else {
            return Some(total);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_are_chosen_as_chromium_does() {
        for (srcset, src, expected) in [
            ("a 1x, b 2x", Some("c"), Some("a")),
            ("b 2x", Some("c"), Some("c")),
            ("b 2x", None, Some("b")),
            ("a 0.5x, b 2x", None, Some("b")),
            ("a 0.5x, b 0.75x", None, Some("b")),
            ("a, b 2x", Some("c"), Some("a")),
            ("a,b 2x", None, Some("a,b")),
            ("a 1x 2x, b bad, c 1q", Some("d"), Some("d")),
            ("", Some("d"), Some("d")),
            ("  , ,", None, None),
            ("a b( 1x, c", None, None),
        ] {
            assert_eq!(choose(srcset, "", src), expected, "{srcset}");
        }
    }

    #[test]
    fn widths_are_held_against_sizes() {
        let srcset = "s 400w, m 800w, l 1400w, xl 2800w";
        for (sizes, expected) in [
            ("", "l"),
            ("100vw", "l"),
            ("400px", "s"),
            ("(max-width: 600px) 100vw, 50vw", "m"),
            ("(min-width: 600px) 390px, 50vw", "s"),
            ("calc(100vw - 600px)", "m"),
            ("calc((100vw - 66px) / 2 - 50px)", "m"),
            ("min(100vw, 300px)", "s"),
            ("clamp(200px, 50vw, 500px)", "m"),
            ("2000px", "xl"),
            ("nonsense, 390px", "s"),
            ("(min-width: 1px) and (orientation: landscape) 25em", "s"),
        ] {
            assert_eq!(
                choose(srcset, sizes, Some("src")),
                Some(expected),
                "{sizes}"
            );
        }
    }

    #[test]
    fn nonsense_ends() {
        assert_eq!(
            choose(&"a 1w,".repeat(100_000), &"calc(".repeat(100_000), None),
            Some("a")
        );
        choose(&"(".repeat(100_000), &",(".repeat(100_000), None);
    }
}
