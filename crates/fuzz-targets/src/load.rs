//! What a server sends to the load generator: the first byte says over which protocol.

use pronghorn_load::foreign;

/// Reads a connection's bytes at once and one by one; both have to come to the same.
pub fn load(bytes: &[u8]) {
    let Some((protocol, sent)) = bytes.split_first() else {
        return;
    };
    if protocol & 1 == 0 {
        assert_eq!(foreign::http_1([sent]), foreign::http_1(sent.chunks(1)));
    } else {
        assert_eq!(foreign::http_2([sent]), foreign::http_2(sent.chunks(1)));
    }
}
