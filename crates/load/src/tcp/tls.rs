//! TLS between a protocol and its socket.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use rustls::client::ClientConnection;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, CommonState, HandshakeKind};

use crate::connection::{ConnectionFailure, ConnectionFailureKind, Handshake};

/// A client's TLS over bytes that somebody else carries.
pub(super) struct Tls {
    connection: ClientConnection,
    /// Early data was offered and its fate isn't known.
    early: bool,
    /// The peer said that nothing more comes.
    ended: bool,
}

impl Tls {
    pub(super) fn new(
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
    ) -> Result<Tls, ConnectionFailure> {
        let mut connection = ClientConnection::new(config, name).map_err(|error| wrong(&error))?;
        connection.set_buffer_limit(None);
        Ok(Tls {
            early: connection.early_data().is_some(),
            connection,
            ended: false,
        })
    }

    pub(super) fn state(&self) -> &CommonState {
        &self.connection
    }

    /// Whether early data can be sent, or its fate isn't known.
    pub(super) fn is_early(&self) -> bool {
        self.early
    }

    pub(super) fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// The handshake's result, once it is done; from then on there is no early data.
    pub(super) fn settle(&mut self) -> Handshake {
        let offered = std::mem::take(&mut self.early);
        Handshake {
            resumed: self.connection.handshake_kind() == Some(HandshakeKind::Resumed),
            early_data_accepted: offered && self.connection.is_early_data_accepted(),
        }
    }

    /// Takes records off the front of `bytes` and hands what they hold to `take`, which may refuse it. `bytes` may be left
    /// over once the handshake is done: it is time to look at its result then.
    pub(super) fn read<E: From<ConnectionFailure>>(
        &mut self,
        bytes: &mut &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let handshaking = self.is_handshaking();
        while !bytes.is_empty() {
            let failed = |error: io::Error| {
                ConnectionFailure::new(ConnectionFailureKind::Tls, error.to_string())
            };
            self.connection.read_tls(bytes).map_err(failed)?;
            let state = self
                .connection
                .process_new_packets()
                .map_err(|error| wrong(&error))?;
            self.ended = state.peer_has_closed();
            if handshaking && !self.is_handshaking() {
                return Ok(());
            }
            if state.plaintext_bytes_to_read() > 0 {
                self.take(&mut take)?;
            }
        }
        Ok(())
    }

    /// Hands over what was decrypted and not taken yet.
    pub(super) fn take<E>(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reader = self.connection.reader();
        while let Ok(chunk) = reader.fill_buf() {
            let length = chunk.len();
            if length == 0 {
                break;
            }
            take(chunk)?;
            reader.consume(length);
        }
        Ok(())
    }

    /// Whether the peer said that nothing more comes.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes plaintext to be sent off the front of `plain`: as early data as much as may be, afterwards all.
    pub(super) fn write(&mut self, plain: &mut Vec<u8>) {
        if plain.is_empty() {
            return;
        }
        if self.is_handshaking() {
            if let Some(mut early) = self.connection.early_data() {
                if let Ok(written) = early.write(plain) {
                    plain.drain(..written);
                }
            }
            return;
        }
        // Without a limit of its buffer it takes all.
        if let Ok(written) = self.connection.writer().write(plain) {
            plain.drain(..written);
        }
    }

    /// Says that nothing more comes.
    pub(super) fn say_end(&mut self) {
        self.connection.send_close_notify();
    }

    pub(super) fn wants_write(&self) -> bool {
        self.connection.wants_write()
    }

    /// Hands records to the socket.
    pub(super) fn write_to(&mut self, socket: &mut impl Write) -> io::Result<usize> {
        self.connection.write_tls(socket)
    }
}

fn wrong(error: &rustls::Error) -> ConnectionFailure {
    let kind = match error {
        rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)
        | rustls::Error::NoApplicationProtocol => ConnectionFailureKind::Alpn,
        _ => ConnectionFailureKind::Tls,
    };
    ConnectionFailure::new(kind, error.to_string())
}
