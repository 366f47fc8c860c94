//! What is asked for, in which order: requests that are ready, or lines of a file from which each is made when it is due.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use http::Uri;
use http::uri::PathAndQuery;
use pronghorn_http::Protocol;

use super::order::Order;
use super::places::{Server, uri_of};
use super::targets::prepare;
use crate::error::LoadError;
use crate::prepared::Prepared;
use crate::regular_file;
use crate::spec::TargetSpec;

/// The longest line of a file of targets, in bytes: one with a body of 16 MiB in base64.
const LONGEST_LINE: u64 = 32 * 1024 * 1024;

/// The requests of a load, and how often each of them comes in the cycle in which they are asked for.
#[derive(Debug)]
pub(crate) struct Targets {
    source: Source,
    order: Order,
}

#[derive(Debug)]
enum Source {
    Ready(Vec<Prepared>),
    Lines(Box<Lines>),
}

/// A file whose lines are read again for each request, so that a long list takes eight bytes a line.
#[derive(Debug)]
struct Lines {
    file: File,
    /// Where each begins, and where the last ends.
    bounds: Vec<u64>,
    protocol: Protocol,
    server: Server,
    template: TargetSpec,
    /// The template's URI.
    uri: Uri,
}

impl Targets {
    /// These targets, of which all are at `server`.
    pub(super) fn ready(
        specs: &[TargetSpec],
        uris: &[Uri],
        protocol: Protocol,
    ) -> Result<Targets, LoadError> {
        let made = specs.iter().zip(uris).enumerate();
        let prepared = made
            .map(|(at, (spec, uri))| prepare(&format!("targets[{at}]"), spec, uri, protocol))
            .collect::<Result<_, _>>()?;
        let weights: Vec<u32> = specs.iter().map(|spec| spec.weight).collect();
        Ok(Targets {
            source: Source::Ready(prepared),
            order: Order::new("targets", &weights)?,
        })
    }

    /// A file's lines, each of which is looked at once now.
    pub(super) fn of_file(
        path: &Path,
        template: &TargetSpec,
        uri: &Uri,
        server: Server,
        protocol: Protocol,
    ) -> Result<Targets, LoadError> {
        let unread = |source| LoadError::Targets {
            path: path.to_owned(),
            source,
        };
        let (file, _) = regular_file::open(path).map_err(unread)?;
        let mut lines = Lines {
            file: file.try_clone().map_err(unread)?,
            bounds: vec![0],
            protocol,
            server,
            template: template.clone(),
            uri: uri.clone(),
        };
        // The template has to be right as well.
        prepare("targets[0]", template, uri, protocol)?;
        let mut weights = Vec::new();
        let mut all_alike = true;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let (mut line, mut end) = (Vec::new(), 0);
        loop {
            line.clear();
            let mut bounded = reader.by_ref().take(LONGEST_LINE + 1);
            let length = bounded.read_until(b'\n', &mut line).map_err(unread)? as u64;
            if length == 0 {
                break;
            }
            let key = || format!("target_file, line {}", lines.bounds.len());
            if length > LONGEST_LINE {
                let problem = format!(
                    "it is longer than {LONGEST_LINE} bytes; name long bodies by `body_file`"
                );
                return Err(LoadError::spec(key(), problem));
            }
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let weight = if is_plain(text) {
                1
            } else {
                lines.prepare(text, &key())?.1
            };
            if weight != 1 && std::mem::replace(&mut all_alike, false) {
                weights = vec![1; lines.bounds.len() - 1];
            }
            if !all_alike {
                weights.push(weight);
            }
            end += length;
            lines.bounds.push(end);
        }
        let count = lines.bounds.len() - 1;
        if count == 0 {
            return Err(LoadError::spec(
                "target_file",
                "it has no line; one at least",
            ));
        }
        let order = if all_alike {
            Order::each_once(count)
        } else {
            Order::new("target_file", &weights)?
        };
        lines.bounds.shrink_to_fit();
        Ok(Targets {
            source: Source::Lines(Box::new(lines)),
            order,
        })
    }

    /// How many requests there are until the list begins anew.
    pub(crate) fn cycle(&self) -> usize {
        self.order.cycle()
    }

    /// The request at this place of the cycle.
    ///
    /// # Errors
    /// A line that can't be read, or isn't what it was.
    pub(crate) fn get(&self, place: usize) -> io::Result<Cow<'_, Prepared>> {
        let number = self.order.at(place);
        match &self.source {
            Source::Ready(prepared) => Ok(Cow::Borrowed(&prepared[number])),
            Source::Lines(lines) => Ok(Cow::Owned(lines.get(number)?)),
        }
    }
}

impl Lines {
    fn get(&self, number: usize) -> io::Result<Prepared> {
        let (begin, end) = (self.bounds[number], self.bounds[number + 1]);
        let mut line = vec![0; usize::try_from(end - begin).unwrap_or(0)];
        self.file.read_exact_at(&mut line, begin)?;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let key = format!("line {}", number + 1);
        let (prepared, _) = self.prepare(text, &key).map_err(io::Error::other)?;
        Ok(prepared)
    }

    /// The request that a line says, and its weight.
    fn prepare(&self, line: &[u8], key: &str) -> Result<(Prepared, u32), LoadError> {
        let wrong = |problem: String| LoadError::spec(key, problem);
        if line.first() != Some(&b'{') {
            let path = PathAndQuery::try_from(line)
                .ok()
                .filter(|_| is_plain(line))
                .ok_or_else(|| {
                    let line = String::from_utf8_lossy(line);
                    wrong(format!("`{line}`; allowed is /PATH, or a target in JSON"))
                })?;
            let mut parts = self.uri.clone().into_parts();
            parts.path_and_query = Some(path);
            let uri = Uri::from_parts(parts).map_err(|error| wrong(error.to_string()))?;
            let prepared = prepare(key, &self.template, &uri, self.protocol)?;
            return Ok((prepared, 1));
        }
        let spec: TargetSpec =
            serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        let uri = uri_of(&spec.url, &self.server).map_err(wrong)?;
        let prepared = prepare(key, &spec, &uri, self.protocol)?;
        Ok((prepared, spec.weight))
    }
}

/// Whether a line is a path as it can be sent.
fn is_plain(line: &[u8]) -> bool {
    let is_sent = |byte: &u8| byte.is_ascii_graphic() && !b"#\"<>".contains(byte);
    line.first() == Some(&b'/') && line.iter().all(is_sent)
}

#[cfg(test)]
mod tests;
