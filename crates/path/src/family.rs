//! Which version of IP a path's hosts speak.

use std::borrow::Cow;
use std::net::IpAddr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A version of IP, as its number: 4 or 6.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u8", into = "u8")]
pub enum Family {
    /// IPv4 (RFC 791).
    #[default]
    Four,
    /// IPv6 (RFC 8200).
    Six,
}

impl Family {
    /// Whether it is the default.
    #[must_use]
    pub fn is_four(&self) -> bool {
        *self == Family::Four
    }

    /// Bytes of IP's header without options.
    #[must_use]
    pub fn header_bytes(self) -> u32 {
        match self {
            Family::Four => 20,
            Family::Six => 40,
        }
    }

    /// The least MTU that a link may have (RFC 791, section 3.2; RFC 8200, section 5).
    #[must_use]
    pub fn least_mtu(self) -> u32 {
        match self {
            Family::Four => 68,
            Family::Six => 1280,
        }
    }
}

impl JsonSchema for Family {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Family".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": [4, 6] })
    }
}

impl From<IpAddr> for Family {
    /// An address's.
    fn from(address: IpAddr) -> Family {
        match address {
            IpAddr::V4(_) => Family::Four,
            IpAddr::V6(_) => Family::Six,
        }
    }
}

impl From<Family> for u8 {
    fn from(family: Family) -> u8 {
        match family {
            Family::Four => 4,
            Family::Six => 6,
        }
    }
}

impl TryFrom<u8> for Family {
    type Error = String;

    fn try_from(number: u8) -> Result<Family, String> {
        match number {
            4 => Ok(Family::Four),
            6 => Ok(Family::Six),
            other => Err(format!("family is {other}; allowed is 4 or 6")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_written_as_its_number() {
        for (family, text) in [(Family::Four, "4"), (Family::Six, "6")] {
            assert_eq!(serde_json::to_string(&family).ok().as_deref(), Some(text));
            assert_eq!(serde_json::from_str::<Family>(text).ok(), Some(family));
        }
        let refused = serde_json::from_str::<Family>("5").map_err(|error| error.to_string());
        assert_eq!(refused, Err("family is 5; allowed is 4 or 6".to_owned()));
    }
}
