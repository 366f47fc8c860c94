//! A field line as QPACK carries it.

use std::fmt;

use bytes::Bytes;

/// One field line: name and value as they came, not yet validated.
///
/// Cloning is cheap; names of the static table are not allocated.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name; pseudo-header fields begin with a colon.
    pub name: Bytes,
    /// The value.
    pub value: Bytes,
    /// The sender asks that no intermediary ever index the value (RFC 9204 §7.1.3): it is secret.
    pub never_indexed: bool,
}

impl Field {
    /// A field whose value is no secret.
    #[must_use]
    pub fn new(name: impl Into<Bytes>, value: impl Into<Bytes>) -> Self {
        Field {
            name: name.into(),
            value: value.into(),
            never_indexed: false,
        }
    }

    /// The size that counts towards `SETTINGS_MAX_FIELD_SECTION_SIZE`, in bytes
    /// (RFC 9114 §4.2.2): name, value and 32 more.
    #[must_use]
    pub fn size(&self) -> u64 {
        (self.name.len() + self.value.len() + 32) as u64
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.escape_ascii();
        if self.never_indexed {
            write!(f, "{name}: (secret)")
        } else {
            write!(f, "{name}: {}", self.value.escape_ascii())
        }
    }
}
