//! The static imports of a module script.

/// Specifiers of one script beyond these are passed over.
const MOST_IMPORTS: usize = 10_000;

/// What follows can't be a division, so a `/` begins a regular expression.
const BEFORE_EXPRESSION: [&str; 16] = [
    "return",
    "typeof",
    "instanceof",
    "in",
    "of",
    "new",
    "delete",
    "void",
    "throw",
    "case",
    "do",
    "else",
    "yield",
    "await",
    "export",
    "default",
];

/// The specifiers that static `import` and `export … from` declarations name, in their order. Dynamic imports name
/// none. Tokens are told apart as far as it takes to find them; a broken script gives what it can.
pub(crate) fn static_imports(source: &str) -> Vec<&str> {
    let mut reader = Reader {
        source,
        at: 0,
        before: Before::Start,
    };
    let mut found = Vec::new();
    // Kinds of open brackets: of templates, whose text goes on at their end, or others.
    let mut open: Vec<bool> = Vec::new();
    while let Some(token) = reader.next() {
        match token {
            Token::Open(template) => open.push(template),
            Token::Close if open.pop() == Some(true) && reader.template() => open.push(true),
            Token::Word("import") if open.is_empty() => {
                found.extend(reader.import());
            }
            Token::Word("export") if open.is_empty() => found.extend(reader.export()),
            _ => {}
        }
        if found.len() >= MOST_IMPORTS {
            break;
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    Text(&'a str),
    /// A bracket; true where it stands in a template.
    Open(bool),
    Close,
    Other(char),
}

/// What a `/` follows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Before {
    Start,
    Dot,
    Value,
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    source: &'a str,
    at: usize,
    before: Before,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip();
        let rest = self.rest();
        let first = rest.chars().next()?;
        if is_word(first) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            self.at += end;
            let word = &rest[..end];
            let member = self.before == Before::Dot;
            let expression = !member && BEFORE_EXPRESSION.contains(&word);
            self.before = if expression {
                Before::Start
            } else {
                Before::Value
            };
            return Some(if member {
                Token::Other('.')
            } else {
                Token::Word(word)
            });
        }
        self.at += first.len_utf8();
        Some(match first {
            '"' | '\'' => {
                let text = self.quoted(first);
                self.before = Before::Value;
                Token::Text(text)
            }
            '`' => match self.template() {
                true => Token::Open(true),
                false => Token::Other('`'),
            },
            '/' if self.before != Before::Value => {
                self.regular_expression();
                self.before = Before::Value;
                Token::Other('/')
            }
            '(' | '[' | '{' => {
                self.before = Before::Start;
                Token::Open(false)
            }
            ')' | ']' | '}' => {
                self.before = if first == '}' {
                    Before::Start
                } else {
                    Before::Value
                };
                Token::Close
            }
            '.' => {
                self.before = if rest.starts_with("...") {
                    Before::Start
                } else {
                    Before::Dot
                };
                Token::Other('.')
            }
            other => {
                self.before = Before::Start;
                Token::Other(other)
            }
        })
    }

    /// Passes over white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") {
                trimmed.find(['\n', '\r', '\u{2028}', '\u{2029}'])
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                comment.find("*/").map(|end| end + 4)
            } else {
                return;
            };
            self.at += comment.unwrap_or(trimmed.len());
        }
    }

    /// The text of a string whose opening quote has been read.
    fn quoted(&mut self, quote: char) -> &'a str {
        let rest = self.rest();
        let mut escaped = false;
        for (at, c) in rest.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote || c == '\n' => {
                    self.at += at + 1;
                    return &rest[..at];
                }
                _ => {}
            }
        }
        self.at = self.source.len();
        ""
    }

    /// Reads a template's text; true where an expression begins.
    fn template(&mut self) -> bool {
        let rest = self.rest();
        let mut before = ' ';
        for (at, c) in rest.char_indices() {
            match c {
                _ if before == '\\' => before = ' ',
                '`' => {
                    self.at += at + 1;
                    self.before = Before::Value;
                    return false;
                }
                '{' if before == '$' => {
                    self.at += at + 1;
                    self.before = Before::Start;
                    return true;
                }
                c => before = c,
            }
        }
        self.at = self.source.len();
        false
    }

    fn regular_expression(&mut self) {
        let rest = self.rest();
        let (mut escaped, mut in_class) = (false, false);
        for (at, c) in rest.char_indices() {
            match c {
                '\n' => {
                    self.at += at;
                    return;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    self.at += at + 1;
                    return;
                }
                _ => {}
            }
        }
        self.at = self.source.len();
    }

    /// The specifier of an import whose first word has been read; the reader stands where it stood where there is none.
    ///
    /// The search ends at the next `import` or `export` outside braces, where the caller's next search begins. So no
    /// token is read by two searches, however many imports a broken script begins.
    fn import(&mut self) -> Option<&'a str> {
        let mut ahead = *self;
        let mut clause = 0;
        let mut braces = false;
        loop {
            match ahead.next()? {
                Token::Text(text) if clause == 0 => return self.take(ahead, text),
                Token::Word("from") if clause > 0 => {
                    let mut further = ahead;
                    if let Some(Token::Text(text)) = further.next() {
                        return self.take(further, text);
                    }
                }
                Token::Word("import" | "export") if !braces => return None,
                Token::Word(_) | Token::Text(_) | Token::Other('*' | ',') => {}
                Token::Open(false) if !braces && ahead.source[..ahead.at].ends_with('{') => {
                    braces = true;
                }
                Token::Close if braces => braces = false,
                _ => return None,
            }
            clause += 1;
        }
    }

    /// The specifier of `export * from` or `export { … } from`.
    fn export(&mut self) -> Option<&'a str> {
        let mut ahead = *self;
        match ahead.next()? {
            Token::Other('*') => {
                let mut token = ahead.next()?;
                if token == Token::Word("as") {
                    ahead.next()?;
                    token = ahead.next()?;
                }
                if token != Token::Word("from") {
                    return None;
                }
            }
            Token::Open(false) if ahead.source[..ahead.at].ends_with('{') => {
                while !matches!(ahead.next()?, Token::Close) {}
                if ahead.next()? != Token::Word("from") {
                    return None;
                }
            }
            _ => return None,
        }
        match ahead.next()? {
            Token::Text(text) => self.take(ahead, text),
            _ => None,
        }
    }

    fn take(&mut self, ahead: Reader<'a>, text: &'a str) -> Option<&'a str> {
        *self = ahead;
        (!text.contains('\\')).then_some(text)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '#'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_imports_are_found_and_nothing_else() {
        let source = r#"
            // import "no1.js"
            /* import "no2.js" */
            import "a.js"; import b from 'b.js'
            import * as c from "c.js"; import d, { e as f, default as g } from "d.js" with { type: "json" };
            import{h}from"h.js";export*from"i.js";export * as j from "j.js"; export { k, "l" as m } from "k.js";
            import from from "n.js";
            export { local }; export const x = "from 'no3.js'"; export default function () { import("no4.js") }
            const u = import.meta.url, v = import("no5.js"), w = `import "no6.js" ${`${"}"}`} import "no7.js"`;
            a.import; x = /import "no8.js"/g; y = 4 / 2; z = "/" / 1; if (/[/]"/.test(z)) {}
            return /"/; t = `\${import "no9.js"}`;
            import "last.js"
        "#;
        let expected = [
            "a.js", "b.js", "c.js", "d.js", "h.js", "i.js", "j.js", "k.js", "n.js", "last.js",
        ];
        assert_eq!(static_imports(source), expected);
    }

    #[test]
    fn broken_scripts_end() {
        for source in [
            "import",
            "import {",
            "export",
            "export {",
            "`${",
            "/",
            "'",
            "import x from",
            "}}}}import 'a'",
        ] {
            static_imports(source);
            static_imports(&source.repeat(10_000));
        }
        assert_eq!(static_imports("}}}}import 'a'"), ["a"]);
        assert_eq!(static_imports("import a import 'b'"), ["b"]);
    }

    #[test]
    fn imports_may_name_many_and_any_word() {
        let names: String = (0..5000).map(|n| format!("a{n} as b{n}, ")).collect();
        let source = format!("import {{ {names} import as x, export as y }} from 'many.js'");
        assert_eq!(static_imports(&source), ["many.js"]);
    }

    /// Were each import searched to the end of the script, each of these would take hours.
    #[test]
    fn imports_without_a_specifier_are_read_once() {
        for begun in [
            "import ",
            "import a,",
            "import {a} ",
            "import a 'b' ",
            "import } ",
        ] {
            let source = begun.repeat(1_000_000) + "import 'last.js'";
            assert_eq!(static_imports(&source), ["last.js"], "{begun}");
        }
    }
}
