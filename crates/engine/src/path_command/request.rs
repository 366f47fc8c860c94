//! What `pronghorn-engine path` is asked, and through which descriptors.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;

use pronghorn_path::PathSpec;
use schemars::JsonSchema;
use serde::Deserialize;

/// One command behind one path.
#[derive(Debug, JsonSchema, Deserialize)]
#[schemars(rename = "PathRequest")]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The path.
    pub(crate) path: PathSpec,
    /// The seed of every random decision of the path.
    pub(crate) seed: u64,
    /// The command line at the client.
    pub(crate) command: Vec<String>,
    /// The command line at the far host. Null: the far side is what the uplink leads to.
    #[serde(default)]
    pub(crate) server: Option<Vec<String>>,
    /// The kernel's name of TCP's congestion control, whatever a program asks for. Null: CUBIC where the kernel has it,
    /// else the kernel's default, and a program may ask for another.
    #[serde(default)]
    pub(crate) tcp_congestion_control: Option<String>,
    /// How often the counters are sampled for the report's series, in seconds. Null: never.
    #[serde(default)]
    pub(crate) sample_interval_s: Option<f64>,
    /// The file that takes a capture of the path (capture.md). Null: none.
    #[serde(default)]
    pub(crate) capture: Option<PathBuf>,
}

/// The descriptors of `--request-fd N --report-fd N`, which are this process's alone from now on.
pub(crate) fn descriptors(arguments: &[String]) -> Result<(OwnedFd, OwnedFd), String> {
    let usage = || "usage: pronghorn-engine path --request-fd N --report-fd N".to_owned();
    let [request_flag, request, report_flag, report] = arguments else {
        return Err(usage());
    };
    if request_flag != "--request-fd" || report_flag != "--report-fd" || request == report {
        return Err(usage());
    }
    Ok((owned(request)?, owned(report)?))
}

fn owned(number: &str) -> Result<OwnedFd, String> {
    let fd: RawFd = number
        .parse()
        .map_err(|_| format!("{number} is no descriptor"))?;
    if fd <= 2 {
        return Err(format!("descriptor {fd} is the command's"));
    }
    // SAFETY: the number is checked to be an open descriptor, which nothing else here uses.
    unsafe {
        if libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) < 0 {
            let error = io::Error::last_os_error();
            return Err(format!("descriptor {fd}: {error}"));
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Reads the request to its end.
pub(crate) fn read(from: OwnedFd) -> Result<Request, String> {
    let mut text = String::new();
    File::from(from)
        .read_to_string(&mut text)
        .map_err(|error| format!("the request can't be read: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("not a request: {error}"))
}
