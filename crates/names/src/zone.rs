//! The names that a server knows, and their records.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use hickory_proto::rr::rdata::svcb::{Alpn, SvcParamKey, SvcParamValue};
use hickory_proto::rr::rdata::{A, AAAA, HTTPS, SOA, SVCB};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

/// How long an answer may be kept, in seconds; beyond the length of a trial.
const TTL_S: u32 = 300;

/// The records of one name.
#[derive(Clone, Debug, Default, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameRecords {
    /// The name, absolute, with or without its last dot.
    pub name: String,
    /// Its IPv4 addresses.
    #[serde(default)]
    pub a: Vec<Ipv4Addr>,
    /// Its IPv6 addresses.
    #[serde(default)]
    pub aaaa: Vec<Ipv6Addr>,
    /// Its HTTPS records.
    #[serde(default)]
    pub https: Vec<ServiceRecord>,
}

/// An HTTPS record (RFC 9460).
#[derive(Clone, Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceRecord {
    /// SvcPriority: the smallest is tried first, and 0 makes it an alias.
    pub priority: u16,
    /// TargetName: `.` is the name itself.
    pub target: String,
    /// ALPN identifiers of the protocols that are offered beside `http/1.1`, 1 to 255 bytes each. Empty: the record has no such
    /// parameter. An alias has none.
    #[serde(default)]
    pub alpn: Vec<String>,
}

/// Why a zone can't be.
#[derive(Debug, Error)]
pub enum ZoneError {
    /// This is no name.
    #[error("`{text}` is no host name: {problem}")]
    Name {
        /// What stands there.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A name stands there twice.
    #[error("`{0}` stands there twice; give all its records at once")]
    Twice(String),
    /// An ALPN identifier has 1 to 255 bytes (RFC 7301, section 3.1).
    #[error("an ALPN identifier of `{name}` has {bytes} bytes; allowed are 1 to 255")]
    Alpn {
        /// Whose record it is.
        name: String,
        /// The identifier's length.
        bytes: usize,
    },
    /// An alias names nothing but another name (RFC 9460, section 2.4.2).
    #[error(
        "an HTTPS record of `{0}` has the priority 0, which makes it an alias, and ALPN identifiers, which an alias can't have"
    )]
    AliasWithAlpn(String),
}

/// All that a server knows.
#[derive(Debug, Default)]
pub struct Zone(BTreeMap<Name, Vec<RData>>);

impl Zone {
    /// A zone of these names, each of which may stand there once.
    pub fn new(names: &[NameRecords]) -> Result<Zone, ZoneError> {
        let mut zone = Zone::default();
        for given in names {
            let addresses = given.a.iter().map(|address| Ok(RData::A(A(*address))));
            let sixes = given.aaaa.iter();
            let addresses = addresses.chain(sixes.map(|address| Ok(RData::AAAA(AAAA(*address)))));
            let services = given.https.iter().map(|record| service(given, record));
            let data = addresses.chain(services).collect::<Result<_, _>>()?;
            if zone.0.insert(absolute(&given.name)?, data).is_some() {
                return Err(ZoneError::Twice(given.name.clone()));
            }
        }
        Ok(zone)
    }

    /// The records of type `kind` that `name` has, in capitals or not; `None` where there is neither such a name nor
    /// one below it (RFC 8020).
    pub(crate) fn look_up(&self, name: &Name, kind: RecordType) -> Option<Vec<Record>> {
        let Some(data) = self.0.get(&name.to_lowercase()) else {
            let is_above_another = self.0.keys().any(|known| name.zone_of(known));
            return is_above_another.then(Vec::new);
        };
        let asked = |data: &&RData| kind == RecordType::ANY || data.record_type() == kind;
        let record = |data: &RData| Record::from_rdata(name.clone(), TTL_S, data.clone());
        Some(data.iter().filter(asked).map(record).collect())
    }
}

/// What goes with an answer that has no records, and says how long that may be kept (RFC 2308): the server's world
/// has one zone, the root.
pub(crate) fn start_of_authority() -> Record {
    let soa = SOA::new(Name::root(), Name::root(), 1, 3600, 600, 86_400, TTL_S);
    Record::from_rdata(Name::root(), TTL_S, RData::SOA(soa))
}

fn service(given: &NameRecords, record: &ServiceRecord) -> Result<RData, ZoneError> {
    if record.priority == 0 && !record.alpn.is_empty() {
        return Err(ZoneError::AliasWithAlpn(given.name.clone()));
    }
    if let Some(wrong) = record
        .alpn
        .iter()
        .find(|identifier| identifier.is_empty() || identifier.len() > 255)
    {
        return Err(ZoneError::Alpn {
            name: given.name.clone(),
            bytes: wrong.len(),
        });
    }
    let parameters = if record.alpn.is_empty() {
        Vec::new()
    } else {
        let identifiers = Alpn(record.alpn.clone());
        vec![(SvcParamKey::Alpn, SvcParamValue::Alpn(identifiers))]
    };
    let target = absolute(&record.target)?;
    Ok(RData::HTTPS(HTTPS(SVCB::new(
        record.priority,
        target,
        parameters,
    ))))
}

fn absolute(text: &str) -> Result<Name, ZoneError> {
    let wrong = |problem: String| ZoneError::Name {
        text: text.to_owned(),
        problem,
    };
    if text.is_empty() {
        return Err(wrong("it is empty".to_owned()));
    }
    let mut name = Name::from_ascii(text).map_err(|error| wrong(error.to_string()))?;
    name.set_fqdn(true);
    Ok(name.to_lowercase())
}
