//! The peer's QPACK encoder and decoder streams, on which a table of capacity 0 permits almost
//! nothing (RFC 9204 §4.3, §4.4).

use crate::error::{Code, Error};

/// Reads instructions that the peer's encoder sent; each byte has to be Set Dynamic Table
/// Capacity with capacity 0, the only instruction that fits a table of capacity 0.
///
/// # Errors
/// `QPACK_ENCODER_STREAM_ERROR` for any other instruction.
pub fn read_encoder_stream(bytes: &[u8]) -> Result<(), Error> {
    const SET_CAPACITY_0: u8 = 0b0010_0000;
    if bytes.iter().all(|&byte| byte == SET_CAPACITY_0) {
        Ok(())
    } else {
        Err(Error::connection(
            Code::QpackEncoderStreamError,
            "an insertion into a dynamic table of capacity 0",
        ))
    }
}

/// The peer's decoder stream: only Stream Cancellation may come, since nothing was ever inserted
/// that could be acknowledged.
#[derive(Clone, Debug, Default)]
pub struct DecoderStream {
    /// The bytes of a Stream Cancellation's integer read so far; 0 between instructions.
    inside: usize,
}

impl DecoderStream {
    /// Reads the next bytes of the stream, split anywhere.
    ///
    /// # Errors
    /// `QPACK_DECODER_STREAM_ERROR` for Section Acknowledgment, Insert Count Increment and
    /// integers longer than any stream's ID.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), Error> {
        const LONGEST_INTEGER: usize = 10;
        const FULL_PREFIX: u8 = 0b0011_1111;
        for &byte in bytes {
            let goes_on = if self.inside == 0 {
                if byte >> 6 != 0b01 {
                    return Err(failed("an acknowledgment of what was never inserted"));
                }
                byte & FULL_PREFIX == FULL_PREFIX
            } else {
                byte & 0x80 != 0
            };
            self.inside = if goes_on { self.inside + 1 } else { 0 };
            if self.inside > LONGEST_INTEGER {
                return Err(failed("a stream ID above 62 bits"));
            }
        }
        Ok(())
    }
}

const fn failed(reason: &'static str) -> Error {
    Error::connection(Code::QpackDecoderStreamError, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoder_may_set_the_capacity_to_0() {
        assert_eq!(read_encoder_stream(&[0x20, 0x20]), Ok(()));
        assert_eq!(read_encoder_stream(&[]), Ok(()));
    }

    #[test]
    fn every_other_encoder_instruction_is_an_error() {
        for first in (0..=u8::MAX).filter(|&first| first != 0x20) {
            let error = read_encoder_stream(&[first]).unwrap_err();
            assert_eq!(error.code, Code::QpackEncoderStreamError);
        }
    }

    #[test]
    fn cancellations_may_be_split_anywhere() {
        let instructions = [0x44, 0x7f, 0xe1, 0x05, 0x7f, 0x00];
        for split in 0..=instructions.len() {
            let mut stream = DecoderStream::default();
            stream.read(&instructions[..split]).unwrap();
            stream.read(&instructions[split..]).unwrap();
        }
    }

    #[test]
    fn acknowledgments_increments_and_endless_integers_are_errors() {
        let endless = [&[0x7f][..], &[0xff; 12]].concat();
        for bytes in [&[0x84][..], &[0x00], &[0x01], &[0x44, 0x80], &endless] {
            let error = DecoderStream::default().read(bytes).unwrap_err();
            assert_eq!(error.code, Code::QpackDecoderStreamError);
        }
    }
}
