//! TLS secrets of our own connections, for captures.

use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::KeyLog;

/// Collects the secrets of the connections whose TLS configuration has it as its `key_log`, in the format of
/// `SSLKEYLOGFILE` (draft-ietf-tls-keylogfile): `LABEL CLIENT_RANDOM SECRET`, one a line, in hexadecimal.
#[derive(Default)]
pub struct SecretLog(Mutex<String>);

impl SecretLog {
    /// The lines so far.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines().clone()
    }

    fn lines(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyLog for SecretLog {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let mut lines = self.lines();
        lines.push_str(label);
        for bytes in [client_random, secret] {
            lines.push(' ');
            for byte in bytes {
                let _ = write!(lines, "{byte:02x}");
            }
        }
        lines.push('\n');
    }
}

/// Shows how many there are, and none of them.
impl fmt::Debug for SecretLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretLog({} lines)", self.lines().lines().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_a_line_of_hexadecimal_which_debug_does_not_show() {
        let log = SecretLog::default();
        log.log("CLIENT_TRAFFIC_SECRET_0", &[0x01, 0xff], &[0xab]);
        log.log("SERVER_TRAFFIC_SECRET_0", &[0x01, 0xff], &[0x0c]);
        assert_eq!(
            log.text(),
            "CLIENT_TRAFFIC_SECRET_0 01ff ab\nSERVER_TRAFFIC_SECRET_0 01ff 0c\n"
        );
        assert_eq!(format!("{log:?}"), "SecretLog(2 lines)");
    }
}
