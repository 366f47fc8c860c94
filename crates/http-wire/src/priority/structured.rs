//! Dictionaries of structured fields (RFC 9651 §4.2), as far as priorities need them: every type
//! is recognised, integers and booleans alone are told apart.

/// The text is no dictionary, so the field it stands in counts as absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoDictionary;

/// A member's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Integer(i64),
    Boolean(bool),
    /// Any other type, or an inner list.
    Other,
}

/// Calls `visit` with each member's key and value, in order.
pub(super) fn dictionary(
    text: &[u8],
    mut visit: impl FnMut(&[u8], Value),
) -> Result<(), NoDictionary> {
    let mut parser = Parser { rest: text };
    parser.skip(b" ");
    if parser.rest.is_empty() {
        return Ok(());
    }
    loop {
        let key = parser.key()?;
        let value = if !parser.take(b'=') {
            Value::Boolean(true)
        } else if parser.peek() == Some(b'(') {
            parser.inner_list()?;
            Value::Other
        } else {
            parser.bare_item()?
        };
        parser.parameters()?;
        visit(key, value);
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            return Ok(());
        }
        parser.expect(b',')?;
        parser.skip(b" \t");
    }
}

struct Parser<'a> {
    rest: &'a [u8],
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), NoDictionary> {
        self.take(byte).then_some(()).ok_or(NoDictionary)
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let size = self
            .rest
            .iter()
            .position(|&byte| !wanted(byte))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(size);
        self.rest = rest;
        taken
    }

    fn skip(&mut self, unwanted: &[u8]) {
        self.take_while(|byte| unwanted.contains(&byte));
    }

    fn key(&mut self) -> Result<&'a [u8], NoDictionary> {
        match self.peek() {
            Some(b'a'..=b'z' | b'*') => Ok(self.take_while(
                |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'),
            )),
            _ => Err(NoDictionary),
        }
    }

    fn parameters(&mut self) -> Result<(), NoDictionary> {
        while self.take(b';') {
            self.skip(b" ");
            self.key()?;
            if self.take(b'=') {
                self.bare_item()?;
            }
        }
        Ok(())
    }

    fn inner_list(&mut self) -> Result<(), NoDictionary> {
        self.expect(b'(')?;
        loop {
            self.skip(b" ");
            if self.take(b')') {
                return Ok(());
            }
            self.bare_item()?;
            self.parameters()?;
            if !matches!(self.peek(), Some(b' ' | b')')) {
                return Err(NoDictionary);
            }
        }
    }

    fn bare_item(&mut self) -> Result<Value, NoDictionary> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'?') => self.boolean(),
            Some(b'"') => self.string(),
            Some(b':') => self.byte_sequence(),
            Some(b'@') => self.date(),
            Some(b'%') => self.display_string(),
            Some(b'*' | b'a'..=b'z' | b'A'..=b'Z') => {
                self.take_while(|byte| {
                    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)
                });
                Ok(Value::Other)
            }
            _ => Err(NoDictionary),
        }
    }

    fn number(&mut self) -> Result<Value, NoDictionary> {
        let negative = self.take(b'-');
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        if self.take(b'.') {
            let fraction = self.take_while(|byte| byte.is_ascii_digit());
            let fits = (1..=12).contains(&digits.len()) && (1..=3).contains(&fraction.len());
            return fits.then_some(Value::Other).ok_or(NoDictionary);
        }
        if !(1..=15).contains(&digits.len()) {
            return Err(NoDictionary);
        }
        let size = digits
            .iter()
            .fold(0, |number, &digit| number * 10 + i64::from(digit - b'0'));
        Ok(Value::Integer(if negative { -size } else { size }))
    }

    fn boolean(&mut self) -> Result<Value, NoDictionary> {
        self.expect(b'?')?;
        if self.take(b'1') {
            Ok(Value::Boolean(true))
        } else {
            self.expect(b'0')?;
            Ok(Value::Boolean(false))
        }
    }

    fn string(&mut self) -> Result<Value, NoDictionary> {
        self.expect(b'"')?;
        loop {
            self.take_while(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\');
            if self.take(b'"') {
                return Ok(Value::Other);
            }
            self.expect(b'\\')?;
            if !self.take(b'"') {
                self.expect(b'\\')?;
            }
        }
    }

    fn byte_sequence(&mut self) -> Result<Value, NoDictionary> {
        self.expect(b':')?;
        self.take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
        self.expect(b':')?;
        Ok(Value::Other)
    }

    fn date(&mut self) -> Result<Value, NoDictionary> {
        self.expect(b'@')?;
        match self.number()? {
            Value::Integer(_) => Ok(Value::Other),
            _ => Err(NoDictionary),
        }
    }

    fn display_string(&mut self) -> Result<Value, NoDictionary> {
        self.expect(b'%')?;
        self.expect(b'"')?;
        self.take_while(|byte| matches!(byte, b' '..=b'~') && byte != b'"');
        self.expect(b'"')?;
        Ok(Value::Other)
    }
}
