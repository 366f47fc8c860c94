//! A table's keys, numbers and lists, and what is said where they are wrong.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::PolicyError;

/// One table of the file.
pub(crate) struct Section<'a> {
    text: &'a str,
    table: &'a DeTable<'a>,
    /// As a person would find it: `[axes]`; empty: the file's beginning.
    name: &'static str,
    line: u32,
}

/// A number and where it stands.
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) line: u32,
    name: String,
}

impl<'a> Section<'a> {
    pub(crate) fn root(text: &'a str, table: &'a DeTable<'a>) -> Section<'a> {
        Section {
            text,
            table,
            name: "",
            line: 1,
        }
    }

    pub(crate) fn wrong(&self, line: u32, reason: String) -> PolicyError {
        PolicyError { line, reason }
    }

    /// Refuses keys that aren't among `known`.
    pub(crate) fn has_only(&self, known: &[&str]) -> Result<(), PolicyError> {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                return Err(self.wrong(
                    line_of(self.text, key.span().start),
                    format!(
                        "there is no key `{}` {}; there is {}",
                        clipped(name),
                        self.place(),
                        known.join(", ")
                    ),
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn number(&self, key: &str) -> Result<Number, PolicyError> {
        match self.optional_number(key)? {
            Some(number) => Ok(number),
            None => Err(self.missing(key)),
        }
    }

    pub(crate) fn optional_number(&self, key: &str) -> Result<Option<Number>, PolicyError> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let number = self.number_of(value, format!("`{key}`"))?;
        Ok(Some(number))
    }

    /// A list of numbers, with the line of the list.
    pub(crate) fn numbers(&self, key: &str) -> Result<(Vec<Number>, u32), PolicyError> {
        let (list, line) = self.list(key)?;
        let mut numbers = Vec::new();
        for value in list {
            numbers.push(self.number_of(value, format!("`{key}`"))?);
        }
        Ok((numbers, line))
    }

    /// A list of lists of numbers: so many rows, one for each value on the axis of this name, of `columns` each, one for each loss.
    pub(crate) fn matrix(
        &self,
        key: &str,
        (axis, rows): (&str, usize),
        columns: usize,
    ) -> Result<Vec<Vec<Number>>, PolicyError> {
        let (list, line) = self.list(key)?;
        let shape = format!(
            "`{key}` needs {rows} rows, one for each {axis}, of {columns} numbers, one for each loss"
        );
        if list.len() != rows {
            return Err(self.wrong(line, format!("{shape}; it has {} rows", list.len())));
        }
        let mut matrix = Vec::new();
        for row in list {
            let line = line_of(self.text, row.span().start);
            let DeValue::Array(row) = row.get_ref() else {
                return Err(self.wrong(line, format!("{shape}; this row is no list")));
            };
            if row.len() != columns {
                return Err(self.wrong(line, format!("{shape}; this row has {}", row.len())));
            }
            let numbers: Result<Vec<Number>, PolicyError> = row
                .iter()
                .map(|value| self.number_of(value, format!("a number of `{key}`")))
                .collect();
            matrix.push(numbers?);
        }
        Ok(matrix)
    }

    pub(crate) fn string(&self, key: &str) -> Result<(&'a str, u32), PolicyError> {
        let value = self.value(key).ok_or_else(|| self.missing(key))?;
        let line = line_of(self.text, value.span().start);
        match value.get_ref() {
            DeValue::String(text) => Ok((text.as_ref(), line)),
            other => Err(self.wrong(
                line,
                format!("`{key}` is {}, and has to be a text", kind(other)),
            )),
        }
    }

    pub(crate) fn text_of_at_most(&self, key: &str, most: usize) -> Result<(), PolicyError> {
        if self.value(key).is_none() {
            return Ok(());
        }
        let (text, line) = self.string(key)?;
        let length = text.chars().count();
        if length > most {
            let reason = format!("`{key}` has {length} characters, and may have {most}");
            return Err(self.wrong(line, reason));
        }
        Ok(())
    }

    pub(crate) fn section(&self, name: &'static str) -> Result<Section<'a>, PolicyError> {
        self.optional_section(name)?
            .ok_or_else(|| self.wrong(0, format!("the section [{name}] is missing")))
    }

    pub(crate) fn optional_section(
        &self,
        name: &'static str,
    ) -> Result<Option<Section<'a>>, PolicyError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let line = line_of(self.text, value.span().start);
        match value.get_ref() {
            DeValue::Table(table) => Ok(Some(Section {
                text: self.text,
                table,
                name,
                line,
            })),
            other => Err(self.wrong(
                line,
                format!(
                    "`{name}` is {}, and has to be a section [{name}]",
                    kind(other)
                ),
            )),
        }
    }

    /// The sections `[[name]]`.
    pub(crate) fn sections(&self, name: &'static str) -> Result<Vec<Section<'a>>, PolicyError> {
        let wrong = |line| self.wrong(line, format!("`{name}` has to be sections [[{name}]]"));
        let Some(value) = self.value(name) else {
            return Err(self.wrong(0, format!("there is no section [[{name}]]")));
        };
        let DeValue::Array(list) = value.get_ref() else {
            return Err(wrong(line_of(self.text, value.span().start)));
        };
        list.iter()
            .map(|value| {
                let line = line_of(self.text, value.span().start);
                match value.get_ref() {
                    DeValue::Table(table) => Ok(Section {
                        text: self.text,
                        table,
                        name,
                        line,
                    }),
                    _ => Err(wrong(line)),
                }
            })
            .collect()
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    fn value(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        let mut entries = self.table.iter();
        entries.find_map(|(name, value)| {
            let name: &str = name.get_ref();
            (name == key).then_some(value)
        })
    }

    fn list(&self, key: &str) -> Result<(&'a DeArray<'a>, u32), PolicyError> {
        let value = self.value(key).ok_or_else(|| self.missing(key))?;
        let line = line_of(self.text, value.span().start);
        match value.get_ref() {
            DeValue::Array(list) => Ok((list, line)),
            other => Err(self.wrong(
                line,
                format!("`{key}` is {}, and has to be a list", kind(other)),
            )),
        }
    }

    fn number_of(&self, value: &Spanned<DeValue<'_>>, name: String) -> Result<Number, PolicyError> {
        let line = line_of(self.text, value.span().start);
        let parsed = match value.get_ref() {
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|whole| whole as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            other => {
                return Err(self.wrong(
                    line,
                    format!("{name} is {}, and has to be a number", kind(other)),
                ));
            }
        };
        match parsed {
            Some(value) if f64::is_finite(value) => Ok(Number { value, line, name }),
            _ => Err(self.wrong(line, format!("{name} is no finite number"))),
        }
    }

    pub(crate) fn missing(&self, key: &str) -> PolicyError {
        self.wrong(self.line, format!("`{key}` is missing {}", self.place()))
    }

    fn place(&self) -> String {
        match self.name {
            "" => "at the file's beginning".to_owned(),
            "prior" | "scatter" => format!("in this [[{}]]", self.name),
            name => format!("in [{name}]"),
        }
    }
}

impl Number {
    /// The value, where it isn't out of range.
    pub(crate) fn within(
        &self,
        section: &Section<'_>,
        least: f64,
        most: f64,
    ) -> Result<f64, PolicyError> {
        if (least..=most).contains(&self.value) {
            return Ok(self.value);
        }
        let reason = format!(
            "{} is {}, and has to be {least} to {most}",
            self.name, self.value
        );
        Err(section.wrong(self.line, reason))
    }

    /// The same of a whole number.
    pub(crate) fn whole_within(
        &self,
        section: &Section<'_>,
        least: u32,
        most: u32,
    ) -> Result<u32, PolicyError> {
        let value = self.within(section, f64::from(least), f64::from(most))?;
        if value != f64::from(value as u32) {
            let reason = format!("{} is {value}, and has to be a whole number", self.name);
            return Err(section.wrong(self.line, reason));
        }
        Ok(value as u32)
    }
}

/// The line, from 1, of a byte of `text`.
pub(crate) fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let ends = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(ends + 1).unwrap_or(u32::MAX)
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}

/// Somebody's key, short enough for a message.
fn clipped(name: &str) -> String {
    match name.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_string(),
    }
}
