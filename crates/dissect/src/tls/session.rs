//! Both directions of a connection over TCP, opened by its secrets, or as they are where they are in the clear.

use super::messages::{ClientHello, EncryptedExtensions, ServerHello, kind};
use super::records::{self, Layer, Protection};
use crate::key_log::{KeyLog, Label};
use crate::suite::Suite;

/// What the two ends say to each other.
pub(crate) struct Session {
    pub(crate) up: Layer,
    pub(crate) down: Layer,
    /// What they agreed to speak, where they say.
    pub(crate) alpn: Option<Vec<u8>>,
    /// Why it can't be read.
    pub(crate) why_not: Option<String>,
}

/// Opens what both ends sent, from the first byte on.
pub(crate) fn open(up: &[u8], down: &[u8], key_log: &KeyLog) -> Session {
    if !records::begins(up) {
        return Session {
            up: Layer::clear(up),
            down: Layer::clear(down),
            alpn: None,
            why_not: None,
        };
    }
    let found = protections(up, down, key_log);
    let (protection, why_not) = match found {
        Ok(both) => (both, None),
        Err(reason) => ([Protection::None, Protection::None], Some(reason)),
    };
    let [of_up, of_down] = protection;
    let (mut up, down) = (records::open(up, of_up), records::open(down, of_down));
    let extensions = down
        .message(kind::ENCRYPTED_EXTENSIONS)
        .map(EncryptedExtensions::read);
    let hello = down.message(kind::SERVER_HELLO).and_then(ServerHello::read);
    if extensions
        .as_ref()
        .is_some_and(|told| !told.takes_early_data)
    {
        up.forget_early();
    }
    let alpn = extensions
        .and_then(|told| told.alpn)
        .or(hello.and_then(|hello| hello.alpn));
    Session {
        up,
        down,
        alpn,
        why_not,
    }
}

fn protections(up: &[u8], down: &[u8], key_log: &KeyLog) -> Result<[Protection; 2], String> {
    let client = records::first_message(up, kind::CLIENT_HELLO)
        .and_then(|body| ClientHello::read(&body))
        .ok_or("there is no whole ClientHello")?;
    let server = final_server_hello(down).ok_or("there is no ServerHello")?;
    let suite = Suite::of(server.suite).ok_or_else(|| {
        format!(
            "the cipher suite {:#06x} is none that is opened here",
            server.suite
        )
    })?;
    let missing = "the key log has no secret of it";
    if server.is_1_3 {
        let of = |labels: &[Label]| -> Vec<Vec<u8>> {
            let secrets = labels
                .iter()
                .filter_map(|label| key_log.get(&client.random, *label));
            secrets.map(<[u8]>::to_vec).collect()
        };
        let early = key_log.get(&client.random, Label::ClientEarly).is_some();
        let up = of(&[Label::ClientEarly, Label::ClientHandshake, Label::Client]);
        let down = of(&[Label::ServerHandshake, Label::Server]);
        if up.is_empty() && down.is_empty() {
            return Err(missing.into());
        }
        return Ok([
            Protection::Stages {
                suite,
                secrets: up,
                early,
            },
            Protection::Stages {
                suite,
                secrets: down,
                early: false,
            },
        ]);
    }
    let master = key_log.get(&client.random, Label::Master).ok_or(missing)?;
    let (key_len, (_, iv_len)) = (suite.key_len(), suite.nonce_1_2());
    // RFC 5246 §6.3: the client's key, the server's, the client's nonce, the server's; an AEAD has no MAC key.
    let seed = [&server.random[..], &client.random[..]];
    let block = suite.prf(master, "key expansion", &seed, 2 * key_len + 2 * iv_len);
    let (keys, ivs) = block.split_at(2 * key_len);
    let protection = |side: usize| {
        let (key, iv) = (
            &keys[side * key_len..][..key_len],
            &ivs[side * iv_len..][..iv_len],
        );
        suite
            .opener_of(key, iv)
            .map(|opener| Protection::Key { suite, opener })
            .ok_or_else(|| "a key that the cipher refuses".to_owned())
    };
    Ok([protection(0)?, protection(1)?])
}

/// The ServerHello that isn't a HelloRetryRequest.
fn final_server_hello(down: &[u8]) -> Option<ServerHello> {
    let layer = records::open(down, Protection::None);
    let hellos = layer
        .handshake
        .iter()
        .filter(|(found, _)| *found == kind::SERVER_HELLO);
    hellos
        .filter_map(|(_, body)| ServerHello::read(body))
        .find(|hello| !hello.asks_again)
}
