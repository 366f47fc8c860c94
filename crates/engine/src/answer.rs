//! What the engine answers: a result, or an error of one of three kinds.

use pronghorn_http::{TlsError, UdpError};
use pronghorn_load::{Blame, LoadError};
use pronghorn_path::SpecError;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Who can do something about a failure.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
#[schemars(rename = "ErrorKind")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The request is wrong.
    Input,
    /// This host can't.
    Host,
    /// Something broke while measuring.
    Bench,
}

/// Why a request failed.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Error")]
pub(crate) struct Fault {
    /// Who can do something about it.
    kind: Kind,
    /// What is wrong, a sentence.
    message: String,
    /// What to do about it. Null where nothing is known.
    mend: Option<String>,
    /// The key of a path's specification that is wrong, such as `down.trace`. Absent where no key is.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The line of that text, or of a policy file, that is wrong, from 1. Absent where no line is.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Fault {
    pub(crate) fn input(message: impl ToString) -> Self {
        Fault::new(Kind::Input, message, None)
    }

    pub(crate) fn bench(message: impl ToString) -> Self {
        Fault::new(Kind::Bench, message, None)
    }

    pub(crate) fn host(message: impl ToString, mend: Option<String>) -> Self {
        Fault::new(Kind::Host, message, mend)
    }

    /// A UDP socket that the kernel doesn't give as it was asked for.
    pub(crate) fn udp(error: &UdpError) -> Self {
        let mend = match error {
            UdpError::Buffer { buffer, asked, .. } => Some(format!(
                "`sudo sysctl {}={asked}`, or run as root or where user namespaces are allowed",
                buffer.limit()
            )),
            UdpError::Io(_) => None,
        };
        Fault::host(error, mend)
    }

    /// A load that can't be, or broke.
    pub(crate) fn load(error: &LoadError) -> Self {
        if let LoadError::Tls(TlsError::Udp(error)) = error {
            return Fault::udp(error);
        }
        let kind = match error.blame() {
            Blame::Input => Kind::Input,
            Blame::Host => Kind::Host,
            Blame::Bench => Kind::Bench,
        };
        Fault::new(kind, error, error.mend())
    }

    /// Who can do something about it.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// A policy file that is refused in that line, the first being 1; 0 where it is about the whole.
    pub(crate) fn policy(line: u32, reason: &str) -> Self {
        Fault {
            line: (line > 0).then_some(line as usize),
            ..Fault::input(reason)
        }
    }

    /// A specification that can't be; `message` is the problem alone where it has a line.
    pub(crate) fn path(error: &SpecError) -> Self {
        let message = match error {
            SpecError::Text { problem, .. } => problem.clone(),
            SpecError::OutOfRange { .. } | SpecError::Misplaced { .. } => error.to_string(),
        };
        Fault {
            key: Some(error.key().to_owned()),
            line: error.line(),
            ..Fault::input(message)
        }
    }

    fn new(kind: Kind, message: impl ToString, mend: Option<String>) -> Self {
        Fault {
            kind,
            message: message.to_string(),
            mend,
            key: None,
            line: None,
        }
    }
}

/// One line of answer.
pub(crate) fn line(id: Option<u64>, result: Result<Value, Fault>) -> String {
    match result {
        Ok(ok) => json!({ "id": id, "ok": ok }),
        Err(fault) => json!({ "id": id, "error": fault }),
    }
    .to_string()
}
