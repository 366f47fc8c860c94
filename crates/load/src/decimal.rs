//! Numbers in the fields of responses.

/// A number of decimal digits and nothing else (RFC 9110 §8.6); none where it is no such number, or none that 64 bits hold.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, &byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}
