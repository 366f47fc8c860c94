//! Conditions of `@supports` and of imports (CSS Conditional Rules 3): true unless they ask for what can be known to be
//! nothing that Chromium has.

use cssparser::{ParseError, Parser, Token};

/// Conditions nested deeper hold.
const DEEPEST: usize = 32;

/// Words that `display` may have.
const DISPLAYS: &str = " block inline inline-block flex inline-flex grid inline-grid flow-root none contents table inline-table \
    list-item ruby math table-cell table-row table-caption table-column flow inherit initial unset revert ";

/// Whether a condition holds, which is read to its end.
pub(crate) fn holds(parser: &mut Parser<'_, '_>) -> bool {
    let holds = condition(parser, 0);
    while parser.next().is_ok() {}
    holds
}

fn condition(parser: &mut Parser<'_, '_>, depth: usize) -> bool {
    if parser
        .try_parse(|parser| parser.expect_ident_matching("not"))
        .is_ok()
    {
        return !in_parentheses(parser, depth);
    }
    let mut all = in_parentheses(parser, depth);
    loop {
        if parser
            .try_parse(|parser| parser.expect_ident_matching("and"))
            .is_ok()
        {
            all &= in_parentheses(parser, depth);
        } else if parser
            .try_parse(|parser| parser.expect_ident_matching("or"))
            .is_ok()
        {
            all |= in_parentheses(parser, depth);
        } else {
            return all;
        }
    }
}

fn in_parentheses(parser: &mut Parser<'_, '_>, depth: usize) -> bool {
    match parser.next().cloned() {
        Ok(Token::ParenthesisBlock) if depth < DEEPEST => {
            let inner: Result<bool, ParseError<'_, ()>> = parser.parse_nested_block(|inner| {
                let declared = inner.try_parse(declaration);
                let holds = declared.unwrap_or_else(|_| condition(inner, depth + 1));
                while inner.next().is_ok() {}
                Ok(holds)
            });
            inner.unwrap_or(true)
        }
        Ok(Token::Function(_)) => {
            super::values::nested(parser, |_| {});
            true
        }
        _ => true,
    }
}

/// `property: value`.
pub(super) fn declaration<'i>(parser: &mut Parser<'i, '_>) -> Result<bool, ParseError<'i, ()>> {
    let property = parser.expect_ident_cloned()?.to_ascii_lowercase();
    parser.expect_colon()?;
    let value = parser.try_parse(Parser::expect_ident_cloned);
    let known = match (property.as_str(), value) {
        ("display", Ok(value)) => DISPLAYS.contains(&format!(" {} ", value.to_ascii_lowercase())),
        _ => true,
    };
    let foreign = ["-moz-", "-ms-", "-o-"]
        .iter()
        .any(|prefix| property.starts_with(prefix));
    Ok(known && !foreign)
}

#[cfg(test)]
mod tests {
    use cssparser::ParserInput;

    use super::*;

    #[test]
    fn what_chromium_lacks_does_not_hold() {
        for (text, expected) in [
            ("(display: grid)", true),
            ("(display: unheard-of)", false),
            ("not (display: grid)", false),
            ("(display: grid) and (not (display: x))", true),
            ("((display: x) or (color: red)) and (gap: 1px)", true),
            ("(-moz-appearance: none)", false),
            ("selector(:has(a))", true),
            ("", true),
        ] {
            let mut input = ParserInput::new(text);
            assert_eq!(holds(&mut Parser::new(&mut input)), expected, "{text}");
        }
        let deep = "(".repeat(100_000);
        let mut input = ParserInput::new(&deep);
        assert!(holds(&mut Parser::new(&mut input)));
    }
}
