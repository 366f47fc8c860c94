//! TLS secrets in the format of `SSLKEYLOGFILE` (draft-ietf-tls-keylogfile).

use std::collections::HashMap;

/// What a client's random is to TLS.
pub(crate) type Random = [u8; 32];

/// Secrets by label and client random.
#[derive(Default)]
pub(crate) struct KeyLog(HashMap<(Random, Label), Vec<u8>>);

/// The longest secret there is: TLS 1.2's master secret (RFC 5246 §8.1), and what SHA-384 gives.
const LONGEST: usize = 48;

/// Which secret of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    ClientEarly,
    ClientHandshake,
    ServerHandshake,
    Client,
    Server,
    /// TLS 1.2's master secret.
    Master,
}

impl Label {
    fn read(text: &str) -> Option<Label> {
        match text {
            "CLIENT_EARLY_TRAFFIC_SECRET" => Some(Label::ClientEarly),
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET" => Some(Label::ClientHandshake),
            "SERVER_HANDSHAKE_TRAFFIC_SECRET" => Some(Label::ServerHandshake),
            "CLIENT_TRAFFIC_SECRET_0" => Some(Label::Client),
            "SERVER_TRAFFIC_SECRET_0" => Some(Label::Server),
            "CLIENT_RANDOM" => Some(Label::Master),
            _ => None,
        }
    }
}

impl KeyLog {
    /// The secrets in the lines; others are passed over.
    pub(crate) fn read(text: &str) -> KeyLog {
        let line = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            let label = Label::read(words.next()?)?;
            let random = hexadecimal(words.next()?)?.try_into().ok()?;
            let secret = hexadecimal(words.next()?)?;
            (secret.len() <= LONGEST).then_some(((random, label), secret))
        };
        KeyLog(text.lines().filter_map(line).collect())
    }

    pub(crate) fn get(&self, random: &Random, label: Label) -> Option<&[u8]> {
        self.0.get(&(*random, label)).map(Vec::as_slice)
    }

    /// Whether there is any secret of a connection.
    pub(crate) fn knows(&self, random: &Random) -> bool {
        [Label::Client, Label::Master, Label::ClientHandshake]
            .iter()
            .any(|label| self.get(random, *label).is_some())
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_by_label_and_random_and_other_lines_passed_over() {
        let random = "ab".repeat(32);
        let text = format!(
            "# made by nobody\nCLIENT_RANDOM {random} 0102\nEXPORTER_SECRET {random} 03\nCLIENT_RANDOM ab 1\n"
        );
        let log = KeyLog::read(&text);
        assert_eq!(log.get(&[0xab; 32], Label::Master), Some(&[1, 2][..]));
        assert_eq!(log.get(&[0xab; 32], Label::Client), None);
        assert!(log.knows(&[0xab; 32]) && !log.knows(&[0; 32]));
    }
}
